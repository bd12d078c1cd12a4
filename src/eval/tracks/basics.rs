//! What needs no truth: how many tracks, how long, how even.

use std::collections::BTreeMap;

use serde::Serialize;

use super::run::{History, Run};
use super::statistics::{Values, share};
use crate::eval::figures::{Mean, spread};
use crate::eval::{Keypoint, Spread};

/// Figures of any run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Basics {
    /// Different ids.
    pub tracks: usize,
    /// Mean over the frames.
    pub tracks_per_frame: f64,
    /// The fewest of a frame.
    pub fewest: usize,
    pub length: Length,
    /// Share of the tracks of a frame that the next has too.
    pub kept: Option<f64>,
    /// Over 8 x 6 cells, means over the frames with tracks.
    pub spread: Spread,
    /// Ends of tracks by reason; empty where the tracker does not tell.
    pub losses: BTreeMap<String, usize>,
}

/// Frames in which a track is observed, those at the sequence's end cut short by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Length {
    /// Over tracks.
    pub mean: Option<f64>,
    pub median: Option<f64>,
    /// Of the track that an observation belongs to, mean over all observations: births of short tracks weigh little.
    pub of_observation: Option<f64>,
}

/// `size`: width and height, px.
pub(super) fn judge(run: &Run, histories: &[History], [width, height]: [usize; 2]) -> Basics {
    let (mut per_frame, mut served, mut entropy) = (Mean::default(), Mean::default(), Mean::default());
    for frame in &run.frames {
        per_frame.add(frame.observations.len() as f64);
        let keypoints: Vec<Keypoint> =
            frame.observations.iter().map(|seen| Keypoint { position: seen.position, level: 0 }).collect();
        if !keypoints.is_empty() {
            let spread = spread(&keypoints, width, height);
            served.add(spread.cells_served);
            entropy.add(spread.entropy);
        }
    }
    let mut losses = BTreeMap::new();
    for (_, _, reason) in run.losses() {
        *losses.entry(reason.to_owned()).or_default() += 1;
    }
    let last = run.frames.len().saturating_sub(1);
    let followed = histories.iter().flat_map(|track| &track.seen).filter(|seen| seen.frame < last).count();
    let kept = histories.iter().map(|track| track.pairs(1).count()).sum();
    Basics {
        tracks: histories.len(),
        tracks_per_frame: per_frame.value(),
        fewest: run.frames.iter().map(|frame| frame.observations.len()).min().unwrap_or(0),
        length: lengths(histories),
        kept: share(kept, followed),
        spread: Spread { cells_served: served.value(), entropy: entropy.value() },
        losses,
    }
}

fn lengths(histories: &[History]) -> Length {
    let lengths = || histories.iter().map(|track| track.seen.len());
    let total: usize = lengths().sum();
    let squares: usize = lengths().map(|length| length * length).sum();
    Length {
        mean: share(total, histories.len()),
        median: lengths().map(|length| length as f64).collect::<Values>().median(),
        of_observation: share(squares, total),
    }
}
