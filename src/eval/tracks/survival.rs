//! Whether tracks are kept while their points are seen, and found again after a gap.

use std::collections::HashSet;

use serde::Serialize;

use super::RIGHT_PX;
use super::flow::Step;
use super::run::{History, Run};
use super::statistics::{distance, share};
use crate::source::synth::Synth;

/// Frames within which a lost track counts as found again.
const AGAIN: usize = 5;
/// Greatest error of a track found again, px.
const AGAIN_PX: f64 = 2.0;
/// Reasons of ends that no re-acquisition is to undo.
const FINAL: [&str; 6] = ["outlier", "masked", "crowded", "surplus", "restart", "object"];

/// Of the tracks on surfaces that stand, those kept to the next frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Survival {
    /// Tracks of a frame whose points the next frame shows, over all pairs of frames.
    pub seen: usize,
    /// Share of them that is kept.
    pub kept: Option<f64>,
    /// Share of them that is kept and off by at most 1 px.
    pub kept_right: Option<f64>,
    /// The lowest `kept_right` of a pair of frames.
    pub worst: Option<f64>,
    /// The first frame of that pair.
    pub worst_frame: Option<usize>,
}

/// Tracks found again under their ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Reacquisition {
    /// Tracks that were lost although one of the five frames after shows their point; those dropped on purpose
    /// (outliers, too many) do not count where the tracker tells.
    pub lost: usize,
    /// Share of them found again in those frames.
    pub rate: Option<f64>,
    /// Share of those found again that is off by at most 2 px.
    pub right: Option<f64>,
}

/// Pairs of frames are those of `frames`.
pub(super) fn judge(steps: &[Step], frames: usize) -> Survival {
    /// Seen, kept, kept right.
    type Counts = [usize; 3];
    let mut pairs: Vec<Counts> = vec![[0; 3]; frames];
    for step in steps.iter().filter(|step| !step.moving && step.next.pixel().is_some()) {
        let right = step.error().is_some_and(|error| error <= RIGHT_PX);
        let Some(pair) = pairs.get_mut(step.from.frame) else { continue };
        for (count, add) in pair.iter_mut().zip([true, step.to.is_some(), right]) {
            *count += usize::from(add);
        }
    }
    let [seen, kept, right] = pairs.iter().fold([0; 3], |sum: Counts, pair| [0, 1, 2].map(|i| sum[i] + pair[i]));
    let worst = pairs.iter().enumerate().filter_map(|(frame, pair)| Some((share(pair[2], pair[0])?, frame)));
    let worst = worst.min_by(|a, b| a.0.total_cmp(&b.0));
    Survival {
        seen,
        kept: share(kept, seen),
        kept_right: share(right, seen),
        worst: worst.map(|(share, _)| share),
        worst_frame: worst.map(|(_, frame)| frame),
    }
}

pub(super) fn reacquisition(run: &Run, histories: &[History], synth: &Synth) -> Reacquisition {
    let dropped: HashSet<u64> =
        run.losses().filter(|(_, _, reason)| FINAL.contains(reason)).map(|(id, ..)| id).collect();
    let last = run.frames.len().saturating_sub(1);
    let (mut lost, mut again, mut right) = (0, 0, 0);
    for track in histories {
        for from in &track.seen {
            let ends = track.seen.last().is_some_and(|end| end.frame == from.frame);
            if from.frame >= last || track.at(from.frame + 1).is_some() || ends && dropped.contains(&track.id) {
                continue;
            }
            let Some(point) = synth.surface_point(from.frame, from.position) else { continue };
            let after = from.frame + 2..=(from.frame + 1 + AGAIN).min(last);
            if !after.clone().any(|k| synth.sight(k, &point).pixel().is_some()) {
                continue;
            }
            lost += 1;
            if let Some(found) = after.clone().find_map(|k| track.at(k)) {
                again += 1;
                let truth = synth.sight(found.frame, &point).pixel();
                right += usize::from(truth.is_some_and(|pixel| distance(pixel, found.position) <= AGAIN_PX));
            }
        }
    }
    Reacquisition { lost, rate: share(again, lost), right: share(right, again) }
}
