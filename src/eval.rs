//! How good detection is: any detector judged by the same protocol, on photos and on simulated sequences.
//!
//! [`photos::Photos`] changes photos in known ways, [`sequence::evaluate`] follows the exact flow of the simulator.
//! Both give the same [`Figures`] for each detector: count, spread, precision, repeatability and, where it
//! describes its points, matching.

pub mod changes;
pub mod figures;
mod judge;
pub mod matching;
pub mod ours;
pub mod pairs;
pub mod photos;
pub mod sequence;
pub mod tracks;

use crate::image::GrayImage;

pub use figures::{Count, Figures, Precision, Repeatability, Spread};
pub use matching::Matching;
pub use ours::Ours;

/// Levels that are judged: those of a pyramid of halves.
pub const LEVELS: usize = 3;

/// A point that a detector found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keypoint {
    /// Column and row, level-0 pixels, pixel centres at integers.
    pub position: [f64; 2],
    /// Level of a pyramid of halves that is nearest to the scale of the point.
    pub level: u8,
}

impl Keypoint {
    /// Side of a pixel of the level, level-0 pixels.
    pub fn level_pixel(&self) -> f64 {
        f64::from(1_u32 << self.level)
    }
}

/// Why a detector gave no answer; only programs of others fail.
pub type DetectorError = Box<dyn std::error::Error + Send + Sync>;

/// How far apart two descriptors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// Root of the sum of squared differences of bytes.
    Euclidean,
    /// Number of bits that differ.
    Hamming,
}

impl Distance {
    pub fn between(self, a: &[u8], b: &[u8]) -> f64 {
        let pairs = a.iter().zip(b);
        match self {
            Self::Euclidean => {
                f64::from(pairs.map(|(&a, &b)| u32::from(a.abs_diff(b)) * u32::from(a.abs_diff(b))).sum::<u32>()).sqrt()
            }
            Self::Hamming => f64::from(pairs.map(|(a, b)| (a ^ b).count_ones()).sum::<u32>()),
        }
    }
}

/// The descriptors of points, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Descriptors {
    pub distance: Distance,
    pub bytes: Vec<Vec<u8>>,
}

/// What a detector answers.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The best first, at most as many as were wanted.
    pub keypoints: Vec<Keypoint>,
    /// What the image offered before the choice, where the detector tells.
    pub offered: Option<usize>,
    /// One for each point, where the detector describes them.
    pub descriptors: Option<Descriptors>,
}

/// Any detector of points.
pub trait Detector {
    fn name(&self) -> &str;

    /// A new sequence begins with `image`: what is carried from frame to frame starts anew and settles on it.
    fn begin(&mut self, image: &GrayImage, count: usize);

    /// The best `count` points of `image`, the next frame.
    fn detect(&mut self, image: &GrayImage, count: usize) -> Result<Answer, DetectorError>;
}
