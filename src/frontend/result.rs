//! What a frame yields.

use std::time::{Duration, Instant};

use crate::camera::CameraError;
use crate::feature::{Descriptor, Feature};
use crate::frame::StampNs;
use crate::stamps::RestartReason;

/// Standard deviation of a feature's position along one axis, in pixels of the level it was found at: the repeatability
/// under known sub-pixel shifts of real photos (contract C5 and C9: 0.217, 0.218, 0.232 at levels 0, 1, 2).
pub const SIGMA_LEVEL_PX: f32 = 0.22;

/// One feature as a back end sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputPoint {
    /// In `mode: detect` the index in the frame.
    pub id: u64,
    /// Frames it was tracked over; 0 in `mode: detect`.
    pub age: u32,
    pub feature: Feature,
    /// x, y on the plane z = 1 of the camera frame; `None` where uncalibrated or where the camera model ends.
    pub normalised: Option<[f64; 2]>,
    /// Velocity on the normalised plane, 1/s; 0 for what was not tracked.
    pub velocity: [f64; 2],
}

impl OutputPoint {
    /// One standard deviation of u and of v, level-0 pixels.
    pub fn sigma(&self) -> f32 {
        SIGMA_LEVEL_PX * f32::from(1u16 << self.feature.level)
    }
}

/// Whether normalised coordinates could be given.
#[derive(Clone, Debug, PartialEq)]
pub enum Calibration {
    Valid,
    /// No calibration is known.
    Missing,
    /// The calibration holds for another image size.
    OtherSize(CameraError),
}

/// The outcome of one processed frame.
#[derive(Clone, Debug)]
pub struct FrameOutput {
    pub stamp_ns: StampNs,
    /// Width and height, px.
    pub size: [u32; 2],
    /// In `mode: detect` ordered by contract C7.
    pub points: Vec<OutputPoint>,
    /// Those of the points, in the same order; empty where none are wanted.
    pub descriptors: Vec<Descriptor>,
    /// Candidates that the image offered, after merge and mask.
    pub offered: u32,
    pub calibration: Calibration,
    /// Set if the stream started anew with this frame.
    pub restart: Option<RestartReason>,
    /// Departure of the frame interval from the usual one, ns.
    pub jitter_ns: f64,
    /// Whether `freq` lets this frame be published.
    pub publish: bool,
    pub times: StageTimes,
}

/// How long each stage of a frame took, in order.
#[derive(Clone, Debug, Default)]
pub struct StageTimes {
    pub stages: Vec<(&'static str, Duration)>,
    pub total: Duration,
}

/// Measures consecutive stages.
#[derive(Debug)]
pub(super) struct Stopwatch {
    start: Instant,
    lap: Instant,
    stages: Vec<(&'static str, Duration)>,
}

impl Stopwatch {
    pub(super) fn start() -> Self {
        let now = Instant::now();
        Self { start: now, lap: now, stages: Vec::with_capacity(4) }
    }

    /// Ends the stage called `stage` and begins the next.
    pub(super) fn lap(&mut self, stage: &'static str) {
        let now = Instant::now();
        self.stages.push((stage, now - self.lap));
        self.lap = now;
    }

    pub(super) fn stop(self) -> StageTimes {
        StageTimes { stages: self.stages, total: self.start.elapsed() }
    }
}
