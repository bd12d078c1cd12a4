//! Any encoding to grey, in integers: the one copy that a frame's pixels make on the CPU.

use super::{Encoding, GrayImage, ImageView, binomial};

impl ImageView<'_> {
    /// Writes the image as grey into `gray`, which takes its size.
    ///
    /// * `mono16`: the high byte, so that 257 v gives v.
    /// * colour: Y = (4899 R + 9617 G + 1868 B + 2^13) >> 14, ITU-R BT.601 as OpenCV weighs it.
    /// * Bayer: 3 x 3 binomial (1 2 1) x (1 2 1), (sum + 8) >> 4, border mirrored about the edge pixel. Whatever the
    ///   phase of the pattern, it weighs red, green and blue 1 : 2 : 1 at every pixel.
    /// * YUV 4:2:2: the luma bytes.
    pub fn to_gray(&self, gray: &mut GrayImage) {
        let (width, height) = (self.width as usize, self.height as usize);
        gray.resize(width, height);
        if self.encoding == Encoding::Bayer8 {
            return binomial::smooth(|y| self.row(y), gray);
        }
        for (y, out) in gray.pixels_mut().chunks_exact_mut(width).enumerate() {
            let row = self.row(y);
            match self.encoding {
                Encoding::Mono8 | Encoding::Bayer8 => out.copy_from_slice(row),
                Encoding::Mono16 => pick(out, row, 2, usize::from(!self.big_endian)),
                Encoding::Uyvy => pick(out, row, 2, 1),
                Encoding::Yuyv => pick(out, row, 2, 0),
                Encoding::Rgb8 => weigh(out, row, 3, [0, 1, 2]),
                Encoding::Bgr8 => weigh(out, row, 3, [2, 1, 0]),
                Encoding::Rgba8 => weigh(out, row, 4, [0, 1, 2]),
                Encoding::Bgra8 => weigh(out, row, 4, [2, 1, 0]),
            }
        }
    }
}

/// Byte `offset` of every pixel.
fn pick(out: &mut [u8], row: &[u8], bytes_per_pixel: usize, offset: usize) {
    for (out, pixel) in out.iter_mut().zip(row.chunks_exact(bytes_per_pixel)) {
        *out = pixel[offset];
    }
}

/// Luma of every pixel; `rgb` are the offsets of red, green and blue.
fn weigh(out: &mut [u8], row: &[u8], bytes_per_pixel: usize, rgb: [usize; 3]) {
    for (out, pixel) in out.iter_mut().zip(row.chunks_exact(bytes_per_pixel)) {
        *out = luma(rgb.map(|i| pixel[i]));
    }
}

/// Y of one pixel's red, green and blue, as [`ImageView::to_gray`] states it.
pub(super) fn luma(rgb: [u8; 3]) -> u8 {
    let [r, g, b] = rgb.map(u32::from);
    ((4899 * r + 9617 * g + 1868 * b + (1 << 13)) >> 14) as u8
}
