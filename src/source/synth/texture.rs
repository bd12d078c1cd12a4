//! The texture of every surface: a dead-leaves image (Lee, Mumford and Huang 2001) with its mip maps.
//!
//! Discs and turned squares of random grey cover each other; their sizes follow p(r) ~ r^-3, so that the image looks
//! alike at every distance and offers corners at every pyramid level. It is periodic, and made in integers.

use crate::random::SplitMix64;

/// log2 of the side of the finest level, texels.
const SIDE_LOG2: u32 = 11;
/// Least and greatest size of a leaf, texels.
const SIZES: [f64; 2] = [3.0, 200.0];
/// How often an average texel is painted over.
const COVERAGE: f64 = 5.0;

/// Grey level where no leaf fell.
const BACKGROUND: u8 = 96;

/// Bits below a texel of the coordinates that texels are blended by.
const FRACTION: u32 = 16;

/// A periodic grey image at falling resolutions.
#[derive(Clone, Debug)]
pub(super) struct Texture {
    /// Level l has (2^(SIDE_LOG2 - l))^2 texels, row-major, each with its neighbours to the right, below and diagonal:
    /// one load a sample.
    levels: Vec<Vec<[u8; 4]>>,
}

impl Texture {
    pub fn new(seed: u64) -> Self {
        let mut finest = leaves(seed);
        let mut levels = vec![with_neighbours(&finest)];
        for _ in 0..SIDE_LOG2 {
            finest = halve(&finest);
            levels.push(with_neighbours(&finest));
        }
        Self { levels }
    }

    /// Grey level at (a, b), in texels of the finest level, averaged over about `footprint` texels: trilinear. Neither
    /// coordinate may be below -2^20 or above 2^30.
    pub fn sample(&self, a: f64, b: f64, footprint: f64) -> f32 {
        // A whole number of periods makes the coordinates positive, so that truncation is floor.
        let [a, b] = [a, b].map(|c| ((c + f64::from(1 << 20)) * f64::from(1 << FRACTION)) as i64);
        let (level, fraction) = log2((footprint as f32).max(1.0));
        let finer = self.bilinear(level, a, b);
        if fraction == 0.0 {
            return finer;
        }
        finer + fraction * (self.bilinear(level + 1, a, b) - finer)
    }

    /// Blends four texels with weights of 12 bits; 255 * 2^24 just fits 32.
    fn bilinear(&self, level: u32, a: i64, b: i64) -> f32 {
        let level = level.min(SIDE_LOG2);
        let log2 = SIDE_LOG2 - level;
        let mask = (1usize << log2) - 1;
        let half = 1 << (FRACTION - 1);
        let (a, b) = ((a >> level) - half, (b >> level) - half);
        let (x, y) = ((a >> FRACTION) as usize & mask, (b >> FRACTION) as usize & mask);
        let [wa, wb] = [a, b].map(|c| (c >> (FRACTION - 12)) as u32 & 0xfff);
        let texel = self.levels.get(level as usize).and_then(|texels| texels.get((y << log2) | x));
        let [p, q, r, s] = texel.copied().unwrap_or_default().map(u32::from);
        let blend = |p: u32, q: u32, w: u32| p * (4096 - w) + q * w;
        blend(blend(p, q, wa), blend(r, s, wa), wb) as f32 * (1.0 / f32::from(1u16 << 12) / f32::from(1u16 << 12))
    }
}

/// The finest level.
fn leaves(seed: u64) -> Vec<u8> {
    let side = 1usize << SIDE_LOG2;
    let mut texels = vec![BACKGROUND; side * side];
    let mut random = SplitMix64::new(seed);
    let [least, greatest] = SIZES;
    // The mean area of a disc of that law is 2 pi r0^2 ln(r1 / r0); ln(200 / 3) = 4.2.
    let number = COVERAGE * (side * side) as f64 / (2.0 * std::f64::consts::PI * least * least * 4.2);
    for _ in 0..number as u32 {
        let shrink = 1.0 - random.unit() * (1.0 - (least / greatest) * (least / greatest));
        Leaf::random(&mut random, (least / shrink.sqrt()) as i32).paint(&mut texels);
    }
    smooth(&texels)
}

