//! Why a calibration was refused; every message names the field and its value.

use crate::params::CameraModel;

/// A calibration that describes no camera of the known models.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CameraError {
    #[error("{field} is {value}: a finite number is needed")]
    NotFinite { field: String, value: f64 },
    #[error("{field} is {value}: a focal length must be positive")]
    Focal { field: &'static str, value: f64 },
    #[error("distortion has {found} coefficients: camera model '{model}' takes {expected}")]
    Coefficients { model: CameraModel, found: usize, expected: &'static str },
    #[error("image size is {width} x {height}: width and height must be at least 1")]
    ZeroSize { width: u32, height: u32 },
    #[error(
        "image size is {} x {}, the calibration holds for {} x {}; calibrate at the size of the images",
        image[0], image[1], calibrated[0], calibrated[1]
    )]
    SizeDiffers { image: [u32; 2], calibrated: [u32; 2] },
    #[error("{field} '{value}' is not supported; supported: {supported}")]
    UnknownModel { field: &'static str, value: String, supported: &'static str },
    #[error("unknown key '{key}'; did you mean '{nearest}'?")]
    UnknownKey { key: String, nearest: &'static str },
    #[error("no camera '{name}'; the file has: {cameras}")]
    UnknownCamera { name: String, cameras: String },
    /// R is the 3 x 3 part.
    #[error(
        "{field} is {value}: its rotation R is none: R R^T differs from the identity by {departure:.3e} (at most 0.001 \
         is rounding), its determinant is {determinant:.3}"
    )]
    NotRotation { field: &'static str, departure: f64, determinant: f64, value: String },
    #[error("{field} is {value}: {expected}")]
    Field { field: &'static str, value: String, expected: &'static str },
}

/// A [`CameraError`] and where the calibration came from.
#[derive(Debug, thiserror::Error)]
pub enum CalibrationError {
    /// Refused values; `origin` is a parameter, a topic or a file.
    #[error("calibration from {origin}: {error}")]
    Invalid { origin: String, error: CameraError },
    #[error("calibration file {path}: {error}")]
    Io { path: String, error: std::io::Error },
    /// No YAML, or YAML of another shape.
    #[error("calibration file {path}: {message}")]
    Parse { path: String, message: String },
}
