//! The odd polynomial s (1 + k1 s^2 + k2 s^4 + ...) by which a lens stretches radii.

use super::radial::Radial;

/// s (1 + k1 s^2 + ... + kN s^2N) on [0, limit), where it increases.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OddPolynomial<const N: usize> {
    k: [f64; N],
    limit: f64,
}

impl<const N: usize> OddPolynomial<N> {
    /// Limits the polynomial to where it increases, at most to [0, `farthest`).
    pub fn new(k: [f64; N], farthest: f64) -> Self {
        // Its derivative in u = s^2: 1 + 3 k1 u + 5 k2 u^2 + ...
        let derivative: Vec<f64> =
            std::iter::once(1.0).chain(k.iter().zip(1..).map(|(k, i)| k * f64::from(2 * i + 1))).collect();
        let turn = sign_changes(&derivative, farthest * farthest).first().map(|u| u.sqrt());
        Self { k, limit: turn.unwrap_or(farthest) }
    }
}

impl<const N: usize> Radial for OddPolynomial<N> {
    fn limit(&self) -> f64 {
        self.limit
    }

    fn stretch(&self, u: f64) -> (f64, f64) {
        let (value, slope) = tail(&self.k, u);
        (1.0 + u * value, value + u * slope)
    }
}

/// k1 + k2 u + ... and its derivative.
pub(super) fn tail(k: &[f64], u: f64) -> (f64, f64) {
    k.iter().rev().fold((0.0, 0.0), |(v, d), k| (v * u + k, d * u + v))
}

/// Where the polynomial c0 + c1 u + c2 u^2 + ... changes sign in (0, end), ascending: between the turning points,
/// which are the sign changes of its derivative, it is monotonic and bisection is certain.
pub(super) fn sign_changes(c: &[f64], end: f64) -> Vec<f64> {
    if c.len() < 2 {
        return Vec::new();
    }
    let derivative: Vec<f64> = c.iter().zip(0..).skip(1).map(|(c, i)| c * f64::from(i)).collect();
    let value = |u: f64| c.iter().rev().fold(0.0, |sum, c| sum * u + c);
    let mut bounds = vec![0.0];
    bounds.extend(sign_changes(&derivative, end));
    bounds.push(end);
    bounds
        .windows(2)
        .filter_map(|pair| match pair {
            &[low, high] if (value(low) > 0.0) != (value(high) > 0.0) => Some(bisect(value, low, high)),
            _ => None,
        })
        .collect()
}

/// The last u of [low, high] at which `value` still has the sign that it has at `low`.
fn bisect(value: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let positive = value(low) > 0.0;
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return low;
        }
        if (value(middle) > 0.0) == positive { low = middle } else { high = middle }
    }
}
