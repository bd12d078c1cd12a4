//! C7, C8: the total order of candidates, and an even spread over the image by water-filling.

use std::cmp::Reverse;

use super::{Candidate, DetectSettings};

impl Candidate {
    /// C7: class up, score down, row up, column up, level up.
    pub fn order_key(&self) -> (u8, Reverse<u32>, i32, i32, u8) {
        let corner = &self.corner;
        (self.class, Reverse(corner.score), corner.half_y, corner.half_x, corner.level)
    }
}

/// The uniformity grid over an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    pub columns: u32,
    pub rows: u32,
    /// Image size, level-0 pixels.
    pub width: usize,
    pub height: usize,
}

impl Grid {
    pub fn new(settings: &DetectSettings, width: usize, height: usize) -> Self {
        Self { columns: settings.grid_x.max(1), rows: settings.grid_y.max(1), width, height }
    }

    pub fn cells(&self) -> usize {
        self.columns as usize * self.rows as usize
    }

    /// cell = ((X + 1) * GX / (2 W), (Y + 1) * GY / (2 H)), row-major.
    pub fn cell(&self, half_x: i32, half_y: i32) -> usize {
        let along = |half: i32, cells: u32, size: usize| (half + 1) as usize * cells as usize / (2 * size);
        let column = along(half_x, self.columns, self.width);
        let row = along(half_y, self.rows, self.height);
        row * self.columns as usize + column
    }
}

/// The strongest candidates, one and a half times the target: in the order of C7 the first of these, and what shares the
/// bin of the last one. So evenness does not reach down to corners that the next frame will not find again.
pub fn pool(candidates: &[Candidate], target: u32) -> &[Candidate] {
    let wanted = (3 * target as usize).div_ceil(2);
    let Some(last) = wanted.checked_sub(1).and_then(|last| candidates.get(last)) else { return candidates };
    let after = candidates[wanted..].partition_point(|candidate| bin(candidate) == bin(last));
    &candidates[..wanted + after]
}

/// Class, and the binary order of S with its five bits after the leading one.
fn bin(candidate: &Candidate) -> (u8, u32) {
    let score = candidate.corner.score;
    let octaves = score.max(1).ilog2().saturating_sub(5);
    (candidate.class, score >> octaves << octaves)
}

/// What a cell offers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// Candidates of class 0 (n_i).
    pub class0: u32,
    /// Candidates of both classes (m_i).
    pub all: u32,
}

impl Offer {
    /// What the cell gives at water level `c`: of class 0 alone, or class 0 in full and class 1 up to the level.
    fn quota(&self, c: u32, class0_suffices: bool) -> u32 {
        if class0_suffices { self.class0.min(c) } else { self.class0.max(self.all.min(c)) }
    }
}

/// Buffers of the selection.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    offers: Vec<Offer>,
    /// What each cell may still give.
    left: Vec<u32>,
}

impl Selection {
    /// Selects min(target, all) of the candidates, which come and leave in the order of C7, from the [`pool`].
    pub fn water_fill(&mut self, candidates: &[Candidate], grid: &Grid, target: u32, selected: &mut Vec<Candidate>) {
        let candidates = pool(candidates, target);
        let cell = |candidate: &Candidate| grid.cell(candidate.corner.half_x, candidate.corner.half_y);
        self.offers.clear();
        self.offers.resize(grid.cells(), Offer::default());
        for candidate in candidates {
            let offer = &mut self.offers[cell(candidate)];
            offer.all += 1;
            offer.class0 += u32::from(candidate.class == 0);
        }
        let mut remaining = quotas(&self.offers, target, &mut self.left);
        selected.clear();
        selected.extend(candidates.iter().filter(|candidate| match &mut self.left[cell(candidate)] {
            // What remains goes one each to the cells with the first next candidates. In the order of C7 these are
            // the first ones met beyond their cell's quota.
            left @ 0 if remaining > 0 => {
                remaining -= 1;
                *left = SERVED;
                true
            }
            0 | &mut SERVED => false,
            left => {
                *left -= 1;
                true
            }
        }));
    }
}

/// Marks a cell that gave one candidate beyond its quota.
const SERVED: u32 = u32::MAX;

/// The quota of each cell at the greatest water level that does not exceed the target; returns what remains of it.
pub fn quotas(offers: &[Offer], target: u32, quotas: &mut Vec<u32>) -> u64 {
    let sum = |f: &dyn Fn(&Offer) -> u32| offers.iter().map(|offer| u64::from(f(offer))).sum::<u64>();
    let target = u64::from(target);
    let class0_suffices = sum(&|offer| offer.class0) >= target;
    // Bisection: the sum grows with c, is at most the target at `level` and beyond it at `above`.
    let (mut level, mut above) = (0, offers.iter().map(|offer| offer.all).max().unwrap_or(0) + 1);
    while level + 1 < above {
        let middle = level + (above - level) / 2;
        if sum(&|offer| offer.quota(middle, class0_suffices)) <= target { level = middle } else { above = middle }
    }
    quotas.clear();
    quotas.extend(offers.iter().map(|offer| offer.quota(level, class0_suffices)));
    target - sum(&|offer| offer.quota(level, class0_suffices))
}
