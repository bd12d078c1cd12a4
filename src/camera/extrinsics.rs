//! How camera and IMU belong together: the pose of one in the other's frame, and the offset of their clocks.

use std::path::Path;

use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion};

use super::calibration::invalid;
use super::yaml::array;
use super::{CalibrationError, CalibrationFile, CameraError};
use crate::params::Params;

/// Greatest departure of R R^T from the identity: the rounding of published files.
const ROTATION_TOLERANCE: f64 = 1e-3;

/// A camera and an IMU on one body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CamImu {
    /// Takes points of the IMU frame to the camera frame, m. Kalibr's T_cam_imu, the inverse of EuRoC's T_BS.
    pub cam_from_imu: Isometry3<f64>,
    /// A frame stamped t shows the world at the IMU's t + `timeshift_s`, s; 0 where the calibration says nothing.
    pub timeshift_s: f64,
}

impl CamImu {
    /// The extrinsics that are in force, in this order: the parameter `t_cam_imu`, the file of `calibration_file`, then
    /// what came with the images; `None` if there are none.
    ///
    /// Errors: the first of that order that is given but refused.
    pub fn resolve(params: &Params, delivered: Option<CamImu>) -> Result<Option<Self>, CalibrationError> {
        let file = match params.calibration_file.as_str() {
            "" => None,
            path => CalibrationFile::read(Path::new(path), &params.calibration_camera)?.cam_imu,
        };
        if params.t_cam_imu.is_empty() {
            return Ok(file.or(delivered));
        }
        let cam_from_imu = rigid("t_cam_imu", &params.t_cam_imu).map_err(|e| invalid("parameter t_cam_imu", e))?;
        let timeshift_s = file.or(delivered).map_or(0.0, |found| found.timeshift_s);
        Ok(Some(Self { cam_from_imu, timeshift_s }))
    }

    /// The offset of the clocks that is in force, s: the parameter `td` unless it is 0, else the calibration's.
    pub fn td_s(&self, params: &Params) -> f64 {
        if params.td != 0.0 { params.td } else { self.timeshift_s }
    }
}

/// The rigid transform of 16 numbers, row-major. Its rotation is made exact.
///
/// Errors: another count, a number that is not finite, another last row than 0, 0, 0, 1, a rotation that is none to
/// 1e-3 (a reflection, a scaled or skewed matrix).
pub(super) fn rigid(field: &'static str, values: &[f64]) -> Result<Isometry3<f64>, CameraError> {
    let expected = "16 numbers are needed, row-major: a rotation, a translation and the row 0, 0, 0, 1";
    let [a, b, c, x, d, e, f, y, g, h, i, z, last @ ..]: [f64; 16] = array(values, field, expected)?;
    if let Some((i, &value)) = values.iter().enumerate().find(|(_, v)| !v.is_finite()) {
        return Err(CameraError::NotFinite { field: format!("{field}[{i}]"), value });
    }
    if last != [0.0, 0.0, 0.0, 1.0] {
        return Err(CameraError::Field { field, value: format!("{values:?}"), expected });
    }
    let matrix = Matrix3::new(a, b, c, d, e, f, g, h, i);
    let departure = (matrix * matrix.transpose() - Matrix3::identity()).amax();
    let determinant = matrix.determinant();
    if departure > ROTATION_TOLERANCE || determinant <= 0.0 {
        return Err(CameraError::NotRotation { field, departure, determinant, value: format!("{values:?}") });
    }
    // The quaternion of a matrix that is only nearly a rotation is only nearly of length one.
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix));
    let rotation = UnitQuaternion::new_normalize(rotation.into_inner());
    Ok(Isometry3::from_parts(Translation3::new(x, y, z), rotation))
}
