//! Against corners that were annotated in every frame.

use serde::Serialize;

use super::run::{History, Seen};
use super::statistics::{Values, distance};

/// A track is one of a corner if its first observation is this near, px: a detector may keep its distance from a corner
/// that others annotate.
const NEAR_PX: f64 = 5.0;
/// Greatest error of a track that goes with its corner, px; annotations are good to about half a pixel.
const WITH_PX: f64 = 2.0;

/// Annotated corners, frame by frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnnotatedCorners {
    /// By frame; the same corner has the same place in each. Empty where a frame has no annotations. px.
    pub frames: Vec<Vec<[f64; 2]>>,
}

/// How far tracks that began at a corner went otherwise than its annotations: by how their offset from them changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Corners {
    /// Tracks that begin within 5 px of a corner.
    pub tracks: usize,
    /// Their later observations.
    pub observations: usize,
    pub median_px: Option<f64>,
    pub p95_px: Option<f64>,
    /// Share of at most 2 px.
    pub within_2px: Option<f64>,
}

impl AnnotatedCorners {
    /// `None` where no track begins at a corner.
    pub(super) fn judge(&self, histories: &[History]) -> Option<Corners> {
        let mut figures = Corners::default();
        let mut off = Values::default();
        for track in histories {
            let Some((first, later)) = track.seen.split_first() else { continue };
            let Some((corner, [u, v])) = self.nearest(first) else { continue };
            let start = [first.position[0] - u, first.position[1] - v];
            figures.tracks += 1;
            for seen in later {
                if let Some(&[u, v]) = self.frames.get(seen.frame).and_then(|corners| corners.get(corner)) {
                    off.add(distance([u + start[0], v + start[1]], seen.position));
                }
            }
        }
        figures.observations = off.len();
        (figures.median_px, figures.p95_px) = (off.median(), off.quantile(0.95));
        figures.within_2px = off.within(WITH_PX);
        (figures.tracks > 0).then_some(figures)
    }

    /// Index and place of the corner that is nearest and near.
    fn nearest(&self, seen: &Seen) -> Option<(usize, [f64; 2])> {
        let off = |corner: &[f64; 2]| distance(*corner, seen.position);
        let near =
            self.frames.get(seen.frame)?.iter().copied().enumerate().filter(|(_, corner)| off(corner) <= NEAR_PX);
        near.min_by(|(_, a), (_, b)| off(a).total_cmp(&off(b)))
    }
}
