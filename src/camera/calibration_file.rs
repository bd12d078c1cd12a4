//! A calibration file of any known format.

use std::path::Path;

use super::yaml::{Keys, parse, read_text, to_yaml};
use super::{CalibrationError, CamImu, Camera, SensorYaml, kalibr};

/// What a calibration file tells of one camera.
#[derive(Clone, Debug, PartialEq)]
pub struct CalibrationFile {
    pub camera: Camera,
    /// `None` where the file knows no IMU.
    pub cam_imu: Option<CamImu>,
}

impl CalibrationFile {
    /// Reads Kalibr's `camchain.yaml` (`camera_model` pinhole or omni, `distortion_model` radtan, equidistant or none,
    /// `T_cam_imu`, `timeshift_cam_imu`), of which it takes the camera called `name`, or what [`SensorYaml`] reads,
    /// whose body is taken for the IMU.
    ///
    /// Errors: unreadable files, YAML that does not parse (tabs are named), no camera called `name`, keys that are
    /// misspelt, missing or refused values.
    pub fn read(path: &Path, name: &str) -> Result<Self, CalibrationError> {
        Self::parse(&read_text(path)?, path, name)
    }

    /// As [`CalibrationFile::read`], from the file's text; `path` is for messages.
    pub fn parse(text: &str, path: &Path, name: &str) -> Result<Self, CalibrationError> {
        let file = path.display().to_string();
        let damaged = |message| CalibrationError::Parse { path: file.clone(), message };
        let yaml = to_yaml(text).map_err(damaged)?;
        if kalibr::is_camchain(&parse::<Keys>(&yaml).map_err(damaged)?) {
            let keys = parse(&yaml).map_err(damaged)?;
            return kalibr::camera(parse(&yaml).map_err(damaged)?, &keys, name)
                .map_err(|error| CalibrationError::Invalid { origin: format!("{file}, camera {name}"), error });
        }
        let sensor = SensorYaml::parse(text, path)?;
        let cam_imu = sensor.cam_from_body().map(|cam_from_imu| CamImu { cam_from_imu, timeshift_s: 0.0 });
        Ok(Self { camera: sensor.camera, cam_imu })
    }
}
