//! A feature, one corner of one frame, and the descriptor that travels beside it.

use bytemuck::{AnyBitPattern, Pod, Zeroable};

/// One corner. Positions are level-0 pixels, pixel centres at integers, x to the right, y down.
///
/// Kernels write features as they lie here: the layout is that of `Feature` in `kernels/abi.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern)]
pub struct Feature {
    /// Column with sub-pixel offset, px.
    pub u: f32,
    /// Row with sub-pixel offset, px.
    pub v: f32,
    /// Whole-pixel column X = (2x + 1) * 2^level - 1, half level-0 pixels (contract C0).
    pub half_x: i32,
    /// Whole-pixel row Y, half level-0 pixels.
    pub half_y: i32,
    /// Response S (C5).
    pub score: u32,
    /// Pyramid level it was found at; 0 is the image itself.
    pub level: u8,
    /// 0 if its V exceeds the tile's threshold, else 1 (C4).
    pub class: u8,
    /// The tile's FAST threshold, grey levels (C2).
    pub threshold: u8,
}

impl Feature {
    /// The feature moved to `position`, px: what was seen at its own place (level, score, threshold) stays.
    pub fn moved_to(&self, [u, v]: [f32; 2]) -> Self {
        Self { u, v, half_x: (2.0 * u).round() as i32, half_y: (2.0 * v).round() as i32, ..*self }
    }

    /// The total order of contract C7: class up, score down, row up, column up, level up.
    pub fn order_key(&self) -> (u8, std::cmp::Reverse<u32>, i32, i32, u8) {
        (self.class, std::cmp::Reverse(self.score), self.half_y, self.half_x, self.level)
    }
}

/// What a feature's surroundings look like (contract C10): 128 bytes to be compared by L2 or L1 distance.
///
/// Byte ((row * 4) + column) * 8 + octant is the square root of the share that gradients of about this direction in
/// about this of 4 x 4 cells have in the whole, times 255.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct Descriptor(pub [u8; Descriptor::LEN]);

impl Descriptor {
    /// Number of bytes.
    pub const LEN: usize = 128;

    /// Squared L2 distance.
    pub fn squared_distance(&self, other: &Self) -> u32 {
        self.0.iter().zip(&other.0).map(|(&a, &b)| u32::from(a.abs_diff(b)).pow(2)).sum()
    }
}
