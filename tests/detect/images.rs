//! Test images from integer arithmetic alone, so that they are the same bits on every machine.

use vio_frontend::image::GrayImage;

/// The contents that tests draw from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Black,
    White,
    /// Squares of this side, px.
    Checkerboard(usize),
    Noise,
    /// Few grey levels, so that equal responses abound.
    CoarseNoise,
    /// Smooth texture of several scales.
    Texture,
    /// Bright and dark rectangles on a gradient, many with corners on tile borders.
    Blocks,
}

/// A pseudo-random byte for a lattice point: the finaliser of MurmurHash3.
pub fn hash(x: usize, y: usize, seed: u32) -> u8 {
    let mut h = (x as u32).wrapping_mul(0x9e37_79b1) ^ (y as u32).wrapping_mul(0x85eb_ca77) ^ seed;
    h = (h ^ (h >> 16)).wrapping_mul(0x85eb_ca6b);
    h = (h ^ (h >> 13)).wrapping_mul(0xc2b2_ae35);
    ((h ^ (h >> 16)) & 0xff) as u8
}

pub fn image(kind: Kind, width: usize, height: usize, seed: u32) -> GrayImage {
    GrayImage::from_fn(width, height, |x, y| match kind {
        Kind::Black => 0,
        Kind::White => 255,
        Kind::Checkerboard(side) => 255 * ((x / side + y / side) % 2) as u8,
        Kind::Noise => hash(x, y, seed),
        Kind::CoarseNoise => hash(x, y, seed) & 0xc0,
        Kind::Texture => texture(x, y, seed),
        Kind::Blocks => blocks(x, y, seed),
    })
}

/// Value noise at four scales, interpolated bilinearly.
pub fn texture(x: usize, y: usize, seed: u32) -> u8 {
    let octave = |log2: usize| {
        let side = 1 << log2;
        let (i, j, fx, fy) = (x >> log2, y >> log2, x % side, y % side);
        let at = |dx, dy| usize::from(hash(i + dx, j + dy, seed ^ log2 as u32));
        let upper = at(0, 0) * (side - fx) + at(1, 0) * fx;
        let lower = at(0, 1) * (side - fx) + at(1, 1) * fx;
        (upper * (side - fy) + lower * fy) / (side * side)
    };
    ((octave(1) + 2 * octave(2) + 3 * octave(4) + 2 * octave(6)) / 8) as u8
}

fn blocks(x: usize, y: usize, seed: u32) -> u8 {
    let base = 60 + ((x + 2 * y) / 8 % 100) as u8;
    let (i, j) = (x / 16, y / 16);
    match hash(i, j, seed) {
        v if v < 80 => base,
        v => v,
    }
}
