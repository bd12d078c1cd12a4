//! The figures of a detector, and the sums they are made of.

use serde::Serialize;

use super::{Answer, Keypoint, LEVELS, Matching};
use crate::image::GrayImage;

/// Everything measured of one detector.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    pub detector: String,
    pub count: Count,
    pub spread: Spread,
    /// One entry a level.
    pub precision: Vec<Precision>,
    /// One entry a change.
    pub repeatability: Vec<Repeatability>,
    /// One entry a kind of change; empty if the detector describes nothing.
    pub matching: Vec<Matching>,
}

/// Points an image, means over the unchanged images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Count {
    pub wanted: usize,
    /// Before the choice; `None` if the detector does not tell.
    pub offered: Option<f64>,
    pub got: f64,
}

/// Evenness over 8 x 6 cells, means over the unchanged images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// Share of the cells with at least one point.
    pub cells_served: f64,
    /// Entropy of the points over the cells, 1 where all hold the same number.
    pub entropy: f64,
}

/// Precision of positions at one level, in pixels of the level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Precision {
    pub level: usize,
    /// Error of one position along one axis, RMS: that of the difference of a pair, over the square root of two.
    pub rms_px: f64,
    /// Share of the visible points that found their pair.
    pub matched: f64,
    /// Number of pairs.
    pub pairs: usize,
    /// Constant offset along x and y, **level-0 pixels**: half the mean difference to the image turned by 180 degrees.
    pub bias_px: [f64; 2],
}

/// Share of the visible points found again.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Repeatability {
    pub change: String,
    /// Mean over the images.
    pub share: f64,
    /// Greatest distance of a pair, level-0 pixels.
    pub radius_px: f64,
}

/// A running mean.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mean {
    sum: f64,
    count: usize,
}

impl Mean {
    pub fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    /// 0 of nothing.
    pub fn value(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }
}

/// Sums of count and spread over images.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ImageSums {
    offered: Mean,
    got: Mean,
    served: Mean,
    entropy: Mean,
}

impl ImageSums {
    pub fn add(&mut self, answer: &Answer, image: &GrayImage) {
        if let Some(offered) = answer.offered {
            self.offered.add(offered as f64);
        }
        self.got.add(answer.keypoints.len() as f64);
        let spread = spread(&answer.keypoints, image.width(), image.height());
        self.served.add(spread.cells_served);
        self.entropy.add(spread.entropy);
    }

    pub fn count(&self, wanted: usize) -> Count {
        let offered = (self.offered.count > 0).then(|| self.offered.value());
        Count { wanted, offered, got: self.got.value() }
    }

    pub fn spread(&self) -> Spread {
        Spread { cells_served: self.served.value(), entropy: self.entropy.value() }
    }
}

/// Evenness of points over 8 x 6 cells of an image.
pub fn spread(keypoints: &[Keypoint], width: usize, height: usize) -> Spread {
    let mut cells = [0_usize; 48];
    for point in keypoints {
        let along = |c: f64, size: usize, cells: usize| {
            (((c + 0.5) * cells as f64 / size as f64).max(0.0) as usize).min(cells - 1)
        };
        cells[along(point.position[1], height, 6) * 8 + along(point.position[0], width, 8)] += 1;
    }
    let served = cells.iter().filter(|&&n| n > 0);
    let share = |n: usize| n as f64 / keypoints.len() as f64;
    let entropy = -served.clone().map(|&n| share(n) * share(n).ln()).sum::<f64>() / 48_f64.ln();
    Spread { cells_served: served.count() as f64 / 48.0, entropy: entropy.max(0.0) }
}

/// Sums of precision, level by level.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PrecisionSums([LevelSums; LEVELS]);

#[derive(Clone, Copy, Debug, Default)]
struct LevelSums {
    squares: f64,
    pairs: usize,
    visible: usize,
    bias: [Mean; 2],
}

impl PrecisionSums {
    /// `visible` points of `level` and the differences of their pairs, level-0 pixels.
    pub fn add(&mut self, level: usize, visible: usize, differences: impl Iterator<Item = [f64; 2]>) {
        let sums = &mut self.0[level];
        let pixel = f64::from(1_u32 << level);
        sums.visible += visible;
        for [du, dv] in differences {
            sums.squares += (du * du + dv * dv) / (pixel * pixel);
            sums.pairs += 1;
        }
    }

    /// Difference of a pair of `level` between an image and the turned one, level-0 pixels.
    pub fn add_turned(&mut self, level: usize, difference: [f64; 2]) {
        for (mean, d) in self.0[level].bias.iter_mut().zip(difference) {
            mean.add(0.5 * d);
        }
    }

    pub fn figures(&self) -> Vec<Precision> {
        let figure = |(level, sums): (usize, &LevelSums)| Precision {
            level,
            // Two axes a pair, two errors a difference.
            rms_px: (sums.squares / (4 * sums.pairs.max(1)) as f64).sqrt(),
            matched: sums.pairs as f64 / sums.visible.max(1) as f64,
            pairs: sums.pairs,
            bias_px: [sums.bias[0].value(), sums.bias[1].value()],
        };
        self.0.iter().enumerate().map(figure).collect()
    }
}
