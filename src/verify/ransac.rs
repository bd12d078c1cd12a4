//! The search: samples drawn from a seed, hypotheses judged by a truncated sum of squares.

use nalgebra::{UnitQuaternion, Vector3};

use super::model::Motion;
use super::{BearingPair, VerifySettings};
use crate::random::SplitMix64;

/// The search ends when a sample without outliers was drawn with this probability.
const CONFIDENCE: f64 = 0.9999;
/// Gauss-Newton steps from a sample to its hypothesis. They converge quadratically from a nearby turn.
const SAMPLE_STEPS: usize = 6;
/// Gauss-Newton steps over the inliers of the best hypothesis.
const POLISH_STEPS: usize = 4;

/// A motion and what it explains.
#[derive(Clone, Copy, Debug)]
pub(super) struct Consensus {
    pub motion: Motion,
    /// Points within the threshold.
    pub count: usize,
    /// Sum over all points of the squared residual, at most the squared threshold; rad^2.
    cost: f64,
}

/// The search over one set of points.
pub(super) struct Ransac<'a> {
    points: &'a [BearingPair],
    /// rad.
    threshold: f64,
    max_samples: u32,
    random: SplitMix64,
}

impl<'a> Ransac<'a> {
    pub fn new(points: &'a [BearingPair], settings: &VerifySettings) -> Self {
        let threshold = settings.threshold_px / settings.pixels_per_radian;
        Self { points, threshold, max_samples: settings.max_samples.max(1), random: SplitMix64::new(settings.seed) }
    }

    /// The best turn alone; `known` is the first hypothesis.
    pub fn rotation(&mut self, known: Option<&UnitQuaternion<f64>>) -> Consensus {
        let first = Motion::turn(known.copied().unwrap_or_default());
        let best = self.search(first, |[a, b]: [&BearingPair; 2]| Motion::turn_from_two(a, b));
        self.polish(best, |motion, inliers| motion.step_turn(inliers.iter().copied()))
    }

    /// The best direction of translation with a known turn; both are then polished over the inliers.
    pub fn known_rotation(&mut self, rotation: &UnitQuaternion<f64>) -> Consensus {
        let first = Motion { rotation: *rotation, translation: Vector3::z() };
        let best = self.search(first, |[a, b]: [&BearingPair; 2]| Motion::from_two(*rotation, a, b));
        self.polish(best, |motion, inliers| motion.step(inliers.iter().copied()))
    }

    /// The best turn and direction, looked for from the turn `near`.
    pub fn essential(&mut self, near: UnitQuaternion<f64>) -> Consensus {
        let first = Motion { rotation: near, translation: Vector3::z() };
        let best = self.search(first, |sample: [&BearingPair; 5]| {
            let [a, b, ..] = sample;
            let start = Motion::from_two(near, a, b)?;
            (0..SAMPLE_STEPS).try_fold(start, |motion, _| motion.step(sample.into_iter()))
        });
        self.polish(best, |motion, inliers| motion.step(inliers.iter().copied()))
    }

    /// The best of `first` and the hypotheses of samples of `N` points; of equals the first found.
    fn search<const N: usize>(
        &mut self,
        first: Motion,
        hypothesis: impl Fn([&BearingPair; N]) -> Option<Motion>,
    ) -> Consensus {
        let mut best = self.judge(first);
        let mut drawn = 0;
        while drawn < self.max_samples && drawn < self.samples_needed(best.count, N) {
            drawn += 1;
            if let Some(motion) = self.draw().and_then(&hypothesis) {
                let found = self.judge(motion);
                if found.cost < best.cost {
                    best = found;
                }
            }
        }
        best
    }

    /// Steps over the inliers, as long as they lower the cost.
    fn polish(&self, mut best: Consensus, step: impl Fn(&Motion, &[&BearingPair]) -> Option<Motion>) -> Consensus {
        for _ in 0..POLISH_STEPS {
            let inliers: Vec<&BearingPair> =
                self.points.iter().filter(|point| best.motion.residual(point) <= self.threshold).collect();
            match step(&best.motion, &inliers).map(|motion| self.judge(motion)) {
                Some(found) if found.cost < best.cost => best = found,
                _ => break,
            }
        }
        best
    }

    fn judge(&self, motion: Motion) -> Consensus {
        let (mut count, mut cost) = (0, 0.0);
        for point in self.points {
            let residual = motion.residual(point);
            if residual <= self.threshold {
                count += 1;
                cost += residual * residual;
            } else {
                cost += self.threshold * self.threshold;
            }
        }
        Consensus { motion, count, cost }
    }

    /// Samples after which one without outliers was drawn with the confidence wanted, if `count` are inliers.
    fn samples_needed(&self, count: usize, size: usize) -> u32 {
        let share = count as f64 / self.points.len() as f64;
        let clean = (0..size).fold(1.0, |product, _| product * share);
        // In whole samples; logarithms would not give the same bits everywhere.
        let (mut missed, mut needed) = (1.0, 0);
        while missed > 1.0 - CONFIDENCE && needed < self.max_samples {
            missed *= 1.0 - clean;
            needed += 1;
        }
        needed
    }

    /// `N` different points.
    fn draw<const N: usize>(&mut self) -> Option<[&'a BearingPair; N]> {
        let mut indices: Vec<usize> = Vec::with_capacity(N);
        for _ in 0..20 * N {
            let index = (self.random.next() % self.points.len() as u64) as usize;
            if !indices.contains(&index) {
                indices.push(index);
            }
            if indices.len() == N {
                break;
            }
        }
        let sample: Vec<&BearingPair> = indices.iter().filter_map(|&i| self.points.get(i)).collect();
        sample.try_into().ok()
    }
}
