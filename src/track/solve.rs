//! The normal equations of one level. Every sum is an integer below 2^53, so exact in f64.
//!
//! Lucas, B., Kanade, T. "An Iterative Image Registration Technique", IJCAI 1981, with the template's gradients (Baker,
//! S., Matthews, I. "Lucas-Kanade 20 Years On", IJCV 2004). With free light J is brought to the mean and the contrast
//! of I before each step: unlike a gain that is solved for, the ratio of contrasts holds however far off J is.

use super::window::{PairSums, TemplateSums};

/// Bounds of the factor on the contrast of J.
const LEAST_FACTOR: f32 = 0.125;
const GREATEST_FACTOR: f32 = 8.0;
/// Of sums of squares: intensities are in 1/32 grey level.
const SQUARE_SCALE: f64 = 1024.0;
/// What OpenCV divides the gradient matrix by.
const EIGENVALUE_SCALE: f64 = 1_048_576.0;

/// What a template brings to every step of its level.
#[derive(Clone, Copy, Debug)]
pub struct System {
    sums: TemplateSums,
    illumination: bool,
    /// Products of the gradients with themselves and with I.
    xx: f64,
    xy: f64,
    yy: f64,
    xi: f64,
    yi: f64,
    ii: f64,
    determinant: f64,
    inverse_determinant: f64,
}

/// What a window J says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Where to go from here, px of the level.
    pub motion: [f32; 2],
    /// By which J is multiplied.
    factor: f64,
    /// Products of J with I and itself.
    ij: f64,
    jj: f64,
}

impl System {
    pub fn new(sums: TemplateSums, illumination: bool) -> Self {
        let product = |ab: i64, a: i64, b: i64| product(sums.n, illumination, ab, a, b) as f64;
        let xx = product(sums.xx, sums.x, sums.x);
        let xy = product(sums.xy, sums.x, sums.y);
        let yy = product(sums.yy, sums.y, sums.y);
        let xi = product(sums.xi, sums.x, sums.i);
        let yi = product(sums.yi, sums.y, sums.i);
        let ii = product(sums.ii, sums.i, sums.i);
        let determinant = xx * yy - xy * xy;
        let inverse_determinant = if determinant > 0.0 { 1.0 / determinant } else { 0.0 };
        Self { sums, illumination, xx, xy, yy, xi, yi, ii, determinant, inverse_determinant }
    }

    /// Number of pixels; squared where products are those about the means.
    fn weight(&self) -> f64 {
        let n = self.sums.n.max(1) as f64;
        if self.illumination { n * n } else { n }
    }

    /// Smaller eigenvalue per pixel, in units of 1024 (grey levels / px)^2.
    pub fn min_eigenvalue(&self) -> f32 {
        let difference = self.xx - self.yy;
        let root = (difference * difference + 4.0 * (self.xy * self.xy)).sqrt();
        (((self.xx + self.yy) - root) / (2.0 * self.weight() * EIGENVALUE_SCALE)) as f32
    }

    /// Whether the equations have one solution.
    pub fn is_solvable(&self) -> bool {
        self.determinant > 0.0
    }

    /// The step that the window J asks for; the system is solvable.
    pub fn step(&self, sums: &PairSums) -> Step {
        let product = |ab: i64, a: i64| product(self.sums.n, self.illumination, ab, a, sums.j) as f64;
        let ij = product(sums.ij, self.sums.i);
        let xj = product(sums.xj, self.sums.x);
        let yj = product(sums.yj, self.sums.y);
        let jj = product(sums.jj, sums.j);
        let factor = if self.illumination { contrast_ratio(self.ii as f32, jj as f32) } else { 1.0 };
        let factor = f64::from(factor);
        let (b1, b2) = (xj * factor - self.xi, yj * factor - self.yi);
        let motion = [self.xy * b2 - self.yy * b1, self.xy * b1 - self.xx * b2];
        Step { motion: motion.map(|c| (c * self.inverse_determinant) as f32), factor, ij, jj }
    }

    /// Root mean square of factor * J - I before a step, about the means with free light; grey levels.
    pub fn residual(&self, step: &Step) -> f32 {
        let squares = (step.factor * step.factor * step.jj - 2.0 * step.factor * step.ij) + self.ii;
        let squares = if squares < 0.0 { 0.0 } else { squares };
        (squares / (self.weight() * SQUARE_SCALE)).sqrt() as f32
    }
}

/// Contrast of I over that of J, from their squares.
fn contrast_ratio(ii: f32, jj: f32) -> f32 {
    let ratio = if 0.0 < jj { (ii / jj).sqrt() } else { GREATEST_FACTOR };
    let ratio = if ratio < LEAST_FACTOR { LEAST_FACTOR } else { ratio };
    if GREATEST_FACTOR < ratio { GREATEST_FACTOR } else { ratio }
}

/// Sum of a b; about the means, n times that of (a - mean a) (b - mean b). Below 2^47.
fn product(n: i64, about_means: bool, ab: i64, a: i64, b: i64) -> i64 {
    if about_means { n * ab - a * b } else { ab }
}
