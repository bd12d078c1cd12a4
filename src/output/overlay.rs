//! Features drawn over their image.

use crate::frontend::OutputPoint;
use crate::image::GrayImage;
use crate::params::Mode;

/// Byte order of a colour pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PixelOrder {
    Rgb,
    Bgr,
}

/// What a feature's colour follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourBy {
    /// Level and whole-pixel position: a feature that stays keeps its colour.
    Position,
    /// The id: a track keeps its colour.
    Id,
}

impl From<Mode> for ColourBy {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Detect => ColourBy::Position,
            Mode::Track => ColourBy::Id,
        }
    }
}

/// Draws the image in grey and every point as a circle, the size of the FAST ring at the point's level.
///
/// `out` becomes width x height x 3 bytes, rows tight; its allocation is used again. Equal inputs give equal bytes.
pub fn draw(image: &GrayImage, points: &[OutputPoint], by: ColourBy, order: PixelOrder, out: &mut Vec<u8>) {
    out.clear();
    out.reserve(image.pixels().len() * 3);
    out.extend(image.pixels().iter().flat_map(|&v| [v; 3]));
    let mut canvas = Canvas { width: image.width() as i32, height: image.height() as i32, pixels: out };
    for point in points {
        let mut colour = colour(point, by);
        if order == PixelOrder::Bgr {
            colour.reverse();
        }
        // Clamped: the conversion is defined for whatever a caller puts into a point.
        let centre = [point.feature.u, point.feature.v].map(|c| c.round().clamp(-1e6, 1e6) as i32);
        canvas.circle(centre, 3 << point.feature.level.min(8), colour);
    }
}

/// A bright colour, r g b, whose hue is a hash.
fn colour(point: &OutputPoint, by: ColourBy) -> [u8; 3] {
    let feature = &point.feature;
    let hash = splitmix64(match by {
        ColourBy::Id => point.id,
        ColourBy::Position => {
            (u64::from(feature.level) << 56) ^ ((feature.half_y as u32 as u64) << 28) ^ u64::from(feature.half_x as u32)
        }
    });
    let (sector, rise) = ((hash >> 8) % 6, hash as u8);
    let fall = 255 - rise;
    match sector {
        0 => [255, rise, 0],
        1 => [fall, 255, 0],
        2 => [0, 255, rise],
        3 => [0, fall, 255],
        4 => [rise, 0, 255],
        _ => [255, 0, fall],
    }
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
fn splitmix64(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

struct Canvas<'a> {
    width: i32,
    height: i32,
    pixels: &'a mut [u8],
}

impl Canvas<'_> {
    /// The midpoint circle algorithm; what lies outside the image is left out.
    fn circle(&mut self, [cx, cy]: [i32; 2], radius: i32, colour: [u8; 3]) {
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

    fn set(&mut self, x: i32, y: i32, colour: [u8; 3]) {
        if (0..self.width).contains(&x) && (0..self.height).contains(&y) {
            let at = (y as usize * self.width as usize + x as usize) * 3;
            if let Some(pixel) = self.pixels.get_mut(at..at + 3) {
                pixel.copy_from_slice(&colour);
            }
        }
    }
}
