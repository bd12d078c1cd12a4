//! Radial functions of lenses: s -> s * stretch(s^2), and their inverse.

/// s * stretch(s^2), which increases on [0, limit).
pub(super) trait Radial {
    /// End of the interval on which the function is used.
    fn limit(&self) -> f64;

    /// The stretch at u = s^2 and its derivative in u.
    fn stretch(&self, u: f64) -> (f64, f64);

    /// The s in [0, limit) at which the function is `value` >= 0. Newton's method, kept inside a shrinking bracket.
    fn invert(&self, value: f64) -> Option<f64> {
        let (mut low, mut high) = (0.0, self.limit());
        if value.is_nan() || value < 0.0 || high * self.stretch(high * high).0 <= value {
            return None;
        }
        let mut s = if value < high { value } else { 0.5 * high };
        // Bisection alone would need 60 steps; Newton leaves the bracket or stalls only near the turning point.
        for _ in 0..100 {
            let (stretch, slope) = self.stretch(s * s);
            let error = s * stretch - value;
            if error > 0.0 {
                high = s
            } else {
                low = s
            }
            let newton = s - error / (stretch + 2.0 * s * s * slope);
            let settled = |next: f64| (next - s).abs() <= 1e-15 * (1.0 + s);
            // A step that is only rounding may point out of the bracket, of which s is an end: nothing is left to do.
            if settled(newton) {
                return Some(newton.clamp(low, high));
            }
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if settled(next) {
                return Some(next);
            }
            s = next;
        }
        Some(s)
    }
}
