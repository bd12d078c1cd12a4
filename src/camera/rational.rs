//! The radial part of OpenCV's rational model: s (1 + k1 s^2 + k2 s^4 + k3 s^6) / (1 + k4 s^2 + k5 s^4 + k6 s^6).

use super::polynomial::{sign_changes, tail};
use super::radial::Radial;

/// The ratio on [0, limit), where its denominator is positive and it increases.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OddRatio {
    /// k1, k2, k3.
    above: [f64; 3],
    /// k4, k5, k6.
    below: [f64; 3],
    limit: f64,
}

impl OddRatio {
    /// Limits the ratio to where it is finite and increases, at most to [0, `farthest`).
    pub fn new(above: [f64; 3], below: [f64; 3], farthest: f64) -> Self {
        let coefficients = |k: [f64; 3]| [1.0, k[0], k[1], k[2]];
        let (n, d) = (coefficients(above), coefficients(below));
        // With n and d as polynomials in u = s^2, the derivative of s n / d in s is
        // ((n + 2 u n') d - 2 u n d') / d^2: coefficient i of n and j of d meet in (2 i + 1 - 2 j) u^(i + j).
        let mut derivative = [0.0; 7];
        for (i, n) in n.iter().enumerate() {
            for (j, d) in d.iter().enumerate() {
                derivative[i + j] += (2.0 * i as f64 + 1.0 - 2.0 * j as f64) * n * d;
            }
        }
        let end = farthest * farthest;
        let first = |c: &[f64]| sign_changes(c, end).first().copied();
        let limit = first(&derivative).into_iter().chain(first(&d)).fold(end, f64::min).sqrt();
        Self { above, below, limit }
    }
}

impl Radial for OddRatio {
    fn limit(&self) -> f64 {
        self.limit
    }

    fn stretch(&self, u: f64) -> (f64, f64) {
        let ((n, n_slope), (d, d_slope)) = (tail(&self.above, u), tail(&self.below, u));
        let below = 1.0 + u * d;
        let stretch = (1.0 + u * n) / below;
        (stretch, (n + u * n_slope - stretch * (d + u * d_slope)) / below)
    }
}
