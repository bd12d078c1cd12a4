//! C5: response and non-max suppression within a level.

use super::Corner;
use super::fast9::RADIUS;
use super::pyramid::{BORDER, half_pixels};
use crate::image::GrayImage;

/// Response S of every pixel of a level, row-major. Smoothing makes the peak of a corner's V, often a plateau, one
/// point and its shape a parabola.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponseMap {
    width: usize,
    values: Vec<u16>,
    /// One row of vertical sums.
    columns: Vec<u16>,
}

impl ResponseMap {
    /// S = (1 2 1) x (1 2 1) of V. Kept on 3 ..= w - 4 and 3 ..= h - 4, where suppression reads it; 0 elsewhere.
    pub fn smooth(&mut self, strength: &GrayImage) {
        let (width, height) = (strength.width(), strength.height());
        self.width = width;
        self.values.resize(width * height, 0);
        for (y, out) in self.values.chunks_exact_mut(width.max(1)).enumerate() {
            out.fill(0);
            if width <= 2 * RADIUS || y < RADIUS || y + RADIUS >= height {
                continue;
            }
            let rows = strength.row(y - 1).iter().zip(strength.row(y)).zip(strength.row(y + 1));
            self.columns.clear();
            self.columns.extend(rows.map(|((&a, &b), &c)| u16::from(a) + 2 * u16::from(b) + u16::from(c)));
            let around = self.columns[RADIUS - 1..].windows(3);
            for (out, c) in out[RADIUS..width - RADIUS].iter_mut().zip(around) {
                *out = c[0] + 2 * c[1] + c[2];
            }
        }
    }

    /// All values, row-major.
    pub fn values(&self) -> &[u16] {
        &self.values
    }

    /// Row `y`.
    pub fn row(&self, y: usize) -> &[u16] {
        &self.values[y * self.width..][..self.width]
    }

    /// S at (x, y); the caller keeps inside the level.
    pub fn at(&self, x: usize, y: usize) -> u16 {
        self.values[y * self.width + x]
    }
}

/// Appends the candidates whose (S, -y, -x) is lexicographically greater than at all eight neighbours, row by row.
pub fn suppress(strength: &GrayImage, response: &ResponseMap, level: usize, corners: &mut Vec<Corner>) {
    let (width, height) = (strength.width(), strength.height());
    if width <= 2 * BORDER || height <= 2 * BORDER {
        return;
    }
    let centres = BORDER - 1..width - BORDER + 1;
    for y in BORDER..height - BORDER {
        let [above, here, below] = [y - 1, y, y + 1].map(|y| response.row(y)[centres.clone()].windows(3));
        let strengths = &strength.row(y)[BORDER..];
        for (i, (((a, h), b), &v)) in above.zip(here).zip(below).zip(strengths).enumerate() {
            if v == 0 {
                continue;
            }
            let s = h[1];
            let beats_before = s > a[0] && s > a[1] && s > a[2] && s > h[0];
            let beats_after = s >= h[2] && s >= b[0] && s >= b[1] && s >= b[2];
            if beats_before && beats_after {
                corners.push(Corner {
                    half_x: half_pixels(BORDER + i, level),
                    half_y: half_pixels(y, level),
                    level: level as u8,
                    strength: v,
                    score: u32::from(s),
                });
            }
        }
    }
}
