//! The `sensor.yaml` of a camera in an EuRoC (ASL) folder.

use std::path::Path;

use nalgebra::Isometry3;
use serde::Deserialize;

use super::extrinsics::rigid;
use super::yaml::{Keys, array, check_spelling, parse, read_text, to_yaml};
use super::{CalibrationError, Camera, CameraError, names};

/// A camera as its `sensor.yaml` describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct SensorYaml {
    pub camera: Camera,
    /// T_BS: takes points of the camera frame to the body frame, m.
    pub body_from_cam: Option<Isometry3<f64>>,
    /// Hz.
    pub rate_hz: Option<f64>,
}

/// The keys that are read; others are comments to us.
#[derive(Deserialize)]
struct File {
    camera_model: Option<String>,
    intrinsics: Option<Vec<f64>>,
    distortion_model: Option<String>,
    /// Kalibr's name is `distortion_coeffs`.
    #[serde(alias = "distortion_coeffs")]
    distortion_coefficients: Option<Vec<f64>>,
    resolution: Option<Vec<u32>>,
    #[serde(rename = "T_BS")]
    t_bs: Option<Matrix>,
    rate_hz: Option<f64>,
}

const KEYS: [&str; 9] = [
    "camera_model",
    "intrinsics",
    "distortion_model",
    "distortion_coefficients",
    "distortion_coeffs",
    "resolution",
    "T_BS",
    "rate_hz",
    "sensor_type",
];

#[derive(Deserialize)]
struct Matrix {
    data: Vec<f64>,
}

impl SensorYaml {
    /// Reads `camera_model` (`pinhole`, or `omni` with xi first in `intrinsics`) with `intrinsics` and, if given,
    /// `distortion_model` (`radial-tangential`, `radtan`, `equidistant`, `none`), `distortion_coefficients`,
    /// `resolution`, `T_BS` and `rate_hz`.
    ///
    /// The first line may be `%YAML:1.0`, as OpenCV writes it, and matrices may carry the tag `!!opencv-matrix`.
    /// Errors: unreadable files, YAML that does not parse (tabs are named), keys that are misspelt, missing or refused
    /// values.
    pub fn read(path: &Path) -> Result<Self, CalibrationError> {
        Self::parse(&read_text(path)?, path)
    }

    /// As [`SensorYaml::read`], from the file's text; `path` is for messages.
    pub fn parse(text: &str, path: &Path) -> Result<Self, CalibrationError> {
        let path = path.display().to_string();
        let damaged = |message| CalibrationError::Parse { path: path.clone(), message };
        let yaml = to_yaml(text).map_err(damaged)?;
        let file: File = parse(&yaml).map_err(damaged)?;
        let keys: Keys = parse(&yaml).map_err(damaged)?;
        check_spelling(&keys, &KEYS)
            .and_then(|()| file.into_sensor())
            .map_err(|error| CalibrationError::Invalid { origin: path.clone(), error })
    }
}

/// Of the `sensor.yaml` of any sensor, the pose.
#[derive(Deserialize)]
struct PoseFile {
    #[serde(rename = "T_BS")]
    t_bs: Option<Matrix>,
}

impl SensorYaml {
    /// T_BS of the `sensor.yaml` of a sensor that is no camera; `None` where there is no such file or no pose in it.
    ///
    /// Errors: as [`SensorYaml::read`].
    pub fn read_pose(path: &Path) -> Result<Option<Isometry3<f64>>, CalibrationError> {
        if !path.is_file() {
            return Ok(None);
        }
        let text = read_text(path)?;
        let origin = path.display().to_string();
        let file: PoseFile = to_yaml(&text)
            .and_then(|yaml| parse(&yaml))
            .map_err(|message| CalibrationError::Parse { path: origin.clone(), message })?;
        let pose = file.t_bs.map(|matrix| rigid("T_BS", &matrix.data)).transpose();
        pose.map_err(|error| CalibrationError::Invalid { origin, error })
    }

    /// Takes points of the body frame, which is the IMU's where there is one, to the camera frame, m.
    pub fn cam_from_body(&self) -> Option<Isometry3<f64>> {
        self.body_from_cam.map(|pose| pose.inverse())
    }
}

impl File {
    fn into_sensor(self) -> Result<SensorYaml, CameraError> {
        let missing = |field, expected| CameraError::Field { field, value: "missing".to_owned(), expected };
        let intrinsics =
            self.intrinsics.ok_or_else(|| missing("intrinsics", "4 numbers are needed: fx, fy, cx, cy"))?;
        let distortion = self.distortion_coefficients.unwrap_or_default();
        let model = names::model(self.camera_model.as_deref(), self.distortion_model.as_deref(), &distortion)?;
        let size = self
            .resolution
            .map(|size| array(&size, "resolution", "2 whole numbers are needed: width, height"))
            .transpose()?;
        let body_from_cam = self.t_bs.map(|matrix| rigid("T_BS", &matrix.data)).transpose()?;
        if let Some(rate) = self.rate_hz
            && !(rate.is_finite() && rate > 0.0)
        {
            let expected = "a positive number is needed";
            return Err(CameraError::Field { field: "rate_hz", value: rate.to_string(), expected });
        }
        let camera = Camera::new(model, intrinsics, &distortion, size)?;
        Ok(SensorYaml { camera, body_from_cam, rate_hz: self.rate_hz })
    }
}
