//! The odd polynomial s (1 + k1 s^2 + k2 s^4 + ...) by which a lens stretches radii, and its inverse.

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

    /// End of the interval on which the polynomial is used.
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// The stretch 1 + k1 u + ... + kN u^N, the polynomial over s at u = s^2, and its derivative in u.
    pub fn stretch(&self, u: f64) -> (f64, f64) {
        let (value, slope) = self.k.iter().rev().fold((0.0, 0.0), |(v, d), k| (v * u + k, d * u + v));
        (1.0 + u * value, value + u * slope)
    }

    /// The s in [0, limit) at which the polynomial is `value` >= 0. Newton's method, kept inside a shrinking bracket.
    pub fn invert(&self, value: f64) -> Option<f64> {
        let at = |s: f64| s * self.stretch(s * s).0 - value;
        let (mut low, mut high) = (0.0, self.limit);
        if value.is_nan() || value < 0.0 || at(high) <= 0.0 {
            return None;
        }
        let mut s = if value < high { value } else { 0.5 * high };
        // Bisection alone would need 60 steps; Newton leaves the bracket or stalls only near the turning point.
        for _ in 0..100 {
            let error = at(s);
            if error > 0.0 {
                high = s
            } else {
                low = s
            }
            let (stretch, slope) = self.stretch(s * s);
            let newton = s - error / (stretch + 2.0 * s * s * slope);
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if (next - s).abs() <= 1e-15 * (1.0 + s) {
                return Some(next);
            }
            s = next;
        }
        Some(s)
    }
}

/// Where the polynomial c0 + c1 u + c2 u^2 + ... changes sign in (0, end), ascending: between the turning points,
/// which are the sign changes of its derivative, it is monotonic and bisection is certain.
fn sign_changes(c: &[f64], end: f64) -> Vec<f64> {
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
