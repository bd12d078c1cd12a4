//! What a frame yields.

use std::time::{Duration, Instant};

use crate::camera::{Camera, CameraError};
use crate::feature::{Descriptor, Feature};
use crate::frame::StampNs;
use crate::stamps::RestartReason;
use crate::track::predict::NoPrediction;
use crate::tracks::Lost;
use crate::verify::Method;

/// One feature as a back end sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputPoint {
    /// The track's, never used again; in `mode: detect` the index in the frame.
    pub id: u64,
    /// Frames it was tracked over; 0 in `mode: detect`.
    pub age: u32,
    pub feature: Feature,
    /// x, y on the plane z = 1 of the camera frame; `None` where uncalibrated or where the camera model ends.
    pub normalised: Option<[f64; 2]>,
    /// Velocity on the normalised plane since the frame processed before, 1/s; 0 for what was not tracked from there.
    pub velocity: [f64; 2],
    /// One standard deviation of u and of v, level-0 pixels.
    pub sigma: f32,
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

impl Calibration {
    /// Whether `camera` holds for images of `size`; the camera if it does.
    pub(super) fn of(camera: Option<&Camera>, size: [u32; 2]) -> (Self, Option<&Camera>) {
        match camera {
            None => (Self::Missing, None),
            Some(camera) => match camera.check_image_size(size) {
                Ok(()) => (Self::Valid, Some(camera)),
                Err(error) => (Self::OtherSize(error), None),
            },
        }
    }
}

/// What tracking did in one frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Tracking {
    /// Tracks that were followed from the frame before and are still alive.
    pub tracked: u32,
    /// Lost tracks that were found again.
    pub reacquired: u32,
    pub born: u32,
    /// Median displacement since the frame before, px.
    pub drift_px: f32,
    /// Median displacement that the gyroscope predicted, px, or why it predicted nothing.
    pub prediction: Result<f64, NoPrediction>,
    /// What explained the inliers; `None` where there was nothing to verify: no calibration, no tracks.
    pub verification: Option<Method>,
}

impl Tracking {
    /// Why the gyroscope was not used although it should have been, under a short name.
    pub fn complaint(&self) -> Option<(&'static str, NoPrediction)> {
        let reason = self.prediction.err()?;
        Some((reason.complaint()?, reason))
    }
}

/// Who works on a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    Cpu,
    Cuda,
}

impl Backend {
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
        }
    }
}

/// The outcome of one processed frame.
#[derive(Clone, Debug)]
pub struct FrameOutput {
    pub stamp_ns: StampNs,
    /// Width and height, px.
    pub size: [u32; 2],
    /// The tracks by id; in `mode: detect` the features by contract C7.
    pub points: Vec<OutputPoint>,
    /// Those of the points, in the same order; empty where none are wanted. That of a track is of its corner when it was
    /// last detected.
    pub descriptors: Vec<Descriptor>,
    /// Tracks that ended with this frame, by id; one that is still looked for is not among them.
    pub lost: Vec<Lost>,
    /// `None` in `mode: detect`.
    pub tracking: Option<Tracking>,
    /// Candidates that the image offered, after merge and mask.
    pub offered: u32,
    pub calibration: Calibration,
    /// Set if the stream started anew with this frame.
    pub restart: Option<RestartReason>,
    /// Departure of the frame interval from the usual one, ns.
    pub jitter_ns: f64,
    /// Whether `freq` lets this frame be published.
    pub publish: bool,
    /// Who worked on it.
    pub backend: Backend,
    /// Why the CPU finished what the GPU had begun.
    pub fallback: Option<String>,
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
        Self { start: now, lap: now, stages: Vec::with_capacity(8) }
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
