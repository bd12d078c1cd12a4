//! Camera models and calibration: pixels to directions and back.
//!
//! The camera frame has x to the right, y down, z forward. Pixel centres are at integers, as in OpenCV, Kalibr and
//! EuRoC calibrations. A pixel is (fx m_x + cx, fy m_y + cy), where m is the ray's image on a lens of unit focal
//! length; the lens is radial-tangential (polynomial or rational), equidistant or unified omnidirectional. All are
//! used only where they are one-to-one, so that no inverse is ever a guess: outside that region every function
//! answers `None`, never NaN.

mod calibration;
mod calibration_file;
mod equidistant;
mod error;
mod extrinsics;
mod kalibr;
mod lens;
mod names;
mod polynomial;
mod radial;
mod radtan;
mod rational;
mod sensor_yaml;
mod unified;
mod yaml;

pub use calibration::CameraInfo;
pub use calibration_file::CalibrationFile;
pub use error::{CalibrationError, CameraError};
pub use extrinsics::CamImu;
pub use sensor_yaml::SensorYaml;

use crate::params::CameraModel;
use lens::Lens;

/// A calibrated camera.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// Focal lengths fx, fy, px.
    focal: [f64; 2],
    /// Principal point cx, cy, px.
    centre: [f64; 2],
    lens: Lens,
    /// All of the lens, in the order of [`Camera::new`].
    coefficients: Vec<f64>,
    size: Option<[u32; 2]>,
}

impl Camera {
    /// A camera from its calibration.
    ///
    /// * `intrinsics`: fx, fy, cx, cy in pixels; for [`CameraModel::Omni`] xi (no unit) before them.
    /// * `distortion`: k1, k2, p1, p2, perhaps k3, perhaps k4, k5, k6 (rational) for [`CameraModel::Pinhole`]; k1 to k4
    ///   for [`CameraModel::Equidistant`]; k1, k2, p1, p2 for [`CameraModel::Omni`]; empty for none.
    /// * `size`: width and height that the calibration holds for.
    ///
    /// Errors: a value that is not finite, a focal length that is not positive, xi out of range, another number of
    /// values, a size of zero.
    pub fn new(
        model: CameraModel,
        intrinsics: impl AsRef<[f64]>,
        distortion: &[f64],
        size: Option<[u32; 2]>,
    ) -> Result<Self, CameraError> {
        let intrinsics = intrinsics.as_ref();
        let (xi, [fx, fy, cx, cy]) = match (model, intrinsics) {
            (CameraModel::Omni, &[xi, fx, fy, cx, cy]) => (xi, [fx, fy, cx, cy]),
            (CameraModel::Pinhole | CameraModel::Equidistant, &[fx, fy, cx, cy]) => (0.0, [fx, fy, cx, cy]),
            _ => {
                let expected = match model {
                    CameraModel::Omni => "5 numbers are needed: xi, fx, fy, cx, cy",
                    CameraModel::Pinhole | CameraModel::Equidistant => "4 numbers are needed: fx, fy, cx, cy",
                };
                return Err(CameraError::Field { field: "intrinsics", value: format!("{intrinsics:?}"), expected });
            }
        };
        for (field, value) in [("xi", xi), ("fx", fx), ("fy", fy), ("cx", cx), ("cy", cy)] {
            if !value.is_finite() {
                return Err(CameraError::NotFinite { field: field.to_owned(), value });
            }
        }
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
        let (lens, coefficients) = Lens::new(model, xi, distortion)?;
        Ok(Self { focal: [fx, fy], centre: [cx, cy], lens, coefficients, size })
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

    /// xi of [`CameraModel::Omni`]; other models have none.
    pub fn xi(&self) -> Option<f64> {
        self.lens.xi()
    }

    /// Pixels a radian at the principal point, the mean of both axes: fx and fy, of [`CameraModel::Omni`] over 1 + xi.
    pub fn pixels_per_radian(&self) -> f64 {
        0.5 * (self.focal[0] + self.focal[1]) / (1.0 + self.lens.xi().unwrap_or(0.0))
    }

    /// The model of the lens.
    pub fn model(&self) -> CameraModel {
        self.lens.model()
    }

    /// Distortion coefficients in the order of [`Camera::new`], zeros included: five or eight, or four.
    pub fn distortion(&self) -> Vec<f64> {
        self.coefficients.clone()
    }

    /// The pixel that sees `point` (camera frame, any unit); it may lie outside the image. `None` where the lens does
    /// not see the point: behind a pinhole, or beyond the angle up to which the model is one-to-one.
    pub fn project(&self, point: [f64; 3]) -> Option<[f64; 2]> {
        let m = self.lens.project(point)?;
        finite([self.focal[0] * m[0] + self.centre[0], self.focal[1] * m[1] + self.centre[1]])
    }

    /// The direction that `pixel` sees, a unit vector of the camera frame. `None` outside the model's validity.
    pub fn unproject(&self, pixel: [f64; 2]) -> Option<[f64; 3]> {
        finite(self.lens.unproject(self.on_lens(pixel)?)?)
    }

    /// Where the ray of `pixel` meets the plane z = 1. `None` outside the model's validity and for rays at 90 degrees
    /// from the axis or more, which do not meet it.
    pub fn normalise(&self, pixel: [f64; 2]) -> Option<[f64; 2]> {
        finite(self.lens.normalise(self.on_lens(pixel)?)?)
    }

    /// The pixel on a lens of unit focal length.
    fn on_lens(&self, pixel: [f64; 2]) -> Option<[f64; 2]> {
        finite([(pixel[0] - self.centre[0]) / self.focal[0], (pixel[1] - self.centre[1]) / self.focal[1]])
    }
}

fn finite<const N: usize>(values: [f64; N]) -> Option<[f64; N]> {
    values.iter().all(|v| v.is_finite()).then_some(values)
}
