//! Where a calibration comes from.
//!
//! In this order: the parameter `intrinsics` (with `camera_model`, `distortion`, `image_size`), the file of
//! `calibration_file`, then what came with the images: the topic `camera_info` or the data set's own file. No
//! calibration at all is a valid answer; the front end then works on pixels.

use std::path::Path;

use super::{CalibrationError, CalibrationFile, Camera, CameraError};
use crate::params::{CameraModel, Params};

/// What `sensor_msgs/CameraInfo` says of the raw image.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CameraInfo {
    /// Pixels; 0 where the driver does not say.
    pub width: u32,
    pub height: u32,
    /// `plumb_bob`, `equidistant`, `rational_polynomial` or empty.
    pub distortion_model: String,
    /// Distortion coefficients in the order of the model.
    pub d: Vec<f64>,
    /// [fx s cx; 0 fy cy; 0 0 1], row-major; fx = 0 means uncalibrated.
    pub k: [f64; 9],
}

impl Camera {
    /// The calibration that is in force, in this order: the parameter `intrinsics`, the file
    /// of `calibration_file`, then what came with the images; `None` if there is none.
    /// `delivered` tells what came with the images and is asked only if the parameters say nothing.
    ///
    /// Errors: the first calibration of that order that is given but refused, and one for another size than the
    /// parameter `image_size`. A broken calibration never falls through to the next.
    pub fn resolve(
        params: &Params,
        delivered: impl FnOnce() -> Result<Option<Camera>, CalibrationError>,
    ) -> Result<Option<Camera>, CalibrationError> {
        let configured = configured_size(params).map_err(|error| invalid("parameter image_size", error))?;
        let camera = if !params.intrinsics.is_empty() {
            let camera = Self::new(params.camera_model, &params.intrinsics, &params.distortion, configured);
            Some(camera.map_err(|error| invalid("parameter intrinsics", error))?)
        } else if !params.calibration_file.is_empty() {
            Some(CalibrationFile::read(Path::new(&params.calibration_file), &params.calibration_camera)?.camera)
        } else {
            delivered()?
        };
        if let (Some(camera), Some(size)) = (&camera, configured) {
            camera.check_image_size(size).map_err(|error| invalid("parameter image_size", error))?;
        }
        Ok(camera)
    }

    /// The camera of the topic `camera_info`; `None` if the message says that it is uncalibrated (K\[0\] = 0).
    ///
    /// `plumb_bob` takes 0, 4 or 5 coefficients, `equidistant` 0 or 4, `rational_polynomial` 8; what OpenCV appends to
    /// them (thin prism, tilt) must be zero. Without a model name there must be no distortion.
    pub fn from_camera_info(info: &CameraInfo) -> Result<Option<Self>, CalibrationError> {
        let refused = |error| invalid("camera_info", error);
        let [fx, skew, cx, _, fy, cy, ..] = info.k;
        if fx == 0.0 {
            return Ok(None);
        }
        if skew != 0.0 {
            let expected = "the models have no skew, 0 is needed";
            return Err(refused(CameraError::Field { field: "k[1]", value: skew.to_string(), expected }));
        }
        let (model, distortion) = distortion_of(info).map_err(refused)?;
        let size = (info.width != 0 || info.height != 0).then_some([info.width, info.height]);
        Self::new(model, [fx, fy, cx, cy], distortion, size).map(Some).map_err(refused)
    }
}

/// Model and coefficients of a `camera_info`.
fn distortion_of(info: &CameraInfo) -> Result<(CameraModel, &[f64]), CameraError> {
    let beyond_k6_is_zero = || info.d.iter().skip(8).all(|&k| k == 0.0);
    match info.distortion_model.as_str() {
        "plumb_bob" => Ok((CameraModel::Pinhole, &info.d)),
        "equidistant" => Ok((CameraModel::Equidistant, &info.d)),
        "rational_polynomial" if beyond_k6_is_zero() => Ok((CameraModel::Pinhole, info.d.get(..8).unwrap_or(&info.d))),
        "" if info.d.iter().all(|&k| k == 0.0) => Ok((CameraModel::Pinhole, &[])),
        other => Err(CameraError::UnknownModel {
            field: "distortion_model",
            value: other.to_owned(),
            supported: "plumb_bob, equidistant, rational_polynomial with zeros beyond k6",
        }),
    }
}

/// The parameter `image_size`, if given.
fn configured_size(params: &Params) -> Result<Option<[u32; 2]>, CameraError> {
    let refused = || CameraError::Field {
        field: "image_size",
        value: format!("{:?}", params.image_size),
        expected: "width and height in pixels are needed",
    };
    match params.image_size.as_slice() {
        [] => Ok(None),
        &[width, height] => {
            Ok(Some([u32::try_from(width).map_err(|_| refused())?, u32::try_from(height).map_err(|_| refused())?]))
        }
        _ => Err(refused()),
    }
}

pub(super) fn invalid(origin: &str, error: CameraError) -> CalibrationError {
    CalibrationError::Invalid { origin: origin.to_owned(), error }
}