/// Whole part of log2(x), x >= 1, and x over that power of two minus 1: log2 by its chords, without a library's log.
fn log2(x: f32) -> (u32, f32) {
    let bits = x.to_bits();
    let whole = (bits >> 23).saturating_sub(127);
    (whole, f32::from_bits(bits & 0x007f_ffff | 0x3f80_0000) - 1.0)
}

/// One shape: a disc, or a square whose side lies along (`along.0`, `along.1`).
struct Leaf {
    centre: [i32; 2],
    size: i32,
    along: Option<[i32; 2]>,
    grey: u8,
}

impl Leaf {
    fn random(random: &mut SplitMix64, size: i32) -> Self {
        let centre = [random.below(1 << SIDE_LOG2), random.below(1 << SIDE_LOG2)];
        let direction = [random.below(129) - 64, random.below(65)];
        let along = (random.below(3) > 0 && direction != [0, 0]).then_some(direction);
        Self { centre, size, along, grey: (20 + random.below(216)) as u8 }
    }

    fn covers(&self, x: i32, y: i32) -> bool {
        match self.along {
            None => x * x + y * y <= self.size * self.size,
            Some([a, b]) => {
                // |(x, y) . along| <= size * |along| * 3/4, both sides squared; likewise across it.
                let reach = 9 * i64::from(self.size * self.size) * i64::from(a * a + b * b);
                let (p, q) = (i64::from(a * x + b * y), i64::from(a * y - b * x));
                16 * p * p <= reach && 16 * q * q <= reach
            }
        }
    }

    fn paint(&self, texels: &mut [u8]) {
        let side = 1 << SIDE_LOG2;
        // A square of half side 3/4 size reaches 1.07 size.
        let reach = self.size + self.size / 8 + 1;
        for y in -reach..=reach {
            let row = ((self.centre[1] + y) & (side - 1)) << SIDE_LOG2;
            for x in -reach..=reach {
                if self.covers(x, y) {
                    texels[(row | ((self.centre[0] + x) & (side - 1))) as usize] = self.grey;
                }
            }
        }
    }
}

/// [1 2 1] x [1 2 1] / 16, periodic: softens the staircases of the leaves' edges.
fn smooth(texels: &[u8]) -> Vec<u8> {
    let side = 1usize << SIDE_LOG2;
    let at = |x: usize, y: usize| u32::from(texels[((y & (side - 1)) << SIDE_LOG2) | (x & (side - 1))]);
    let row = |x: usize, y: usize| at(x + side - 1, y) + 2 * at(x, y) + at(x + 1, y);
    (0..side * side)
        .map(|i| {
            let (x, y) = (i & (side - 1), i >> SIDE_LOG2);
            ((row(x, y + side - 1) + 2 * row(x, y) + row(x, y + 1) + 8) >> 4) as u8
        })
        .collect()
}

/// Each texel of a square periodic image with its neighbours right, below and diagonal.
fn with_neighbours(texels: &[u8]) -> Vec<[u8; 4]> {
    let side = texels.len().isqrt();
    let at = |x: usize, y: usize| texels[(y & (side - 1)) * side + (x & (side - 1))];
    (0..side * side)
        .map(|i| {
            let (x, y) = (i % side, i / side);
            [at(x, y), at(x + 1, y), at(x, y + 1), at(x + 1, y + 1)]
        })
        .collect()
}

/// Means of 2 x 2 texels of a square image.
fn halve(finer: &[u8]) -> Vec<u8> {
    let side = finer.len().isqrt();
    let at = |x: usize, y: usize| u32::from(finer[y * side + x]);
    let half = side / 2;
    (0..half * half)
        .map(|i| {
            let (x, y) = (2 * (i % half), 2 * (i / half));
            ((at(x, y) + at(x + 1, y) + at(x, y + 1) + at(x + 1, y + 1) + 2) >> 2) as u8
        })
        .collect()
}
