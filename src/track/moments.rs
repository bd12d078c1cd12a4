//! Sums over a window between the pixels, for every place within a pixel at once.
//!
//! A pixel of the window is a weighted sum of four pixels of the image, so a sum over the window is that of four sums over
//! the image, with the same weights: as long as a search stays within a pixel a step costs no look at the image.

use super::bilinear::{Point, Weights};
use super::patch::Patch;
use super::window::{Area, SIDE, Template, dot};
use crate::image::GrayImage;

/// The four pixels about a place, in the order of the weights; pairs of them, each once.
const PAIRS: [(usize, usize); 10] = [(0, 0), (0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)];

/// Sums of the template's gradients with a window F, and of F. F is in 2^-14 grey level and exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GradientSums {
    pub xf: i64,
    pub yf: i64,
    /// With free light only.
    pub f: i64,
}

/// All that is summed over a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowSums {
    pub gradients: GradientSums,
    /// Of F squared; with free light only.
    pub ff: u64,
}

/// The same for each of the four pixels about every place of a window.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moments {
    x: [i64; 4],
    y: [i64; 4],
    f: [i64; 4],
    ff: [i64; PAIRS.len()],
}

impl Moments {
    /// Of the window about a pixel of another image; `f` and `ff` only where light is free.
    pub fn about(template: &Template, image: &GrayImage, point: &Point, area: &Area, free_light: bool) -> Self {
        let patch: Patch = template.window(image, point);
        Self::sum(template, |row| patch.row(row), area, free_light)
    }

    /// Of the template's own window.
    pub fn own(template: &Template, area: &Area, free_light: bool) -> Self {
        Self::sum(template, |row| template.row_of_pixels(row), area, free_light)
    }

    fn sum<'a>(template: &Template, pixels: impl Fn(usize) -> &'a [u8], area: &Area, free_light: bool) -> Self {
        let mut sums = Self::default();
        let mut upper = widened(pixels(area.rows().start));
        for row in area.rows() {
            let lower = widened(pixels(row + 1));
            let four = [&upper[..], &upper[1..], &lower[..], &lower[1..]].map(|row| area.of(row));
            let [x, y] = template.gradients(row).map(|row| area.of(row));
            for (i, pixels) in four.iter().enumerate() {
                sums.x[i] += dot(x, pixels);
                sums.y[i] += dot(y, pixels);
            }
            if free_light {
                for (i, pixels) in four.iter().enumerate() {
                    sums.f[i] += pixels.iter().map(|p| i64::from(*p)).sum::<i64>();
                }
                for (ff, (a, b)) in sums.ff.iter_mut().zip(PAIRS) {
                    *ff += dot(four[a], four[b]);
                }
            }
            upper = lower;
        }
        sums
    }

    /// The sums over the window at a place within the pixel.
    pub fn at(&self, weights: &Weights) -> WindowSums {
        let w = weights.0.map(i64::from);
        let squares = self.ff.iter().zip(PAIRS).map(|(ff, (a, b))| ff * w[a] * w[b] * if a == b { 1 } else { 2 });
        WindowSums {
            gradients: self.weighted(w),
            ff: squares.sum::<i64>().unsigned_abs(), // a sum of squares
        }
    }

    /// How those with the gradients change with the place, along x and along y.
    pub fn slopes(&self, weights: &Weights) -> [GradientSums; 2] {
        let [here, right, below, both] = weights.0.map(i64::from);
        let (upper, lower, left, right) = (here + right, below + both, here + below, right + both);
        [self.weighted([-upper, upper, -lower, lower]), self.weighted([-left, -right, left, right])]
    }

    fn weighted(&self, weights: [i64; 4]) -> GradientSums {
        let sum = |sums: &[i64; 4]| sums.iter().zip(weights).map(|(sum, weight)| sum * weight).sum();
        GradientSums { xf: sum(&self.x), yf: sum(&self.y), f: sum(&self.f) }
    }
}

/// A row of pixels, one more than the window has.
fn widened(pixels: &[u8]) -> [i16; SIDE + 1] {
    let mut row = [0; SIDE + 1];
    for (wide, pixel) in row.iter_mut().zip(pixels) {
        *wide = i16::from(*pixel);
    }
    row
}
