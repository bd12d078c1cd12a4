//! The `sensor.yaml` of a camera in an EuRoC (ASL) folder.

use std::path::Path;

use serde::Deserialize;

use super::{CalibrationError, Camera, CameraError};
use crate::params::CameraModel;

/// A camera as its `sensor.yaml` describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct SensorYaml {
    pub camera: Camera,
    /// T_BS, row-major: takes points of the camera frame to the body frame, m.
    pub body_from_cam: Option<[[f64; 4]; 4]>,
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

#[derive(Deserialize)]
struct Matrix {
    data: Vec<f64>,
}

impl SensorYaml {
    /// Reads `camera_model: pinhole` with `intrinsics` and, if given, `distortion_model` (`radial-tangential`,
    /// `radtan`, `equidistant`, `none`), `distortion_coefficients`, `resolution`, `T_BS` and `rate_hz`.
    ///
    /// The first line may be `%YAML:1.0`, as OpenCV writes it, and matrices may carry the tag `!!opencv-matrix`.
    /// Errors: unreadable files, YAML that does not parse (tabs are named), missing or refused values.
    pub fn read(path: &Path) -> Result<Self, CalibrationError> {
        let text =
            std::fs::read(path).map_err(|error| CalibrationError::Io { path: path.display().to_string(), error })?;
        Self::parse(&String::from_utf8_lossy(&text), path)
    }

    /// As [`SensorYaml::read`], from the file's text; `path` is for messages.
    pub fn parse(text: &str, path: &Path) -> Result<Self, CalibrationError> {
        let path = path.display().to_string();
        let text = to_yaml(text).map_err(|message| CalibrationError::Parse { path: path.clone(), message })?;
        let file: File = serde_yaml::from_str(&text)
            .map_err(|error| CalibrationError::Parse { path: path.clone(), message: error.to_string() })?;
        file.into_sensor().map_err(|error| CalibrationError::Invalid { origin: path, error })
    }
}

/// Rewrites what OpenCV's YAML has and YAML has not: the header `%YAML:1.0` and the matrix tag. Lines keep their
/// numbers.
fn to_yaml(text: &str) -> Result<String, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let body = match text.split_once('\n') {
        Some((header, rest)) if header.starts_with("%YAML") => format!("\n{rest}"),
        _ => text.to_owned(),
    };
    if body.trim().is_empty() {
        return Err("the file is empty".to_owned());
    }
    for (line, number) in body.lines().zip(1..) {
        if line.split('#').next().is_some_and(|content| content.trim_end().contains('\t')) {
            return Err(format!("line {number} holds a tab; YAML indents and separates with spaces"));
        }
    }
    Ok(body.replace("!!opencv-matrix", ""))
}

impl File {
    fn into_sensor(self) -> Result<SensorYaml, CameraError> {
        let missing = |field, expected| CameraError::Field { field, value: "missing".to_owned(), expected };
        let intrinsics =
            self.intrinsics.ok_or_else(|| missing("intrinsics", "4 numbers are needed: fx, fy, cx, cy"))?;
        let intrinsics = array(&intrinsics, "intrinsics", "4 numbers are needed: fx, fy, cx, cy")?;
        let distortion = self.distortion_coefficients.unwrap_or_default();
        let model = lens(self.camera_model.as_deref(), self.distortion_model.as_deref(), &distortion)?;
        let size = self
            .resolution
            .map(|size| array(&size, "resolution", "2 whole numbers are needed: width, height"))
            .transpose()?;
        let body_from_cam = self.t_bs.map(|matrix| rigid(&matrix.data)).transpose()?;
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

/// The model that `camera_model` and `distortion_model` name together.
fn lens(camera: Option<&str>, distortion: Option<&str>, coefficients: &[f64]) -> Result<CameraModel, CameraError> {
    if let Some(other) = camera.filter(|&name| name != "pinhole") {
        return Err(CameraError::UnknownModel {
            field: "camera_model",
            value: other.to_owned(),
            supported: "pinhole (with distortion_model equidistant for a fisheye)",
        });
    }
    match distortion {
        Some("radial-tangential" | "radtan") => Ok(CameraModel::Pinhole),
        Some("equidistant") => Ok(CameraModel::Equidistant),
        None | Some("none") if coefficients.iter().all(|&k| k == 0.0) => Ok(CameraModel::Pinhole),
        other => Err(CameraError::UnknownModel {
            field: "distortion_model",
            value: other.unwrap_or("missing").to_owned(),
            supported: "radial-tangential, radtan, equidistant, none (without coefficients)",
        }),
    }
}

/// A rigid transform: its last row is 0 0 0 1 and its rotation is one to 1e-3, the rounding of published files.
fn rigid(data: &[f64]) -> Result<[[f64; 4]; 4], CameraError> {
    let expected = "16 numbers are needed, row-major: a rotation, a translation and the row 0, 0, 0, 1";
    let flat: [f64; 16] = array(data, "T_BS", expected)?;
    let rows: [[f64; 4]; 4] = std::array::from_fn(|i| std::array::from_fn(|j| flat[4 * i + j]));
    let dot = |a: usize, b: usize| (0..3).map(|j| rows[a][j] * rows[b][j]).sum::<f64>();
    let orthonormal = (0..3).all(|a| (0..3).all(|b| (dot(a, b) - f64::from(u8::from(a == b))).abs() <= 1e-3));
    if rows[3] == [0.0, 0.0, 0.0, 1.0] && orthonormal && data.iter().all(|v| v.is_finite()) {
        Ok(rows)
    } else {
        Err(CameraError::Field { field: "T_BS", value: format!("{data:?}"), expected })
    }
}

fn array<T: Copy + std::fmt::Debug, const N: usize>(
    values: &[T],
    field: &'static str,
    expected: &'static str,
) -> Result<[T; N], CameraError> {
    values.try_into().map_err(|_| CameraError::Field { field, value: format!("{values:?}"), expected })
}
