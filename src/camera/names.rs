//! The names that calibration files give to camera models.

use super::CameraError;
use crate::params::CameraModel;

/// The model that `camera_model` (`pinhole` if missing) and `distortion_model` name together.
///
/// Errors: an unknown name of either; no distortion model, or `none`, with coefficients.
pub(super) fn model(
    camera: Option<&str>,
    distortion: Option<&str>,
    coefficients: &[f64],
) -> Result<CameraModel, CameraError> {
    let unknown =
        |field, value: &str, supported| Err(CameraError::UnknownModel { field, value: value.to_owned(), supported });
    let plain = match camera {
        None | Some("pinhole") => CameraModel::Pinhole,
        Some("omni") => CameraModel::Omni,
        Some(other) => {
            return unknown("camera_model", other, "pinhole (with distortion_model equidistant for a fisheye), omni");
        }
    };
    match (distortion, plain) {
        (Some("radial-tangential" | "radtan"), model) => Ok(model),
        (Some("equidistant"), CameraModel::Pinhole) => Ok(CameraModel::Equidistant),
        (None | Some("none"), model) if coefficients.iter().all(|&k| k == 0.0) => Ok(model),
        (other, _) => unknown(
            "distortion_model",
            other.unwrap_or("missing"),
            "radial-tangential, radtan, equidistant (pinhole only), none (without coefficients)",
        ),
    }
}
