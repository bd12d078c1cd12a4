//! The unified omnidirectional model (Mei and Rives 2007), as Kalibr (`omni`), VINS (`MEI`) and OpenCV (`omnidir`) have
//! it: a point goes to the unit sphere, from there, seen from a point xi behind its centre, to a plane with
//! radial-tangential distortion.
//!
//! The rays are one-to-one with points of that plane as long as z / |p| > -min(xi, 1 / xi) (Usenko, Demmel and
//! Cremers 2018, section 2.2).

use super::polynomial::OddPolynomial;
use super::radtan::Radtan;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unified {
    xi: f64,
    plane: Radtan<OddPolynomial<3>>,
}

impl Unified {
    /// `xi` >= 0; k1, k2, p1, p2.
    pub fn new(xi: f64, [k1, k2, p1, p2]: [f64; 4]) -> Self {
        Self { xi, plane: Radtan::new([k1, k2, p1, p2, 0.0]) }
    }

    pub fn xi(&self) -> f64 {
        self.xi
    }

    /// Where the ray to a point of the camera frame meets the lens; `None` beyond the model's widest angle.
    pub fn project(&self, [x, y, z]: [f64; 3]) -> Option<[f64; 2]> {
        let norm = (x * x + y * y + z * z).sqrt();
        let widest = if self.xi > 1.0 { 1.0 / self.xi } else { self.xi };
        let depth = z + self.xi * norm;
        (norm > 0.0 && z > -widest * norm && depth > 0.0).then(|| self.plane.distort([x / depth, y / depth])).flatten()
    }

    /// The unit vector that meets the lens at (x, y); `None` beyond the widest angle.
    pub fn unproject(&self, at: [f64; 2]) -> Option<[f64; 3]> {
        let [x, y] = self.plane.undistort(at)?;
        let r2 = x * x + y * y;
        let root = 1.0 + (1.0 - self.xi * self.xi) * r2;
        if root.is_nan() || root < 0.0 {
            return None;
        }
        let scale = (self.xi + root.sqrt()) / (1.0 + r2);
        Some([x * scale, y * scale, scale - self.xi])
    }
}
