//! Where features are excluded: borders, a mask file, a mask received at run time, things that may move, combined into one
//! [`Mask`].

mod objects;
mod sources;

use std::ops::Range;

pub use objects::Objects;
pub use sources::{MaskError, Masks};

/// Pixels by column and row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rectangle {
    pub columns: Range<usize>,
    pub rows: Range<usize>,
}

/// One byte a level-0 pixel, row-major; 0 excludes features there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mask {
    width: usize,
    height: usize,
    allowed: Vec<u8>,
    /// Where things are that may move; excluded as well.
    objects: Vec<Rectangle>,
}

impl Mask {
    /// A mask that excludes nothing.
    pub fn all(width: usize, height: usize) -> Self {
        Self { width, height, allowed: vec![255; width * height], objects: Vec::new() }
    }

    /// Becomes `base`, or a mask of this size that excludes nothing, and excludes objects. Its memory is used again.
    pub fn renew(&mut self, base: Option<&Self>, [width, height]: [usize; 2], objects: &[Rectangle]) {
        (self.width, self.height) = (width, height);
        match base {
            Some(base) => self.allowed.clone_from(&base.allowed),
            None => {
                self.allowed.clear();
                self.allowed.resize(width * height, 255);
            }
        }
        for Rectangle { columns, rows } in objects {
            self.exclude_rectangle(columns.clone(), rows.clone());
        }
        self.objects.clear();
        self.objects.extend_from_slice(objects);
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

    /// Whether something that may move is at (x, y).
    pub fn is_object(&self, x: usize, y: usize) -> bool {
        self.objects.iter().any(|object| object.columns.contains(&x) && object.rows.contains(&y))
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
