//! Tracks on surfaces that move on their own: whether they are dropped, and whether others are not.
//!
//! A point breaks the geometry of the scene where it goes, by truth, more than two pixels off its epipolar line within
//! three frames; one that moves along its line looks like a point of another depth and is no case. The case is the
//! first such three frames of a track: it must be gone at their end, whatever the reason, if the image shows it still.
//!
//! Precision judges the tracks that the tracker says it dropped as outliers, by where they were last: on a moving
//! surface, hidden by now or more than a pixel off their own beginning is right. What lies within five pixels of a
//! moving surface's outline counts as neither.

use serde::Serialize;

use super::RIGHT_PX;
use super::geometry::{Relative, off_line};
use super::run::{History, Run, Seen};
use super::statistics::{distance, share};
use crate::source::synth::{Pose, Sight, Synth};

/// Frames within which a point must leave its epipolar line, and then must be gone.
const FRAMES: usize = 3;
/// px.
const OFF_LINE_PX: f64 = 2.0;
/// Half of what a window sees besides its centre's surface, px.
const OUTLINE_PX: f64 = 5.0;
/// The reason of the tracks whose precision is judged.
const OUTLIER: &str = "outlier";

/// Dropped and kept where surfaces move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Outliers {
    /// Tracks that leave their epipolar lines.
    pub cases: usize,
    /// Share of them that is dropped in time.
    pub recall: Option<f64>,
    /// Tracks dropped as outliers, but for those at outlines.
    pub dropped: Option<usize>,
    /// Share of them that is right; `None` where the tracker gives no reasons.
    pub precision: Option<f64>,
}

/// `None` where nothing moves on its own and nothing is said of outliers.
pub(super) fn judge(run: &Run, histories: &[History], synth: &Synth) -> Option<Outliers> {
    let mut figures = Outliers::default();
    let mut dropped_in_time = 0;
    for track in histories {
        let case = track.seen.iter().find(|seen| seen.frame + FRAMES < run.frames.len() && is_case(seen, synth));
        if let Some(seen) = case {
            figures.cases += 1;
            dropped_in_time += usize::from(track.at(seen.frame + FRAMES).is_none());
        }
    }
    figures.recall = share(dropped_in_time, figures.cases);
    let verdicts = verdicts(run, histories, synth);
    if run.tells_losses {
        figures.dropped = Some(verdicts.len());
        figures.precision = share(verdicts.iter().filter(|&&right| right).count(), verdicts.len());
    }
    (figures.cases > 0 || !verdicts.is_empty()).then_some(figures)
}

fn is_case(seen: &Seen, synth: &Synth) -> bool {
    let point = synth.surface_point(seen.frame, seen.position).filter(|point| point.moving);
    let Some(point) = point else { return false };
    let Some(later) = synth.sight(seen.frame + FRAMES, &point).pixel() else { return false };
    let poses = [seen.frame, seen.frame + FRAMES].map(|k| synth.world_from_cam(k));
    off_line(synth.camera(), &Relative::between(&poses[0], &poses[1]), seen.position, later)
        .is_some_and(|off| off > OFF_LINE_PX)
}

/// Whether each track dropped as an outlier was rightly so.
fn verdicts(run: &Run, histories: &[History], synth: &Synth) -> Vec<bool> {
    let track = |id: u64| histories.binary_search_by_key(&id, |track| track.id).ok().and_then(|i| histories.get(i));
    let dropped = run.losses().filter(|&(_, _, reason)| reason == OUTLIER);
    dropped.filter_map(|(id, frame, _)| verdict(track(id)?, frame, synth)).collect()
}

/// `None` at an outline.
fn verdict(track: &History, frame: usize, synth: &Synth) -> Option<bool> {
    let (first, last) = (track.seen.first()?, track.seen.last()?);
    let point = synth.surface_point(last.frame, last.position)?;
    if point.moving || !matches!(synth.sight(frame, &point), Sight::Seen(_)) {
        return Some(true);
    }
    let beginning = synth.flow(first.frame, last.frame, first.position);
    if beginning.is_none_or(|pixel| distance(pixel, last.position) > RIGHT_PX) {
        return Some(true);
    }
    let [u, v] = last.position;
    let around = [-OUTLINE_PX, 0.0, OUTLINE_PX].map(|dv| [-OUTLINE_PX, 0.0, OUTLINE_PX].map(|du| [u + du, v + dv]));
    let outline = around.iter().flatten().any(|&pixel| synth.moving(last.frame, pixel));
    (!outline).then_some(false)
}

impl Relative {
    pub(super) fn between(world_from_cam0: &Pose, world_from_cam1: &Pose) -> Self {
        let back = world_from_cam1.rotation.transpose();
        Self {
            rotation: back * world_from_cam0.rotation,
            translation: back * (world_from_cam0.translation - world_from_cam1.translation),
        }
    }
}
