//! How good tracks are: lists of observations, frame by frame, of this front end or read from any `features.csv`.
//!
//! All are judged by the same code, against what is known of the sequence ([`Knowledge`]):
//!
//! | known | figures |
//! |---|---|
//! | nothing | [`Basics`]: count, length, share kept from frame to frame, spread, losses by reason |
//! | images | [`Direct`]: a track's way over five frames against one step over all five |
//! | exact flow | [`FlowFigures`]: error a frame, drift from birth, survival, re-acquisition, sigma; [`Outliers`] |
//! | poses | [`Epipolar`] over five frames, [`Rotation`] over one; [`Wander`] instead where the camera stands |
//! | annotated corners | [`Corners`] |
//!
//! Positions are level-0 pixels, pixel centres at integers. Medians of nothing are `None`.

mod basics;
mod corners;

mod direct;
mod files;
mod flow;
mod geometry;
mod knowledge;
mod ours;
mod outliers;
mod poses;
mod run;
mod statistics;
mod survival;
mod wander;

use serde::Serialize;

use crate::source::Source;
pub use basics::{Basics, Length};
pub use corners::{AnnotatedCorners, Corners};
pub use direct::Direct;
pub use files::{RunFileError, read_run};
pub use flow::{AtAge, FlowFigures, SigmaFigures};
pub use geometry::{Epipolar, Rotation};
pub use knowledge::{Knowledge, KnowledgeError, camera_beside};
pub use ours::run_frontend;
pub use outliers::Outliers;
pub use poses::Poses;
pub use run::{FrameTracks, History, LostTrack, Observation, Run, Seen};
pub use survival::{Reacquisition, Survival};
pub use wander::Wander;

/// Frames of the baseline of [`Epipolar`] and [`Direct`].
pub const BASELINE: usize = 5;

/// Greatest error of a track that is right, px.
pub const RIGHT_PX: f64 = 1.0;

/// Everything measured of one run; `None` where the sequence does not tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TrackFigures {
    pub tracker: String,
    #[serde(flatten)]
    pub basics: Basics,
    pub direct: Option<Direct>,
    pub flow: Option<FlowFigures>,
    pub outliers: Option<Outliers>,
    pub epipolar: Option<Epipolar>,
    pub rotation: Option<Rotation>,
    pub wander: Option<Wander>,
    pub corners: Option<Corners>,
}

/// Judges `runs` by all that is known. `images`, if given, are those of the sequence once more, from its first on;
/// without them there is no [`Direct`].
pub fn judge(runs: &[Run], known: &Knowledge, images: Option<Box<dyn Source>>) -> Vec<TrackFigures> {
    let histories: Vec<Vec<History>> = runs.iter().map(Run::histories).collect();
    let direct = images.map(|images| direct::judge(images, &histories));
    let figures = |(i, run): (usize, &Run)| {
        let histories = histories.get(i).map_or(&[][..], Vec::as_slice);
        let camera = known.camera.as_ref();
        let standing = known.poses.as_ref().is_some_and(Poses::standing);
        let posed = known.poses.as_ref().zip(camera).filter(|_| !standing);
        TrackFigures {
            tracker: run.name.clone(),
            basics: basics::judge(run, histories, known.size),
            direct: direct.as_ref().and_then(|direct| direct.get(i).copied()),
            flow: known.synth.as_ref().map(|synth| flow::judge(run, histories, synth)),
            outliers: known.synth.as_ref().and_then(|synth| outliers::judge(run, histories, synth)),
            epipolar: posed.and_then(|(poses, camera)| geometry::epipolar(histories, poses, camera)),
            rotation: posed.and_then(|(poses, camera)| geometry::rotation(histories, poses, camera)),
            wander: standing.then(|| wander::judge(histories, run.frames.len())).flatten(),
            corners: known.corners.as_ref().and_then(|corners| corners.judge(histories)),
        }
    };
    runs.iter().enumerate().map(figures).collect()
}
