//! Where features are excluded: borders, a mask file, a mask received at run time, combined into one [`Mask`].

mod sources;

use std::ops::Range;

pub use sources::{MaskError, Masks};

/// One byte a level-0 pixel, row-major; 0 excludes features there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask {
    width: usize,
    height: usize,
    allowed: Vec<u8>,
}

impl Mask {
    /// A mask that excludes nothing.
    pub fn all(width: usize, height: usize) -> Self {
        Self { width, height, allowed: vec![255; width * height] }
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn height(&self) -> usize {
        self.height
    }

    /// One byte a pixel, row-major; 0 excludes features there.
    pub fn bytes(&self) -> &[u8] {
        &self.allowed
    }

    /// Whether features are allowed at level-0 pixel (x, y); outside the mask they are not.
    pub fn allows(&self, x: usize, y: usize) -> bool {
        x < self.width && self.allowed.get(y * self.width + x).is_some_and(|&v| v != 0)
    }

    /// Excludes pixel (x, y).
    pub fn exclude(&mut self, x: usize, y: usize) {
        if x < self.width
            && let Some(pixel) = self.allowed.get_mut(y * self.width + x)
        {
            *pixel = 0;
        }
    }

    /// Excludes the pixels of these columns and rows; those outside the mask do not matter.
    pub fn exclude_rectangle(&mut self, columns: Range<usize>, rows: Range<usize>) {
        let (start, end) = (columns.start.min(self.width), columns.end.min(self.width));
        for row in self.allowed.chunks_exact_mut(self.width.max(1)).take(rows.end).skip(rows.start) {
            if let Some(pixels) = row.get_mut(start..end) {
                pixels.fill(0);
            }
        }
    }

    /// Excludes every pixel for which `excluded(x, y)` holds.
    pub fn exclude_where(&mut self, mut excluded: impl FnMut(usize, usize) -> bool) {
        for (i, pixel) in self.allowed.iter_mut().enumerate() {
            if excluded(i % self.width, i / self.width) {
                *pixel = 0;
            }
        }
    }

    /// Whether no pixel is left.
    pub fn excludes_everything(&self) -> bool {
        self.allowed.iter().all(|&v| v == 0)
    }
}
