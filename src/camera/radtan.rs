//! Radial-tangential distortion of a pinhole camera (Brown 1966; Conrady 1919), as OpenCV and EuRoC write it.
//!
//! With (x, y) on the plane z = 1 and r^2 = x^2 + y^2,
//!
//! ```text
//! x' = x (1 + k1 r^2 + k2 r^4 + k3 r^6) + 2 p1 x y + p2 (r^2 + 2 x^2)
//! y' = y (1 + k1 r^2 + k2 r^4 + k3 r^6) + p1 (r^2 + 2 y^2) + 2 p2 x y
//! ```
//!
//! OpenCV's rational model divides the radial factor by 1 + k4 r^2 + k5 r^4 + k6 r^6.
//!
//! A barrel distortion folds back beyond some radius. The model is used up to there: where the radial part increases
//! and the determinant of the Jacobian is positive.

use super::polynomial::OddPolynomial;
use super::radial::Radial;
use super::rational::OddRatio;

/// Greatest radius on the plane z = 1: 89.9 degrees.
const FARTHEST: f64 = 1e3;

/// The distortion with a radial part of its own kind: a polynomial, or a ratio of two.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Radtan<R> {
    radial: R,
    /// p1, p2.
    tangential: [f64; 2],
}

/// A point's image and the Jacobian there: d x'/dx, d x'/dy = d y'/dx, d y'/dy.
struct Distorted {
    point: [f64; 2],
    jacobian: [f64; 3],
}

impl Radtan<OddPolynomial<3>> {
    pub fn new([k1, k2, p1, p2, k3]: [f64; 5]) -> Self {
        Self { radial: OddPolynomial::new([k1, k2, k3], FARTHEST), tangential: [p1, p2] }
    }
}

impl Radtan<OddRatio> {
    /// OpenCV's rational model.
    pub fn rational([k1, k2, p1, p2, k3, k4, k5, k6]: [f64; 8]) -> Self {
        Self { radial: OddRatio::new([k1, k2, k3], [k4, k5, k6], FARTHEST), tangential: [p1, p2] }
    }
}

impl<R: Radial> Radtan<R> {
    /// The image of a point of the plane z = 1; `None` where the model folds back.
    pub fn distort(&self, at: [f64; 2]) -> Option<[f64; 2]> {
        let distorted = self.evaluate(at);
        self.one_to_one(at, &distorted).then_some(distorted.point)
    }

    /// The point of the plane z = 1 whose image is `wanted`; `None` where the lens has no such point.
    pub fn undistort(&self, wanted: [f64; 2]) -> Option<[f64; 2]> {
        self.newton(wanted, wanted).or_else(|| {
            // Strong distortion near the fold: start from the exact inverse of the radial part.
            let radius = (wanted[0] * wanted[0] + wanted[1] * wanted[1]).sqrt();
            let scale = self.radial.invert(radius)? / radius;
            self.newton(wanted, wanted.map(|w| w * scale))
        })
    }

    /// Newton's method in two dimensions. `None` unless it converges to a point where the model is one-to-one.
    fn newton(&self, wanted: [f64; 2], start: [f64; 2]) -> Option<[f64; 2]> {
        let [mut x, mut y] = start;
        let tolerance = 1e-13 * (1.0 + wanted[0].abs() + wanted[1].abs());
        for _ in 0..30 {
            let distorted = self.evaluate([x, y]);
            let (ex, ey) = (distorted.point[0] - wanted[0], distorted.point[1] - wanted[1]);
            if ex.abs() + ey.abs() <= tolerance {
                return self.one_to_one([x, y], &distorted).then_some([x, y]);
            }
            let [a, b, c] = distorted.jacobian;
            let det = a * c - b * b;
            x -= (c * ex - b * ey) / det;
            y -= (a * ey - b * ex) / det;
        }
        None
    }

    fn evaluate(&self, [x, y]: [f64; 2]) -> Distorted {
        let [p1, p2] = self.tangential;
        let (xx, xy, yy) = (x * x, x * y, y * y);
        let r2 = xx + yy;
        let (stretch, slope) = self.radial.stretch(r2);
        let slope = 2.0 * slope;
        Distorted {
            point: [
                x * stretch + 2.0 * p1 * xy + p2 * (r2 + 2.0 * xx),
                y * stretch + p1 * (r2 + 2.0 * yy) + 2.0 * p2 * xy,
            ],
            jacobian: [
                stretch + slope * xx + 2.0 * p1 * y + 6.0 * p2 * x,
                slope * xy + 2.0 * p1 * x + 2.0 * p2 * y,
                stretch + slope * yy + 6.0 * p1 * y + 2.0 * p2 * x,
            ],
        }
    }

    fn one_to_one(&self, [x, y]: [f64; 2], distorted: &Distorted) -> bool {
        let [a, b, c] = distorted.jacobian;
        let limit = self.radial.limit();
        x * x + y * y < limit * limit && a * c - b * b > 0.0
    }
}
