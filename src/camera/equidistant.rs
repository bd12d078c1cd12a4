//! The equidistant fisheye model (Kannala and Brandt 2006, eq. 6, with k1 = 1), as OpenCV's `fisheye` and Kalibr have
//! it.
//!
//! A ray at angle theta from the axis meets a lens of unit focal length at radius
//! theta (1 + k1 theta^2 + k2 theta^4 + k3 theta^6 + k4 theta^8). The model is used up to the angle at which that
//! radius stops increasing, which may lie beyond 90 degrees.

use super::polynomial::OddPolynomial;
use super::radial::Radial;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Equidistant {
    radius: OddPolynomial<4>,
}

impl Equidistant {
    pub fn new(coefficients: [f64; 4]) -> Self {
        Self { radius: OddPolynomial::new(coefficients, std::f64::consts::PI) }
    }

    /// Where the ray to a point of the camera frame meets the lens; `None` beyond the model's widest angle.
    pub fn project(&self, [x, y, z]: [f64; 3]) -> Option<[f64; 2]> {
        let r = (x * x + y * y).sqrt();
        if r == 0.0 {
            return (z > 0.0).then_some([0.0, 0.0]);
        }
        let theta = libm::atan2(r, z);
        let scale = theta * self.radius.stretch(theta * theta).0 / r;
        (theta < self.radius.limit()).then_some([x * scale, y * scale])
    }

    /// The unit vector that meets the lens at (x, y); `None` beyond the widest angle.
    pub fn unproject(&self, [x, y]: [f64; 2]) -> Option<[f64; 3]> {
        let r = (x * x + y * y).sqrt();
        let theta = self.radius.invert(r)?;
        let (sin, cos) = libm::sincos(theta);
        let scale = if r > 0.0 { sin / r } else { 1.0 };
        Some([x * scale, y * scale, cos])
    }
}
