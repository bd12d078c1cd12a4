//! Enhanced FAST detection: types that the plain path and its twins share. Formulas: `kernels/README.md`.

use crate::feature::Feature;
use crate::params::Params;

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
    /// Pyramid levels.
    pub levels: u32,
}

impl From<&Params> for DetectSettings {
    fn from(params: &Params) -> Self {
        Self {
            target: params.max_cnt,
            threshold_min: params.fast_threshold_min as u8,
            threshold_max: params.fast_threshold_max as u8,
            ratio_q8: (params.threshold_ratio * 256.0).round() as u32,
            grid_x: params.grid_x,
            grid_y: params.grid_y,
            levels: params.pyramid_levels,
        }
    }
}

/// The threshold gain, Q16: the detector's only state between frames (C3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gain(pub u32);

impl Default for Gain {
    /// A gain of 1.
    fn default() -> Self {
        Self(1 << 16)
    }
}

/// The features of one frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Detection {
    /// In the order of C7.
    pub features: Vec<Feature>,
    /// Candidates of both classes after merge and mask: what the image offered.
    pub offered: u32,
    /// Those of class 0.
    pub offered_class0: u32,
}
