//! Enhanced FAST detection: types that the plain path and its twins share. Formulas: `kernels/README.md`.
//!
//! One file per stage, in the order of a frame; [`plain::PlainDetector::detect`] names them all. The labels C0 to C10
//! are the sections of the numerical contract.

pub mod descriptor;
pub mod fast9;
pub mod gain;
pub mod merge;
pub mod plain;
pub mod pyramid;
pub mod response;
pub mod select;
pub mod stages;
pub mod subpixel;
pub mod threshold;

use crate::feature::{Descriptor, Feature};
use crate::params::{Mode, Params};
use crate::results::Results;

pub use gain::Gain;

/// Most pyramid levels that are built.
pub const MAX_LEVELS: usize = 3;

/// What the detector needs from the parameters, in the integers of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DetectSettings {
    /// Number of features wanted.
    pub target: u32,
    /// Least threshold tmin, grey levels.
    pub threshold_min: u8,
    /// Greatest threshold tmax, grey levels.
    pub threshold_max: u8,
    /// Threshold over median gradient, Q8.
    pub ratio_q8: u32,
    /// Columns of the uniformity grid.
    pub grid_x: u32,
    /// Rows of the uniformity grid.
    pub grid_y: u32,
    /// Pyramid levels, 1 to [`MAX_LEVELS`].
    pub levels: u32,
    /// Whether features get descriptors (C10).
    pub describe: bool,
}

impl From<&Params> for DetectSettings {
    fn from(params: &Params) -> Self {
        Self {
            target: match (params.mode, params.detect_cnt) {
                (Mode::Detect, _) => params.max_cnt,
                (Mode::Track, 0) => (8 * params.max_cnt).max(500),
                (Mode::Track, wanted) => wanted,
            },
            threshold_min: params.fast_threshold_min as u8,
            threshold_max: params.fast_threshold_max as u8,
            ratio_q8: (params.threshold_ratio * 256.0).round() as u32,
            grid_x: params.grid_x,
            grid_y: params.grid_y,
            levels: params.pyramid_levels,
            // Lost tracks are found again by their descriptors.
            describe: params.publish_descriptors || params.mode == Mode::Track && params.reacquire_frames > 0,
        }
    }
}

/// A corner of one level that survived non-max suppression (C5), which the merge across levels may drop (C6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corner {
    /// Column X, half level-0 pixels (C0).
    pub half_x: i32,
    /// Row Y, half level-0 pixels.
    pub half_y: i32,
    /// Pyramid level.
    pub level: u8,
    /// V of C4, grey levels.
    pub strength: u8,
    /// Response S (C5).
    pub score: u32,
}

impl Corner {
    /// The whole level-0 pixel under the corner, where tile, mask and cell are looked up.
    pub fn pixel(&self) -> (usize, usize) {
        (((self.half_x + 1) >> 1) as usize, ((self.half_y + 1) >> 1) as usize)
    }

    /// The corner's pixel in its own level.
    pub fn level_pixel(&self) -> (usize, usize) {
        let shift = self.level + 1;
        (((self.half_x + 1) >> shift) as usize, ((self.half_y + 1) >> shift) as usize)
    }
}

/// A corner that the mask admits, judged against the threshold of its tile (C4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub corner: Corner,
    /// The tile's threshold t, grey levels (C2).
    pub threshold: u8,
    /// 0 if V > t, else 1.
    pub class: u8,
}

/// The features of one frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Detection {
    /// In the order of C7.
    pub features: Results<Feature>,
    /// Those of the features, in the same order; empty where none are wanted.
    pub descriptors: Results<Descriptor>,
    /// Candidates of both classes after merge and mask: what the image offered.
    pub offered: u32,
    /// Those of class 0.
    pub offered_class0: u32,
}
