//! C0: the image pyramid and the coordinates that tie its levels together.

use crate::image::GrayImage;

/// Pixels at each side of a level that hold no centre: the ring (3) and one neighbour for suppression.
pub const BORDER: usize = 4;

/// Position of pixel `x` of `level` in half level-0 pixels: X = (2x + 1) * 2^level - 1.
///
/// A coarser pixel is the mean of 2 x 2, so that its centre lies half a pixel off `x * 2^level`; in half pixels it is
/// an integer.
pub fn half_pixels(x: usize, level: usize) -> i32 {
    ((2 * x + 1) << level) as i32 - 1
}

/// The coarser levels of an image, which is itself level 0.
#[derive(Clone, Debug, Default)]
pub struct Pyramid {
    /// Levels 1, 2, ...
    pub coarser: Vec<GrayImage>,
}

impl Pyramid {
    /// Builds `levels - 1` coarser levels of `image`.
    pub fn build(&mut self, image: &GrayImage, levels: usize) {
        self.coarser.resize_with(levels.saturating_sub(1), GrayImage::default);
        let mut finer = image;
        for level in &mut self.coarser {
            halve(finer, level);
            finer = level;
        }
    }

    /// All levels, finest first.
    pub fn levels<'a>(&'a self, image: &'a GrayImage) -> impl Iterator<Item = &'a GrayImage> {
        std::iter::once(image).chain(&self.coarser)
    }
}

/// Half the size, rounded down; each pixel is the mean of 2 x 2, rounded half up.
pub fn halve(image: &GrayImage, half: &mut GrayImage) {
    let (width, height) = (image.width() / 2, image.height() / 2);
    half.resize(width, height);
    for (y, out) in half.pixels_mut().chunks_exact_mut(width.max(1)).enumerate() {
        let upper = image.row(2 * y).chunks_exact(2);
        let lower = image.row(2 * y + 1).chunks_exact(2);
        for (out, (upper, lower)) in out.iter_mut().zip(upper.zip(lower)) {
            let sum = u16::from(upper[0]) + u16::from(upper[1]) + u16::from(lower[0]) + u16::from(lower[1]);
            *out = ((sum + 2) >> 2) as u8;
        }
    }
}
