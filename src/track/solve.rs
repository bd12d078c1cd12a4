//! The normal equations of one level. Sums are integers, and become f64 at the end.
//!
//! Lucas, B., Kanade, T. "An Iterative Image Registration Technique", IJCAI 1981, with the template's gradients (Baker,
//! S., Matthews, I. "Lucas-Kanade 20 Years On", IJCV 2004). With free light J is brought to the mean and the contrast
//! of I before each step: unlike a gain that is solved for, the ratio of contrasts holds however far off J is.

use super::bilinear::Weights;
use super::moments::{GradientSums, Moments, WindowSums};
use super::window::{PairSums, TemplateSums};

/// Bounds of the factor on the contrast of J.
const LEAST_FACTOR: f32 = 0.125;
const GREATEST_FACTOR: f32 = 8.0;
/// From 2^-14 grey level to the 1/32 of the gradients.
const WINDOW_SCALE: f64 = 1.0 / 512.0;
/// Least part of the template's determinant for Newton's step.
const LEAST_SLOPE: f32 = 0.125;
/// Of sums of squares: intensities of the residual are in 1/32 grey level.
const SQUARE_SCALE: f64 = 1024.0;
/// What OpenCV divides the gradient matrix by.
const EIGENVALUE_SCALE: f64 = 1_048_576.0;

/// What a template brings to every step of its level.
#[derive(Clone, Copy, Debug)]
pub struct System {
    sums: TemplateSums,
    illumination: bool,
    /// Products of the gradients with themselves and with I, and of I with itself.
    xx: f64,
    xy: f64,
    yy: f64,
    own: Products,
    determinant: f64,
    inverse_determinant: f64,
}

/// Products of a window F with the gradients, and with free light with itself.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Products {
    xf: f64,
    yf: f64,
    ff: f64,
}

/// What a window J says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Where to go from here, px of the level, if J changed as the template does.
    pub motion: [f32; 2],
    /// Where to go by how J changes itself, if that has a solution.
    pub newton: Option<[f32; 2]>,
    /// By which J is multiplied.
    pub factor: f64,
}

impl System {
    /// Of the sums over an area: those of the gradients, and those with the template's own window.
    pub fn new(sums: TemplateSums, own: &WindowSums, illumination: bool) -> Self {
        let product = |ab: i64, a: i64, b: i64| product(sums.n, illumination, ab, a, b) as f64;
        let xx = product(sums.xx, sums.x, sums.x);
        let xy = product(sums.xy, sums.x, sums.y);
        let yy = product(sums.yy, sums.y, sums.y);
        let determinant = xx * yy - xy * xy;
        let inverse_determinant = if determinant > 0.0 { 1.0 / determinant } else { 0.0 };
        let own = Products::new(&sums, own, illumination);
        Self { sums, illumination, xx, xy, yy, own, determinant, inverse_determinant }
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

    /// The step that the window J at a place within a pixel asks for; the system is solvable.
    pub fn step(&self, window: &Moments, place: &Weights) -> Step {
        let j = Products::new(&self.sums, &window.at(place), self.illumination);
        let factor = if self.illumination { contrast_ratio(self.own.ff as f32, j.ff as f32) } else { 1.0 };
        let factor = f64::from(factor);
        let (bx, by) = (j.xf * factor - self.own.xf, j.yf * factor - self.own.yf);
        let motion = [self.xy * by - self.yy * bx, self.xy * bx - self.xx * by];
        let motion = motion.map(|c| (c * self.inverse_determinant) as f32);
        let slopes = window.slopes(place).map(|sums| with_gradients(&self.sums, &sums, self.illumination));
        let [[xx, yx], [xy, yy]] = slopes.map(|along| along.map(|c| (c * factor) as f32));
        let (bx, by) = (bx as f32, by as f32);
        let determinant = xx * yy - xy * yx;
        let inverse = 1.0 / determinant;
        let newton = [(xy * by - yy * bx) * inverse, (yx * bx - xx * by) * inverse];
        let steep = LEAST_SLOPE * self.determinant as f32 <= determinant;
        Step { motion, newton: steep.then_some(newton), factor }
    }

    /// Root mean square of factor * J - I, about the means with free light; grey levels. Of the same area.
    pub fn residual(&self, sums: &PairSums, factor: f64) -> f32 {
        let product = |ab: i64, a: i64, b: i64| product(self.sums.n, self.illumination, ab, a, b) as f64;
        let ii = product(sums.ii, sums.i, sums.i);
        let ij = product(sums.ij, sums.i, sums.j);
        let jj = product(sums.jj, sums.j, sums.j);
        let squares = (factor * factor * jj - 2.0 * factor * ij) + ii;
        let squares = if squares < 0.0 { 0.0 } else { squares };
        (squares / (self.weight() * SQUARE_SCALE)).sqrt() as f32
    }
}

impl Products {
    fn new(sums: &TemplateSums, window: &WindowSums, illumination: bool) -> Self {
        let [xf, yf] = with_gradients(sums, &window.gradients, illumination);
        let f = window.gradients.f.unsigned_abs();
        let ff = if illumination { sums.n as u64 * window.ff - f * f } else { 0 };
        Self { xf, yf, ff: ff as f64 }
    }
}

/// Products of a window F with the gradients.
fn with_gradients(sums: &TemplateSums, window: &GradientSums, illumination: bool) -> [f64; 2] {
    let product = |ab: i64, a: i64| product(sums.n, illumination, ab, a, window.f) as f64 * WINDOW_SCALE;
    [product(window.xf, sums.x), product(window.yf, sums.y)]
}

/// Contrast of I over that of J, from their squares.
fn contrast_ratio(ii: f32, jj: f32) -> f32 {
    let ratio = if 0.0 < jj { (ii / jj).sqrt() } else { GREATEST_FACTOR };
    let ratio = if ratio < LEAST_FACTOR { LEAST_FACTOR } else { ratio };
    if GREATEST_FACTOR < ratio { GREATEST_FACTOR } else { ratio }
}

/// Sum of a b; about the means, n times that of (a - mean a) (b - mean b). Below 2^55.
fn product(n: i64, about_means: bool, ab: i64, a: i64, b: i64) -> i64 {
    if about_means { n * ab - a * b } else { ab }
}
