//! What a run measures of itself: latency percentiles and counters, in memory that does not grow with the run.

pub mod health;
mod latency;
mod tracks;

pub use latency::{Latency, Percentiles};
pub use tracks::TrackCounters;

use std::collections::BTreeMap;
use std::time::Duration;

use crate::error::Refusal;
use crate::frontend::FrameOutput;

/// Counters and latencies of one front end, shared by the offline tool and the node's diagnostics.
#[derive(Clone, Debug, Default)]
pub struct Telemetry {
    /// Frames that yielded features.
    pub processed: u64,
    /// Frames refused, by [`Refusal::reason`].
    pub refused: BTreeMap<&'static str, u64>,
    /// Restarts, by reason.
    pub restarts: BTreeMap<&'static str, u64>,
    /// Features of the processed frames.
    pub features: Tally,
    pub tracks: TrackCounters,
    /// Frames that the GPU began and the CPU finished.
    pub fallbacks: u64,
    stages: Vec<(&'static str, Latency)>,
}

/// Least, greatest and mean of a count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub samples: u64,
    pub sum: u64,
    pub min: u64,
    pub max: u64,
}

impl Tally {
    pub fn add(&mut self, value: u64) {
        self.min = if self.samples == 0 { value } else { self.min.min(value) };
        self.max = self.max.max(value);
        self.sum += value;
        self.samples += 1;
    }

    /// `None` before the first sample.
    pub fn mean(&self) -> Option<f64> {
        (self.samples > 0).then(|| self.sum as f64 / self.samples as f64)
    }
}

impl Telemetry {
    /// Counts a processed frame: its features, its restart, the time of each stage. What `total` is, the caller knows.
    pub fn processed(&mut self, output: &FrameOutput) {
        self.processed += 1;
        self.features.add(output.points.len() as u64);
        self.tracks.processed(output);
        self.fallbacks += u64::from(output.fallback.is_some());
        if let Some(reason) = output.restart {
            *self.restarts.entry(reason.name()).or_default() += 1;
        }
        for (stage, duration) in &output.times.stages {
            self.took(stage, *duration);
        }
    }

    /// Counts a refused frame.
    pub fn refused(&mut self, refusal: &Refusal) {
        *self.refused.entry(refusal.reason()).or_default() += 1;
    }

    /// Adds the time that a stage (or `total`) took.
    pub fn took(&mut self, stage: &'static str, duration: Duration) {
        match self.stages.iter_mut().find(|(name, _)| *name == stage) {
            Some((_, latency)) => latency.record(duration),
            None => {
                let mut latency = Latency::default();
                latency.record(duration);
                self.stages.push((stage, latency));
            }
        }
    }

    /// Percentiles by stage, in the order in which stages were first seen.
    pub fn latencies(&self) -> impl Iterator<Item = (&'static str, Percentiles)> + '_ {
        self.stages.iter().map(|(name, latency)| (*name, latency.percentiles()))
    }

    /// Frames refused for any reason.
    pub fn refused_total(&self) -> u64 {
        self.refused.values().sum()
    }

    /// Restarts for any reason.
    pub fn restarts_total(&self) -> u64 {
        self.restarts.values().sum()
    }
}
