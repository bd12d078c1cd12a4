//! Without truth: a track's way over five frames against one step over all five.
//!
//! Lucas-Kanade (the plain path, fixed light, tracking back within 0.5 px) looks for what the track was on five frames
//! before, beginning where the track is now. What it finds is free of what four hand-overs added. Its window is small, so
//! that a surface at a slant or coming near moves like its middle. A track that it does not confirm has changed its looks
//! or is on something else.

use std::collections::VecDeque;

use serde::Serialize;

use super::run::{History, Seen};
use super::statistics::{Values, distance, share};
use super::{BASELINE, RIGHT_PX};
use crate::detect::pyramid::Pyramid;
use crate::image::GrayImage;
use crate::source::{Event, Source};
use crate::track::plain::track;
use crate::track::{FlowStart, FlowStatus, TrackSettings};

/// Levels of the search: the start is near.
const LEVELS: u32 = 1;
/// Side of the window, px.
const WINDOW: u32 = 11;

/// Tracks against direct tracking over five frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Direct {
    /// Tracks in two frames five apart.
    pub pairs: usize,
    /// Share of them that is found directly, within 1 px of the track.
    pub confirmed: Option<f64>,
    /// Their number in a frame: who keeps more of the hard tracks has a lower share and not a lower number.
    pub confirmed_per_frame: Option<f64>,
    /// Distance of those found directly, px.
    pub median_px: Option<f64>,
}

/// One image and its coarser levels.
#[derive(Debug, Default)]
struct Levels {
    image: GrayImage,
    pyramid: Pyramid,
}

impl Levels {
    fn all(&self) -> Vec<&GrayImage> {
        self.pyramid.levels(&self.image).collect()
    }
}

/// Figures of each run, from the images of the sequence.
pub(super) fn judge(mut images: Box<dyn Source>, runs: &[Vec<History>]) -> Vec<Direct> {
    let frames = runs.iter().flatten().filter_map(|track| track.seen.last()).map(|seen| seen.frame + 1).max();
    let settings = TrackSettings { window: WINDOW, levels: LEVELS, refine_window: 0, ..TrackSettings::default() };
    let mut sums = vec![(Values::default(), 0); runs.len()];
    // Frames that could not be read keep their places.
    let mut recent: VecDeque<Option<Levels>> = VecDeque::new();
    let mut k = 0;
    while k < frames.unwrap_or(0)
        && let Some(event) = images.next_event()
    {
        let levels = match event {
            Event::Image { image, .. } => {
                let mut pyramid = Pyramid::default();
                pyramid.build(&image, LEVELS as usize);
                Some(Levels { image, pyramid })
            }
            Event::Unreadable { .. } => None,
            Event::Imu(_) => continue,
        };
        recent.push_back(levels);
        if recent.len() > BASELINE {
            if let (Some(Some(before)), Some(Some(now))) = (recent.front(), recent.back()) {
                for ((off, pairs), histories) in sums.iter_mut().zip(runs) {
                    *pairs += compare(k, [before, now], histories, &settings, off);
                }
            }
            recent.pop_front();
        }
        k += 1;
    }
    let ends = k.saturating_sub(BASELINE);
    let figures = |(mut off, pairs): (Values, usize)| {
        let near = (off.within(RIGHT_PX).unwrap_or(0.0) * off.len() as f64).round() as usize;
        let (confirmed, confirmed_per_frame) = (share(near, pairs), share(near, ends));
        Direct { pairs, confirmed, confirmed_per_frame, median_px: off.median() }
    };
    sums.into_iter().map(figures).collect()
}

/// Adds the distances of the tracks found directly in frame `k`; the number of tracks looked for.
fn compare(
    k: usize,
    [before, now]: [&Levels; 2],
    histories: &[History],
    settings: &TrackSettings,
    off: &mut Values,
) -> usize {
    let Some(first) = k.checked_sub(BASELINE) else { return 0 };
    let pairs: Vec<(&Seen, &Seen)> =
        histories.iter().filter_map(|track| Some((track.at(first)?, track.at(k)?))).collect();
    let single = |seen: &Seen| seen.position.map(|c| c as f32);
    let starts: Vec<FlowStart> =
        pairs.iter().map(|(from, to)| FlowStart { from: single(from), guess: single(to), trusted: true }).collect();
    let found = track(&before.all(), &now.all(), &starts, settings);
    for (flow, (_, to)) in found.iter().zip(&pairs) {
        if flow.status == FlowStatus::Tracked {
            off.add(distance(flow.position.map(f64::from), to.position));
        }
    }
    pairs.len()
}
