//! Camera models and calibration: pixels to directions and back.
//!
//! The camera frame has x to the right, y down, z forward. Pixel centres are at integers, as in OpenCV, Kalibr and
//! EuRoC calibrations. A pixel is (fx m_x + cx, fy m_y + cy), where m is the ray's image on a lens of unit focal
//! length; the lens is `radtan` or `equidistant`. Both are used only where they are one-to-one, so that no
//! inverse is ever a guess: outside that region every function answers `None`, never NaN.

mod calibration;
mod equidistant;
mod error;
mod polynomial;
mod radtan;
mod sensor_yaml;

pub use calibration::CameraInfo;
pub use error::{CalibrationError, CameraError};
pub use sensor_yaml::SensorYaml;

use crate::params::CameraModel;
use equidistant::Equidistant;
use radtan::Radtan;

/// A calibrated camera.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// Focal lengths fx, fy, px.
    focal: [f64; 2],
    /// Principal point cx, cy, px.
    centre: [f64; 2],
    lens: Lens,
    size: Option<[u32; 2]>,
}

#[derive(Clone, Debug, PartialEq)]
enum Lens {
    Radtan(Radtan),
    Equidistant(Equidistant),
}

impl Camera {
    /// A camera from its calibration.
    ///
    /// * `intrinsics`: fx, fy, cx, cy in pixels.
    /// * `distortion`: k1, k2, p1, p2 and perhaps k3 for [`CameraModel::Pinhole`]; k1 to k4 for
    ///   [`CameraModel::Equidistant`]; empty for none.
    /// * `size`: width and height that the calibration holds for.
    ///
    /// Errors: a value that is not finite, a focal length that is not positive, another number of coefficients, a
    /// size of zero.
    pub fn new(
        model: CameraModel,
        intrinsics: [f64; 4],
        distortion: &[f64],
        size: Option<[u32; 2]>,
    ) -> Result<Self, CameraError> {
        for (field, value) in ["fx", "fy", "cx", "cy"].into_iter().zip(intrinsics) {
            if !value.is_finite() {
                return Err(CameraError::NotFinite { field: field.to_owned(), value });
            }
        }
        let [fx, fy, cx, cy] = intrinsics;
        for (field, value) in [("fx", fx), ("fy", fy)] {
            if value <= 0.0 {
                return Err(CameraError::Focal { field, value });
            }
        }
        if let Some((i, &value)) = distortion.iter().enumerate().find(|(_, k)| !k.is_finite()) {
            return Err(CameraError::NotFinite { field: format!("distortion[{i}]"), value });
        }
        if let Some([width, height]) = size
            && (width == 0 || height == 0)
        {
            return Err(CameraError::ZeroSize { width, height });
        }
        Ok(Self { focal: [fx, fy], centre: [cx, cy], lens: Lens::new(model, distortion)?, size })
    }

    /// Width and height that the calibration holds for, px; `None` where it does not say.
    pub fn image_size(&self) -> Option<[u32; 2]> {
        self.size
    }

    /// Refuses images of another size than the calibration's: how they were cropped or scaled is not known.
    pub fn check_image_size(&self, image: [u32; 2]) -> Result<(), CameraError> {
        match self.size {
            Some(calibrated) if calibrated != image => Err(CameraError::SizeDiffers { image, calibrated }),
            _ => Ok(()),
        }
    }

    /// Focal lengths and principal point fx, fy, cx, cy, px.
    pub fn intrinsics(&self) -> [f64; 4] {
        [self.focal[0], self.focal[1], self.centre[0], self.centre[1]]
    }

    /// The model of the lens.
    pub fn model(&self) -> CameraModel {
        match self.lens {
            Lens::Radtan(_) => CameraModel::Pinhole,
            Lens::Equidistant(_) => CameraModel::Equidistant,
        }
    }

    /// Distortion coefficients in the order of [`Camera::new`]; five or four.
    pub fn distortion(&self) -> Vec<f64> {
        match &self.lens {
            Lens::Radtan(lens) => lens.coefficients().to_vec(),
            Lens::Equidistant(lens) => lens.coefficients().to_vec(),
        }
    }

    /// The pixel that sees `point` (camera frame, any unit); it may lie outside the image. `None` where the lens does
    /// not see the point: behind a pinhole, or beyond the angle up to which the model is one-to-one.
    pub fn project(&self, point: [f64; 3]) -> Option<[f64; 2]> {
        let m = match &self.lens {
            Lens::Radtan(lens) => {
                let [x, y, z] = point;
                (z > 0.0).then(|| lens.distort([x / z, y / z])).flatten()
            }
            Lens::Equidistant(lens) => lens.project(point),
        }?;
        finite([self.focal[0] * m[0] + self.centre[0], self.focal[1] * m[1] + self.centre[1]])
    }

    /// The direction that `pixel` sees, a unit vector of the camera frame. `None` outside the model's validity.
    pub fn unproject(&self, pixel: [f64; 2]) -> Option<[f64; 3]> {
        let m = self.on_lens(pixel)?;
        match &self.lens {
            Lens::Radtan(lens) => {
                let [x, y] = lens.undistort(m)?;
                let norm = (x * x + y * y + 1.0).sqrt();
                finite([x / norm, y / norm, 1.0 / norm])
            }
            Lens::Equidistant(lens) => finite(lens.unproject(m)?),
        }
    }

    /// Where the ray of `pixel` meets the plane z = 1. `None` outside the model's validity and for rays at 90 degrees
    /// from the axis or more, which do not meet it.
    pub fn normalise(&self, pixel: [f64; 2]) -> Option<[f64; 2]> {
        let m = self.on_lens(pixel)?;
        match &self.lens {
            Lens::Radtan(lens) => finite(lens.undistort(m)?),
            Lens::Equidistant(lens) => {
                let [x, y, z] = lens.unproject(m)?;
                (z > 0.0).then(|| finite([x / z, y / z])).flatten()
            }
        }
    }

    /// The pixel on a lens of unit focal length.
    fn on_lens(&self, pixel: [f64; 2]) -> Option<[f64; 2]> {
        finite([(pixel[0] - self.centre[0]) / self.focal[0], (pixel[1] - self.centre[1]) / self.focal[1]])
    }
}

impl Lens {
    fn new(model: CameraModel, distortion: &[f64]) -> Result<Self, CameraError> {
        match (model, distortion) {
            (CameraModel::Pinhole, []) => Ok(Lens::Radtan(Radtan::new([0.0; 5]))),
            (CameraModel::Pinhole, &[k1, k2, p1, p2]) => Ok(Lens::Radtan(Radtan::new([k1, k2, p1, p2, 0.0]))),
            (CameraModel::Pinhole, &[k1, k2, p1, p2, k3]) => Ok(Lens::Radtan(Radtan::new([k1, k2, p1, p2, k3]))),
            (CameraModel::Equidistant, []) => Ok(Lens::Equidistant(Equidistant::new([0.0; 4]))),
            (CameraModel::Equidistant, &[k1, k2, k3, k4]) => Ok(Lens::Equidistant(Equidistant::new([k1, k2, k3, k4]))),
            (CameraModel::Pinhole, _) => {
                Err(CameraError::Coefficients { model, found: distortion.len(), expected: "0, 4 or 5" })
            }
            (CameraModel::Equidistant, _) => {
                Err(CameraError::Coefficients { model, found: distortion.len(), expected: "0 or 4" })
            }
        }
    }
}

fn finite<const N: usize>(values: [f64; N]) -> Option<[f64; N]> {
    values.iter().all(|v| v.is_finite()).then_some(values)
}
