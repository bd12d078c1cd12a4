//! Squares of pixels cut out of an image whose edge is repeated outwards.

use super::GREATEST_WINDOW;
use crate::image::GrayImage;

/// Greatest side of a patch: the window, one more pixel for the interpolation, and one at each side for gradients.
pub const GREATEST_PATCH: usize = GREATEST_WINDOW as usize + 3;

/// A square of pixels.
#[derive(Clone, Debug)]
pub struct Patch {
    side: usize,
    pixels: [u8; GREATEST_PATCH * GREATEST_PATCH],
}

impl Patch {
    /// The `side` x `side` pixels from (left, top) on; those outside the image are the nearest inside it.
    pub fn cut(image: &GrayImage, left: i32, top: i32, side: usize) -> Self {
        let mut patch = Self { side, pixels: [0; GREATEST_PATCH * GREATEST_PATCH] };
        let inside = left >= 0 && left as usize + side <= image.width();
        for (y, out) in patch.pixels.chunks_exact_mut(side).take(side).enumerate() {
            let row = image.row(clamped(top, y, image.height()));
            if inside {
                out.copy_from_slice(&row[left as usize..][..side]);
            } else {
                for (x, out) in out.iter_mut().enumerate() {
                    *out = row[clamped(left, x, row.len())];
                }
            }
        }
        patch
    }

    /// Row `y`.
    pub fn row(&self, y: usize) -> &[u8] {
        &self.pixels[y * self.side..][..self.side]
    }
}

/// `from + offset` as an index below `count`.
fn clamped(from: i32, offset: usize, count: usize) -> usize {
    (from + offset as i32).clamp(0, count as i32 - 1) as usize
}
