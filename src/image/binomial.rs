//! The 3 x 3 binomial filter: grey from a Bayer mosaic, and `prefilter: binomial3`.

use super::GrayImage;

impl GrayImage {
    /// Writes the image smoothed by (1 2 1) x (1 2 1), (sum + 8) >> 4, into `smoothed`, which takes its size. Beyond
    /// the border lies the pixel mirrored about the edge pixel.
    pub fn binomial3(&self, smoothed: &mut GrayImage) {
        smoothed.resize(self.width, self.height);
        smooth(|y| self.row(y), smoothed);
    }
}

/// Smooths the rows `row(y)`, as wide as `out`, into `out`.
pub(super) fn smooth<'a>(row: impl Fn(usize) -> &'a [u8], out: &mut GrayImage) {
    let (width, height) = (out.width(), out.height());
    for (y, out) in out.pixels_mut().chunks_exact_mut(width.max(1)).enumerate() {
        let rows = [mirror(y, -1, height), y, mirror(y, 1, height)].map(|y| &row(y)[..width]);
        if let [_, inner @ .., _] = out {
            smooth_inner(rows, inner);
        }
        let column = |x: usize| column(rows.map(|row| row[x]));
        for x in [0, width - 1] {
            let sum = column(mirror(x, -1, width)) + 2 * column(x) + column(mirror(x, 1, width));
            out[x] = ((sum + 8) >> 4) as u8;
        }
    }
}

/// All pixels of a row but the first and the last. By itself it compiles to vector instructions.
fn smooth_inner(rows: [&[u8]; 3], out: &mut [u8]) {
    let shifted = |dx: usize| rows.map(|row| &row[dx..][..out.len()]);
    let [left, here, right] = [shifted(0), shifted(1), shifted(2)];
    for (i, out) in out.iter_mut().enumerate() {
        let [left, here, right] = [left, here, right].map(|rows| column(rows.map(|row| row[i])));
        *out = ((left + 2 * here + right + 8) >> 4) as u8;
    }
}

fn column([above, here, below]: [u8; 3]) -> u16 {
    u16::from(above) + 2 * u16::from(here) + u16::from(below)
}

/// The neighbour of `i` on side `by`, mirrored about the edge pixel, so that the phase of a Bayer mosaic is kept. An
/// only pixel is its own neighbour.
fn mirror(i: usize, by: isize, len: usize) -> usize {
    match i.checked_add_signed(by) {
        Some(j) if j < len => j,
        _ => i.wrapping_add_signed(-by).min(len - 1),
    }
}
