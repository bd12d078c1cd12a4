//! The judge of tracks on points followed by the exact flow, and on these with known faults.

use vio_frontend::eval::tracks::{FrameTracks, Knowledge, LostTrack, Observation, Run, TrackFigures, judge};
use vio_frontend::source::synth::{Synth, SynthOptions};

const FRAMES: usize = 16;

fn synth(name: &str) -> Synth {
    Synth::new(name, &SynthOptions { frames: FRAMES, ..SynthOptions::default() }).unwrap()
}

/// A point of a surface where a frame shows it.
struct Shown {
    id: u64,
    pixel: [f64; 2],
    moving: bool,
    /// Frames since its birth.
    age: usize,
}

/// Points born on a lattice in every fifth frame, as `observe(frame, point)` sees them in each frame that shows them.
fn observed(synth: &Synth, observe: impl Fn(usize, &Shown) -> Option<Observation>) -> Run {
    let lattice = || (0..21).flat_map(|y| (0..28).map(move |x| [23.0 * f64::from(x) + 9.3, 23.0 * f64::from(y) + 9.7]));
    let births = (0..FRAMES)
        .step_by(5)
        .flat_map(|birth| lattice().filter_map(move |pixel| Some((birth, synth.surface_point(birth, pixel)?))));
    let births: Vec<_> = births.collect();
    let frame = |k: usize| {
        let shown = births.iter().zip(0..).filter(|((birth, _), _)| *birth <= k).filter_map(|((birth, point), id)| {
            let pixel = synth.sight(k, point).pixel()?;
            Some(Shown { id, pixel, moving: point.moving, age: k - birth })
        });
        let observations = shown.filter_map(|shown| observe(k, &shown)).collect();
        FrameTracks { stamp_ns: synth.stamp_ns(k), observations, lost: Vec::new() }
    };
    Run { name: "true".to_owned(), frames: (0..FRAMES).map(frame).collect(), tells_losses: true }
}

/// As it is, moved along u.
fn at(shown: &Shown, du: f64) -> Observation {
    Observation { id: shown.id, position: [shown.pixel[0] + du, shown.pixel[1]], sigma: None }
}

fn figures(run: Run, synth: Synth) -> TrackFigures {
    judge(&[run], &Knowledge::of_synth(synth), None).swap_remove(0)
}

#[test]
fn true_tracks_have_no_error() {
    let synth = synth("corridor");
    let flow = figures(observed(&synth, |_, point| Some(at(point, 0.0))), synth).flow.unwrap();
    assert!(flow.steps > 5000 && flow.p95_px.unwrap() < 1e-6 && flow.within_1px == Some(1.0), "{flow:?}");
    assert!(flow.drift_px_per_100.unwrap() < 1e-6 && flow.drift.iter().all(|at| at.within_1px == Some(1.0)));
    assert_eq!(flow.drift.iter().map(|at| at.age).collect::<Vec<_>>(), [1, 2, 5, 10]);
    assert_eq!((flow.sigma, flow.reacquisition.lost), (None, 0));
    let survival = flow.survival;
    assert_eq!((survival.kept, survival.kept_right, survival.worst), (Some(1.0), Some(1.0), Some(1.0)));
}

#[test]
fn a_constant_slip_is_error_and_drift() {
    let synth = synth("room");
    let slip = |_: usize, point: &Shown| Some(at(point, 0.1 * point.age as f64));
    let flow = figures(observed(&synth, slip), synth).flow.unwrap();
    // The flow of neighbouring pixels differs a little.
    assert!((flow.median_px.unwrap() - 0.1).abs() < 0.01, "{flow:?}");
    assert!((flow.drift_px_per_100.unwrap() - 10.0).abs() < 0.01, "{flow:?}");
    for at in &flow.drift {
        assert!((at.median_px.unwrap() - 0.1 * at.age as f64).abs() < 1e-6, "{at:?}");
    }
}

