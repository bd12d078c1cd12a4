//! Against the exact flow of the simulator.
//!
//! Where a track is in frame k is a pixel of a surface; the truth says where that goes. The error of a frame compares
//! k + 1 with it, drift any later frame with what the frame of birth showed. A track that is kept although its point is
//! hidden is compared with where the point would be; one whose point left the image is worse than any bound.

use serde::Serialize;

use super::RIGHT_PX;
use super::run::{History, Run, Seen};
use super::statistics::{Values, distance};
use super::survival::{self, Reacquisition, Survival};
use crate::source::synth::{Sight, SurfacePoint, Synth};

/// Ages at which drift is told, frames.
const AGES: [usize; 7] = [1, 2, 5, 10, 20, 50, 100];
/// Tracks of this many frames and more say what drift is a frame.
const LONG: usize = 10;

/// Figures against exact flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FlowFigures {
    /// Pairs of frames over which a track was kept.
    pub steps: usize,
    /// Error of a frame, px.
    pub median_px: Option<f64>,
    pub p95_px: Option<f64>,
    /// Share of the steps off by at most 1 px.
    pub within_1px: Option<f64>,
    /// Error of a track of ten frames and more at its end, over its age: px in 100 frames, median over tracks.
    pub drift_px_per_100: Option<f64>,
    /// Error against age.
    pub drift: Vec<AtAge>,
    pub survival: Survival,
    pub reacquisition: Reacquisition,
    /// `None` where the tracker gives no sigma.
    pub sigma: Option<SigmaFigures>,
}

/// Errors of tracks of one age, against what the frame of birth showed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct AtAge {
    /// Frames since birth.
    pub age: usize,
    pub tracks: usize,
    pub median_px: Option<f64>,
    pub p95_px: Option<f64>,
    pub within_1px: Option<f64>,
}

/// Medians of |error along an axis| / sigma: 0.67 of normal errors and a true sigma.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SigmaFigures {
    /// Of the error of a frame.
    pub of_step: Option<f64>,
    /// Of the error since birth.
    pub of_drift: Option<f64>,
}

/// A track in a frame, what it sits on, and what becomes of that in the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step<'a> {
    pub from: &'a Seen,
    pub moving: bool,
    pub next: Sight,
    /// The track in the next frame, if it was kept.
    pub to: Option<&'a Seen>,
}

impl Step<'_> {
    /// px; `None` of a track that was not kept.
    pub fn error(&self) -> Option<f64> {
        Some(error(self.next, self.to?))
    }
}

/// px.
fn error(truth: Sight, seen: &Seen) -> f64 {
    match truth {
        Sight::Seen(pixel) | Sight::Hidden(pixel) => distance(pixel, seen.position),
        Sight::Outside => f64::INFINITY,
    }
}

/// All but those of the last frame and those where the lens sees nothing.
pub(super) fn steps<'a>(histories: &'a [History], synth: &Synth, frames: usize) -> Vec<Step<'a>> {
    let of_track = |track: &'a History| {
        let before_last = track.seen.iter().filter(move |seen| seen.frame + 1 < frames);
        before_last.filter_map(|from| {
            let point = synth.surface_point(from.frame, from.position)?;
            let next = synth.sight(from.frame + 1, &point);
            Some(Step { from, moving: point.moving, next, to: track.at(from.frame + 1) })
        })
    };
    histories.iter().flat_map(of_track).collect()
}

pub(super) fn judge(run: &Run, histories: &[History], synth: &Synth) -> FlowFigures {
    let frames = run.frames.len();
    let steps = steps(histories, synth, frames);
    let mut errors: Values = steps.iter().filter_map(Step::error).collect();
    let births: Vec<Vec<Aged>> = histories.iter().map(|track| since_birth(track, synth)).collect();
    FlowFigures {
        steps: errors.len(),
        median_px: errors.median(),
        p95_px: errors.quantile(0.95),
        within_1px: errors.within(RIGHT_PX),
        drift_px_per_100: drift(&births),
        drift: AGES.iter().map(|&age| at_age(age, &births)).filter(|at| at.tracks > 0).collect(),
        survival: survival::judge(&steps, frames),
        reacquisition: survival::reacquisition(run, histories, synth),
        sigma: sigma(&steps, &births),
    }
}

/// A track some frames after its birth.
struct Aged<'a> {
    age: usize,
    truth: Sight,
    seen: &'a Seen,
}

fn since_birth<'a>(track: &'a History, synth: &Synth) -> Vec<Aged<'a>> {
    let born = |first: &Seen| Some((first.frame, synth.surface_point(first.frame, first.position)?));
    let Some((frame, point)) = track.seen.first().and_then(born) else { return Vec::new() };
    let point: SurfacePoint = point;
    let aged = |seen: &'a Seen| Aged { age: seen.frame - frame, truth: synth.sight(seen.frame, &point), seen };
    track.seen.iter().skip(1).map(aged).collect()
}

fn drift(births: &[Vec<Aged>]) -> Option<f64> {
    let of_track = |aged: &Vec<Aged>| {
        let last = aged.last().filter(|last| last.age >= LONG)?;
        Some(100.0 * error(last.truth, last.seen) / last.age as f64)
    };
    births.iter().filter_map(of_track).collect::<Values>().median()
}

fn at_age(age: usize, births: &[Vec<Aged>]) -> AtAge {
    let of_age = births.iter().flatten().filter(|aged| aged.age == age);
    let mut errors: Values = of_age.map(|aged| error(aged.truth, aged.seen)).collect();
    AtAge {
        age,
        tracks: errors.len(),
        median_px: errors.median(),
        p95_px: errors.quantile(0.95),
        within_1px: errors.within(RIGHT_PX),
    }
}

fn sigma(steps: &[Step], births: &[Vec<Aged>]) -> Option<SigmaFigures> {
    let over_sigma = |truth: Sight, seen: &Seen| -> Option<[f64; 2]> {
        let ([u, v], sigma) = (truth.pixel()?, seen.sigma?);
        Some([(seen.position[0] - u).abs() / sigma, (seen.position[1] - v).abs() / sigma])
    };
    let of_steps = steps.iter().filter_map(|step| over_sigma(step.next, step.to?)).flatten();
    let of_drift = births.iter().flatten().filter_map(|aged| over_sigma(aged.truth, aged.seen)).flatten();
    let (mut of_steps, mut of_drift): (Values, Values) = (of_steps.collect(), of_drift.collect());
    (of_steps.len() > 0).then(|| SigmaFigures { of_step: of_steps.median(), of_drift: of_drift.median() })
}
