//! What the gyroscope adds, and what it cannot spoil.

use vio_frontend::frame::ImuSample;
use vio_frontend::frontend::FrameOutput;
use vio_frontend::imu::Coverage;
use vio_frontend::params::Params;
use vio_frontend::source::synth::Synth;
use vio_frontend::track::predict::NoPrediction;

use super::{MS, frontend, run, run_with, samples, scene, survival};

fn run_with_imu(synth: &Synth, imu: &[ImuSample]) -> Vec<FrameOutput> {
    run_with(synth, &mut frontend(synth, &Params::default()), imu, 5 * MS, |_, _| {})
}

fn predictions(outputs: &[FrameOutput]) -> Vec<Result<f64, NoPrediction>> {
    outputs.iter().map(|output| output.tracking.as_ref().unwrap().prediction).collect()
}

#[test]
fn fast_turns_need_the_gyroscope() {
    let synth = scene("fast_rotation", 24);
    let with = run(&synth, &Params::default());
    assert!(predictions(&with)[1..].iter().all(Result::is_ok));
    let without = run_with_imu(&synth, &[]);
    assert!(predictions(&without)[1..].iter().all(|p| *p == Err(NoPrediction::Imu(Coverage::Empty))));
    // What a turn of 9 degrees a frame takes out of the image counts as lost here. Without the gyroscope tracks start from
    // how they moved before, which is half the way; the search back, which begins where they were, then drops fewer of those
    // that are right: 0.90 and 0.71 are kept.
    let (with, without) = (survival(&with), survival(&without));
    assert!(with > 0.85 && with > without + 0.15, "survival {with} with the gyroscope, {without} without");
}

#[test]
fn t06_duplicates_and_late_samples_change_nothing() {
    let synth = scene("corridor", 10);
    let clean = samples(&synth);
    let clean_run = run_with_imu(&synth, &clean);
    let twice: Vec<ImuSample> = clean.iter().flat_map(|sample| [*sample, *sample]).collect();
    for (a, b) in clean_run.iter().zip(&run_with_imu(&synth, &twice)) {
        assert_eq!((&a.points, &a.tracking), (&b.points, &b.tracking));
    }
    // Samples of the last 30 ms are missing at each image: no prediction, and the same tracks within 2 %.
    let late = run_with(&synth, &mut frontend(&synth, &Params::default()), &clean, -30 * MS, |_, _| {});
    assert!(predictions(&late)[2..].iter().all(|p| matches!(p, Err(NoPrediction::Imu(Coverage::NotYet { .. })))));
    let (clean, late) = (survival(&clean_run), survival(&late));
    assert!((clean - late).abs() < 0.02, "survival {clean}, with late samples {late}");
}

#[test]
fn an_imu_that_cannot_be_right_is_refused_and_tracks_go_on() {
    let synth = scene("fast_rotation", 16);
    let clean = samples(&synth);
    let without = survival(&run_with_imu(&synth, &[]));
    let changed = |change: &dyn Fn(&ImuSample) -> ImuSample| {
        let outputs = run_with_imu(&synth, &clean.iter().map(change).collect::<Vec<_>>());
        let kept = survival(&outputs);
        assert!(kept >= without - 0.02, "survival {kept}, without an IMU {without}");
        predictions(&outputs)
    };
    let degrees = changed(&|s| ImuSample { gyro: s.gyro.map(f64::to_degrees), ..*s });
    assert!(degrees.iter().filter(|p| matches!(p, Err(NoPrediction::Rate { .. }))).count() > 8, "{degrees:?}");
    let other_clock = changed(&|s| ImuSample { stamp_ns: s.stamp_ns + 3_600_000 * MS, ..*s });
    assert!(other_clock[1..].iter().all(|p| p.is_err()), "{other_clock:?}");
}

#[test]
fn axes_that_are_wrong_are_found_out() {
    let synth = scene("room", 24);
    let wrong = samples(&synth).iter().map(|s| ImuSample { gyro: s.gyro.map(|w| -8.0 * w), ..*s }).collect::<Vec<_>>();
    let outputs = run_with_imu(&synth, &wrong);
    let refused = predictions(&outputs).iter().filter(|p| **p == Err(NoPrediction::Contradicted)).count();
    assert!(refused > 12, "{:?}", predictions(&outputs));
    let (kept, without) = (survival(&outputs), survival(&run_with_imu(&synth, &[])));
    assert!(kept > without - 0.05, "survival {kept}, without an IMU {without}");
}
