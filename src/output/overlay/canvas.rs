//! Circles and lines in whole pixels.

use super::PixelOrder;
use crate::image::GrayImage;
use crate::mask::Mask;

/// A colour picture, three bytes a pixel, rows tight.
pub(super) struct Canvas<'a> {
    width: i32,
    height: i32,
    pixels: &'a mut [u8],
}

impl<'a> Canvas<'a> {
    /// `image` in grey, in the bytes of `pixels`.
    pub(super) fn over(image: &GrayImage, pixels: &'a mut Vec<u8>) -> Self {
        pixels.clear();
        pixels.reserve(image.pixels().len() * 3);
        pixels.extend(image.pixels().iter().flat_map(|&v| [v; 3]));
        Self { width: image.width() as i32, height: image.height() as i32, pixels }
    }

    /// Half as bright and reddish where `mask`, of the picture's size, excludes features.
    pub(super) fn shade(&mut self, mask: &Mask, order: PixelOrder) {
        let red = if order == PixelOrder::Bgr { 2 } else { 0 };
        for (pixel, _) in self.pixels.chunks_exact_mut(3).zip(mask.bytes()).filter(|(_, allowed)| **allowed == 0) {
            pixel.iter_mut().for_each(|channel| *channel /= 2);
            if let Some(channel) = pixel.get_mut(red) {
                *channel += 64;
            }
        }
    }

    /// The midpoint circle algorithm; what lies outside the image is left out.
    pub(super) fn circle(&mut self, centre: [f32; 2], radius: i32, colour: [u8; 3]) {
        let [cx, cy] = whole(centre);
        let (mut x, mut y, mut error) = (radius, 0, 1 - radius);
        while x >= y {
            for (dx, dy) in [(x, y), (y, x), (-y, x), (-x, y), (-x, -y), (-y, -x), (y, -x), (x, -y)] {
                self.set(cx + dx, cy + dy, colour);
            }
            y += 1;
            if error >= 0 {
                x -= 1;
                error -= 2 * x;
            }
            error += 2 * y + 1;
        }
    }

    /// Bresenham's line, both ends included; what lies outside the image is left out.
    pub(super) fn line(&mut self, from: [f32; 2], to: [f32; 2], colour: [u8; 3]) {
        let ([mut x, mut y], [end_x, end_y]) = (whole(from), whole(to));
        let (width, height) = ((end_x - x).abs(), (end_y - y).abs());
        let (right, down) = ((end_x - x).signum(), (end_y - y).signum());
        let mut error = width - height;
        for _ in 0..=width.max(height) {
            self.set(x, y, colour);
            let twice = 2 * error;
            if twice > -height {
                error -= height;
                x += right;
            }
            if twice < width {
                error += width;
                y += down;
            }
        }
    }

    fn set(&mut self, x: i32, y: i32, colour: [u8; 3]) {
        if (0..self.width).contains(&x) && (0..self.height).contains(&y) {
            let at = (y as usize * self.width as usize + x as usize) * 3;
            if let Some(pixel) = self.pixels.get_mut(at..at + 3) {
                pixel.copy_from_slice(&colour);
            }
        }
    }
}

/// The pixel of a position. Clamped: a line is short and the conversion defined, whatever a caller puts into a point.
fn whole(position: [f32; 2]) -> [i32; 2] {
    position.map(|c| c.round().clamp(-1e5, 1e5) as i32)
}