#[test]
fn sigma_is_measured_against_errors() {
    let synth = synth("room");
    let off = |_: usize, point: &Shown| {
        let error = if point.age == 0 { 0.0 } else { 0.3 };
        let [u, v] = point.pixel;
        Some(Observation { id: point.id, position: [u + error, v - error], sigma: Some(0.2) })
    };
    let sigma = figures(observed(&synth, off), synth).flow.unwrap().sigma.unwrap();
    assert!((sigma.of_drift.unwrap() - 1.5).abs() < 1e-6, "{sigma:?}");
    assert!(sigma.of_step.unwrap() < 0.2, "{sigma:?}");
}

#[test]
fn gaps_are_lost_and_found_again() {
    let synth = synth("low_texture");
    // Every second track is away in frames 5 and 6.
    let away = |k: usize, point: &Shown| (point.id.is_multiple_of(2) || !(5..=6).contains(&k)).then(|| at(point, 0.0));
    let flow = figures(observed(&synth, away), synth).flow.unwrap();
    assert_eq!(flow.survival.worst_frame, Some(4));
    assert!((flow.survival.worst.unwrap() - 0.5).abs() < 0.05, "{:?}", flow.survival);
    let again = flow.reacquisition;
    // Those that come back in time from behind an edge are not lost.
    assert!(again.lost > 200 && again.rate.unwrap() > 0.98 && again.right == Some(1.0), "{again:?}");
}

#[test]
fn a_jump_counts_as_wrong_and_not_as_lost() {
    let synth = synth("corridor");
    let jump = |k: usize, point: &Shown| Some(at(point, if k >= 8 && point.id.is_multiple_of(4) { 3.0 } else { 0.0 }));
    let flow = figures(observed(&synth, jump), synth).flow.unwrap();
    let survival = flow.survival;
    assert_eq!(survival.worst_frame, Some(7));
    assert!((survival.worst.unwrap() - 0.75).abs() < 0.02 && survival.kept == Some(1.0), "{survival:?}");
    assert!(flow.within_1px.unwrap() < 1.0 - 0.2 / FRAMES as f64, "{flow:?}");
}

/// Points on moving boxes end as outliers in the frame after their birth, as do the first `wrongly` of the others.
fn with_outliers(synth: &Synth, drops: bool, wrongly: u64) -> Run {
    let mut run = observed(synth, |_, point| {
        let dropped = drops && point.moving || !point.moving && point.id < wrongly;
        (point.age == 0 || !dropped).then(|| at(point, 0.0))
    });
    let full = observed(synth, |_, point| Some(at(point, 0.0)));
    for (k, frame) in full.frames.iter().enumerate().skip(1) {
        let had = |id: u64| run.frames[k - 1].observations.iter().any(|seen| seen.id == id);
        let has = |id: u64| run.frames[k].observations.iter().any(|seen| seen.id == id);
        let ended = frame.observations.iter().map(|seen| seen.id).filter(|&id| had(id) && !has(id));
        run.frames[k].lost = ended.map(|id| LostTrack { id, reason: "outlier".to_owned() }).collect();
    }
    run
}

#[test]
fn outliers_are_what_moves_on_its_own() {
    let synth = synth("moving_objects");
    let judged = |drops, wrongly| figures(with_outliers(&synth, drops, wrongly), synth.clone()).outliers.unwrap();
    let none = judged(false, 0);
    assert!(none.cases > 20, "{none:?}");
    assert_eq!((none.recall, none.dropped, none.precision), (Some(0.0), Some(0), None));
    let all = judged(true, 0);
    assert_eq!((all.recall, all.precision), (Some(1.0), Some(1.0)));
    // The first points show the ceiling.
    let some = judged(true, 5);
    assert_eq!(some.dropped, Some(all.dropped.unwrap() + 5));
    let right = f64::from(all.dropped.unwrap() as u32);
    assert!((some.precision.unwrap() - right / (right + 5.0)).abs() < 1e-12, "{some:?}");
    // A run that gives no reasons has no precision.
    let silent = Run { tells_losses: false, ..with_outliers(&synth, true, 0) };
    assert_eq!(figures(silent, synth.clone()).outliers.unwrap().precision, None);
}
