//! The lens of unit focal length: which model, made of which coefficients.

use super::CameraError;
use super::equidistant::Equidistant;
use super::polynomial::OddPolynomial;
use super::radtan::Radtan;
use super::rational::OddRatio;
use super::unified::Unified;
use crate::params::CameraModel;

/// Greatest xi. Lenses have 0 (a pinhole) to about 3.
const GREATEST_XI: f64 = 100.0;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Lens {
    Radtan(Radtan<OddPolynomial<3>>),
    Rational(Radtan<OddRatio>),
    Equidistant(Equidistant),
    Omni(Unified),
}

impl Lens {
    /// A lens and all its coefficients, zeros included. `xi` belongs to [`CameraModel::Omni`].
    pub fn new(model: CameraModel, xi: f64, distortion: &[f64]) -> Result<(Self, Vec<f64>), CameraError> {
        let wrong = |expected| Err(CameraError::Coefficients { model, found: distortion.len(), expected });
        let four = match *distortion {
            [] => Some([0.0; 4]),
            [a, b, c, d] => Some([a, b, c, d]),
            _ => None,
        };
        let (lens, coefficients) = match (model, four) {
            (CameraModel::Pinhole, _) => return Self::pinhole(distortion).map_or_else(|| wrong("0, 4, 5 or 8"), Ok),
            (CameraModel::Equidistant, Some(k)) => (Self::Equidistant(Equidistant::new(k)), k),
            (CameraModel::Omni, Some(k)) => {
                if !(0.0..=GREATEST_XI).contains(&xi) {
                    let expected = "a number from 0 to 100 is needed";
                    return Err(CameraError::Field { field: "xi", value: xi.to_string(), expected });
                }
                (Self::Omni(Unified::new(xi, k)), k)
            }
            (CameraModel::Equidistant | CameraModel::Omni, None) => return wrong("0 or 4"),
        };
        Ok((lens, coefficients.to_vec()))
    }

    /// Polynomial up to five coefficients, rational with eight.
    fn pinhole(distortion: &[f64]) -> Option<(Self, Vec<f64>)> {
        let [k1, k2, p1, p2, k3] = match *distortion {
            [] => [0.0; 5],
            [k1, k2, p1, p2] => [k1, k2, p1, p2, 0.0],
            [k1, k2, p1, p2, k3] => [k1, k2, p1, p2, k3],
            // Nothing below the line: the polynomial, as many drivers publish it.
            [k1, k2, p1, p2, k3, 0.0, 0.0, 0.0] => [k1, k2, p1, p2, k3],
            [k1, k2, p1, p2, k3, k4, k5, k6] => {
                let k = [k1, k2, p1, p2, k3, k4, k5, k6];
                return Some((Self::Rational(Radtan::rational(k)), k.to_vec()));
            }
            _ => return None,
        };
        let k = [k1, k2, p1, p2, k3];
        Some((Self::Radtan(Radtan::new(k)), k.to_vec()))
    }

    pub fn model(&self) -> CameraModel {
        match self {
            Self::Radtan(_) | Self::Rational(_) => CameraModel::Pinhole,
            Self::Equidistant(_) => CameraModel::Equidistant,
            Self::Omni(_) => CameraModel::Omni,
        }
    }

    /// xi of [`CameraModel::Omni`].
    pub fn xi(&self) -> Option<f64> {
        if let Self::Omni(lens) = self { Some(lens.xi()) } else { None }
    }

    /// Where the ray to a point of the camera frame meets the lens.
    pub fn project(&self, point: [f64; 3]) -> Option<[f64; 2]> {
        let [x, y, z] = point;
        match self {
            Self::Radtan(lens) if z > 0.0 => lens.distort([x / z, y / z]),
            Self::Rational(lens) if z > 0.0 => lens.distort([x / z, y / z]),
            Self::Radtan(_) | Self::Rational(_) => None,
            Self::Equidistant(lens) => lens.project(point),
            Self::Omni(lens) => lens.project(point),
        }
    }

    /// The unit vector whose ray meets the lens at `at`.
    pub fn unproject(&self, at: [f64; 2]) -> Option<[f64; 3]> {
        match self {
            Self::Radtan(lens) => lens.undistort(at).map(unit),
            Self::Rational(lens) => lens.undistort(at).map(unit),
            Self::Equidistant(lens) => lens.unproject(at),
            Self::Omni(lens) => lens.unproject(at),
        }
    }

    /// Where the ray that meets the lens at `at` meets the plane z = 1.
    pub fn normalise(&self, at: [f64; 2]) -> Option<[f64; 2]> {
        match self {
            Self::Radtan(lens) => lens.undistort(at),
            Self::Rational(lens) => lens.undistort(at),
            Self::Equidistant(_) | Self::Omni(_) => {
                let [x, y, z] = self.unproject(at)?;
                (z > 0.0).then_some([x / z, y / z])
            }
        }
    }
}

fn unit([x, y]: [f64; 2]) -> [f64; 3] {
    let norm = (x * x + y * y + 1.0).sqrt();
    [x / norm, y / norm, 1.0 / norm]
}
