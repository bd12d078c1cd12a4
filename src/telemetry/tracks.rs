//! How many tracks there are, how long they last and why they end.

use std::collections::{BTreeMap, HashMap};

use super::Tally;
use crate::frontend::{FrameOutput, Tracking};
use crate::tracks::LossReason;

/// Counters of the tracks of a run; they stay empty in `mode: detect`.
#[derive(Clone, Debug, Default)]
pub struct TrackCounters {
    /// Tracks in each frame.
    pub alive: Tally,
    pub born: u64,
    /// Tracks that were lost and found again.
    pub reacquired: u64,
    /// Ended tracks, by [`LossReason::name`].
    pub lost: BTreeMap<&'static str, u64>,
    /// Frames in which the gyroscope told where the tracks would be.
    pub predicted: u64,
    /// The newest frame's.
    pub last: Option<Tracking>,
    /// Ages of the tracks that have not ended, by id.
    ages: HashMap<u64, u32>,
    /// Ended tracks, by age: as many entries as there are different ages.
    lengths: BTreeMap<u32, u64>,
}

impl TrackCounters {
    pub(super) fn processed(&mut self, output: &FrameOutput) {
        let Some(tracking) = &output.tracking else { return };
        self.alive.add(output.points.len() as u64);
        self.born += u64::from(tracking.born);
        self.reacquired += u64::from(tracking.reacquired);
        self.predicted += u64::from(tracking.prediction.is_ok());
        self.last = Some(tracking.clone());
        for lost in &output.lost {
            *self.lost.entry(lost.reason.name()).or_default() += 1;
            if let Some(age) = self.ages.remove(&lost.id) {
                *self.lengths.entry(age).or_default() += 1;
            }
        }
        self.ages.extend(output.points.iter().map(|point| (point.id, point.age)));
    }

    /// Median over all tracks, ended or not, of the frames that each was tracked over; `None` without tracks. The lower
    /// of two in the middle.
    pub fn length_median(&self) -> Option<u32> {
        let mut lengths = self.lengths.clone();
        for age in self.ages.values() {
            *lengths.entry(*age).or_default() += 1;
        }
        let half = lengths.values().sum::<u64>().div_ceil(2);
        let mut below = 0;
        lengths.into_iter().find_map(|(age, count)| {
            below += count;
            (below >= half).then_some(age)
        })
    }

    /// Ended tracks by reason, those without any included.
    pub fn losses(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        LossReason::ALL.iter().map(|reason| (reason.name(), self.lost.get(reason.name()).copied().unwrap_or(0)))
    }
}
