//! The search: samples drawn from a seed, hypotheses judged by a truncated sum of squares.

use nalgebra::{UnitQuaternion, Vector3};

use super::model::Motion;
use super::points::{Points, Score};
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
    pub score: Score,
}

/// The search over one set of points.
pub(super) struct Ransac<'a> {
    points: &'a [BearingPair],
    lanes: Points,
    /// rad.
    threshold: f64,
    max_samples: u32,
    random: SplitMix64,
}

impl<'a> Ransac<'a> {
    pub fn new(points: &'a [BearingPair], settings: &VerifySettings) -> Self {
        let threshold = settings.threshold_px / settings.pixels_per_radian;
        let (lanes, random) = (Points::new(points), SplitMix64::new(settings.seed));
        Self { points, lanes, threshold, max_samples: settings.max_samples.max(1), random }
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
        let mut needed = self.samples_needed(best.score.count, N);
        let mut drawn = 0;
        while drawn < needed {
            drawn += 1;
            let motion = self.draw().and_then(&hypothesis);
            if let Some(found) = motion.and_then(|motion| self.better(motion, best.score.cost)) {
                best = found;
                needed = self.samples_needed(best.score.count, N);
            }
        }
        best
    }

    /// Steps over the inliers, as long as they lower the cost.
    fn polish(&self, mut best: Consensus, step: impl Fn(&Motion, &[&BearingPair]) -> Option<Motion>) -> Consensus {
        for _ in 0..POLISH_STEPS {
            let inliers: Vec<&BearingPair> =
                self.points.iter().filter(|point| best.motion.residual(point) <= self.threshold).collect();
            match step(&best.motion, &inliers).and_then(|motion| self.better(motion, best.score.cost)) {
                Some(found) => best = found,
                None => break,
            }
        }
        best
    }

    fn judge(&self, motion: Motion) -> Consensus {
        let nothing = Score { count: 0, cost: f64::INFINITY };
        self.better(motion, f64::INFINITY).unwrap_or(Consensus { motion, score: nothing })
    }

    /// The consensus of a motion that costs less than `limit`.
    fn better(&self, motion: Motion, limit: f64) -> Option<Consensus> {
        self.lanes.score(&motion, self.threshold, limit).map(|score| Consensus { motion, score })
    }

    /// Samples after which one without outliers was drawn with the confidence wanted, if `count` are inliers; at most
    /// those allowed.
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
        let mut sample = [self.points.first()?; N];
        let mut drawn = [usize::MAX; N];
        let mut count = 0;
        for _ in 0..20 * N {
            let index = (self.random.next() % self.points.len() as u64) as usize;
            if !drawn[..count].contains(&index) {
                (drawn[count], sample[count]) = (index, self.points.get(index)?);
                count += 1;
            }
            if count == N {
                return Some(sample);
            }
        }
        None
    }
}
