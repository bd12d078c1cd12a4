//! The second half of a frame's journey: the tracks, from the frame before into this one.

use super::device::{FrameDevice, Seen};
use super::motion::{Motion, Prediction};
use super::result::{OutputPoint, Stopwatch, Tracking};
use crate::camera::Camera;
use crate::feature::Descriptor;
use crate::frame::StampNs;
use crate::mask::Mask;
use crate::params::Params;
use crate::track::predict::NoPrediction;
use crate::track::{Flow, FlowStart, FlowStatus, TrackSettings};
use crate::tracks::{Tracks, TracksSettings, median};
use crate::verify::VerifySettings;

/// The tracks of one camera, and the IMU that tells where they go.
#[derive(Debug, Default)]
pub(super) struct Tracker {
    pub tracks: Tracks,
    pub motion: Motion,
}

/// What a frame is tracked with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step<'a> {
    pub params: &'a Params,
    /// `None` where no calibration holds.
    pub camera: Option<&'a Camera>,
    /// Width and height, px.
    pub size: [u32; 2],
    /// Stamps of the frame processed before, if the stream goes on from there, and of this one.
    pub stamps: (Option<StampNs>, StampNs),
    /// The time since the frame before over that between it and the one before it.
    pub pace: f32,
    pub mask: Option<&'a Mask>,
}

/// Where the tracks are looked for.
#[derive(Debug)]
pub(super) struct Plan {
    /// Where they were, px.
    pixels: Vec<[f64; 2]>,
    /// What the gyroscope says.
    prediction: Result<Prediction, NoPrediction>,
    pub starts: Vec<FlowStart>,
}

impl Tracker {
    /// Predicts where the tracks are now.
    pub fn plan(&mut self, step: &Step<'_>, watch: &mut Stopwatch) -> Plan {
        let Self { tracks, motion } = self;
        let pixels: Vec<[f64; 2]> = tracks.positions().map(|place| place.map(f64::from)).collect();
        let prediction = motion.predict(step.params, step.camera, step.stamps, step.size, &pixels);
        let believed = prediction.as_ref().ok().filter(|_| motion.is_believed());
        let starts = tracks.starts(believed.map_or(&[], |prediction| &prediction.pixels), step.pace, step.size);
        watch.lap("predict");
        Plan { pixels, prediction, starts }
    }

    /// Follows the tracks to where `device` found them, and begins new ones with the features that it detected.
    pub fn advance(
        &mut self,
        step: &Step<'_>,
        plan: Plan,
        device: &mut FrameDevice,
        watch: &mut Stopwatch,
    ) -> Tracking {
        let Self { tracks, motion } = self;
        let Step { params, camera, size, mask, .. } = *step;
        let Plan { pixels, prediction, starts } = plan;
        let (track, settings) = (TrackSettings::from(params), TracksSettings::from(params));

        let believed = prediction.as_ref().ok().filter(|_| motion.is_believed());
        let failed = believed.is_some_and(|prediction| prediction.failed(&device.seen().flows));
        if failed {
            device.track_again(&tracks.resting(), &track);
            watch.lap("track again");
        }
        let Seen { detection, flows } = device.seen();

        let turn = believed.filter(|_| !failed).map(|prediction| prediction.turn);
        tracks.follow(flows, mask, &track, &settings);
        let carried = turn.as_ref().zip(camera);
        let drift = drift(&starts, flows);
        let reacquired = tracks.reacquire(detection, size, (carried, drift), &settings);
        tracks.observe(camera);
        let verification = camera.and_then(|camera| {
            tracks.verify(turn.as_ref(), &VerifySettings::new(params, camera.pixels_per_radian()), &settings)
        });
        watch.lap("verify");

        tracks.thin(size, &settings);
        let tracked = tracks.alive().len() as u32;
        let born = tracks.top_up(detection, device.gray(), track.radius(), &settings);
        tracks.observe(camera);
        watch.lap("manage");

        if let Ok(prediction) = &prediction {
            motion.learn(prediction, &pixels, flows);
        }
        let prediction = match prediction {
            Ok(_) if failed => Err(NoPrediction::NotFound),
            Ok(_) if turn.is_none() => Err(NoPrediction::Contradicted),
            other => other.map(|prediction| prediction.median_px),
        };
        let drift_px = drift[0].hypot(drift[1]);
        Tracking { tracked, reacquired, born, drift_px, prediction, verification }
    }

    /// The tracks as a back end sees them, and their descriptors if `describe`; `seconds` since the frame processed
    /// before.
    pub fn output(&self, seconds: f64, describe: bool) -> (Vec<OutputPoint>, Vec<Descriptor>) {
        let point = |track: &crate::tracks::Track| OutputPoint {
            id: track.id,
            age: track.age,
            feature: track.feature,
            normalised: track.sight.and_then(|sight| sight.normalised),
            velocity: track.velocity(seconds),
            sigma: track.sigma,
        };
        let alive = self.tracks.alive();
        let none = Descriptor([0; Descriptor::LEN]);
        let described = alive.iter().filter(|_| describe);
        (alive.iter().map(point).collect(), described.map(|track| track.descriptor.unwrap_or(none)).collect())
    }
}

/// Median displacement of the points that were found, px; 0 without any.
fn drift(starts: &[FlowStart], flows: &[Flow]) -> [f32; 2] {
    let found = starts.iter().zip(flows).filter(|(_, flow)| flow.status == FlowStatus::Tracked);
    let (mut x, mut y): (Vec<f32>, Vec<f32>) =
        found.map(|(start, flow)| (flow.position[0] - start.from[0], flow.position[1] - start.from[1])).unzip();
    [median(&mut x), median(&mut y)]
}
