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
///
/// `peaks` is a buffer of one row.
pub fn suppress(
    strength: &GrayImage,
    response: &ResponseMap,
    level: usize,
    peaks: &mut Vec<bool>,
    corners: &mut Vec<Corner>,
) {
    let (width, height) = (strength.width(), strength.height());
    if width <= 2 * BORDER {
        return;
    }
    peaks.resize(width - 2 * BORDER, false);
    for y in BORDER..height.saturating_sub(BORDER) {
        let strengths = &strength.row(y)[BORDER..];
        mark_peaks([y - 1, y, y + 1].map(|y| &response.row(y)[BORDER - 1..]), strengths, peaks);
        let marked = peaks.iter().enumerate().filter(|(_, peak)| **peak);
        corners.extend(marked.map(|(i, _)| Corner {
            half_x: half_pixels(BORDER + i, level),
            half_y: half_pixels(y, level),
            level: level as u8,
            strength: strengths[i],
            score: u32::from(response.at(BORDER + i, y)),
        }));
    }
}

/// Marks the peaks of one row; the rows of S begin one pixel before it. No branches, so that it compiles to vector
/// instructions.
fn mark_peaks(rows: [&[u16]; 3], strengths: &[u8], peaks: &mut [bool]) {
    let n = peaks.len();
    let column = |row: usize, dx: usize| &rows[row][dx..][..n];
    let (a0, a1, a2) = (column(0, 0), column(0, 1), column(0, 2));
    let (h0, h1, h2) = (column(1, 0), column(1, 1), column(1, 2));
    let (b0, b1, b2) = (column(2, 0), column(2, 1), column(2, 2));
    let strengths = &strengths[..n];
    for i in 0..n {
        // At equal S the first in reading order prevails.
        let before = a0[i].max(a1[i]).max(a2[i]).max(h0[i]);
        let after = h2[i].max(b0[i]).max(b1[i]).max(b2[i]);
        peaks[i] = (strengths[i] > 0) & (h1[i] > before) & (h1[i] >= after);
    }
}
