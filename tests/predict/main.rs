//! Prediction of features from the gyroscope: against exact poses, with an IMU that misbehaves, and on a real fisheye.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

#[path = "../common/mod.rs"]
mod common;
mod imu;
mod real;

use nalgebra::{Rotation3, UnitQuaternion, Vector3};
use vio_frontend::camera::{CamImu, Camera};
use vio_frontend::frame::{ImuSample, StampNs};
use vio_frontend::imu::ImuRing;
use vio_frontend::params::{CameraModel, Params};
use vio_frontend::source::synth::{Synth, SynthOptions};
use vio_frontend::track::predict::{GyroPredictor, contradicted, predict};

const MS: StampNs = 1_000_000;

fn scene(name: &str, frames: usize) -> Synth {
    Synth::new(name, &SynthOptions { frames, ..SynthOptions::default() }).expect("a scene")
}

fn samples(synth: &Synth) -> Vec<ImuSample> {
    (0..synth.imu_samples()).map(|j| synth.imu(j)).collect()
}

fn ring(samples: impl IntoIterator<Item = ImuSample>) -> ImuRing {
    let mut ring = ImuRing::default();
    for sample in samples {
        ring.push(sample);
    }
    ring
}

/// A grid of pixels, 20 px apart.
fn grid(synth: &Synth) -> Vec<[f64; 2]> {
    let [width, height] = synth.camera().image_size().expect("a size");
    let columns = (10..width).step_by(20);
    (10..height).step_by(20).flat_map(|y| columns.clone().map(move |x| [f64::from(x), f64::from(y)])).collect()
}

/// The camera's true turn from image `k` to the next.
fn true_turn(synth: &Synth, k: usize) -> UnitQuaternion<f64> {
    let [a, b] = [k, k + 1].map(|k| synth.world_from_cam(k).rotation);
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(b.transpose() * a))
}

/// Angle in rad between the predicted turn and the true one, the worst over all images.
fn worst_error(synth: &Synth, imu: &ImuRing, params: &Params) -> f64 {
    let predictor = GyroPredictor::new(&synth.cam_imu(), params);
    let error = |k| {
        let turn = predictor.rotation(imu, synth.stamp_ns(k), synth.stamp_ns(k + 1)).expect("a prediction");
        turn.angle_to(&true_turn(synth, k))
    };
    (0..synth.frames() - 1).map(error).fold(0.0, f64::max)
}

#[test]
fn pure_rotation_is_predicted_within_a_fiftieth_of_a_pixel() {
    let synth = scene("fast_rotation", 60);
    let size = synth.camera().image_size().expect("a size");
    let (imu, pixels) = (ring(samples(&synth)), grid(&synth));
    let predictor = GyroPredictor::new(&synth.cam_imu(), &Params::default());
    let (mut worst, mut moved) = (0.0_f64, 0.0_f64);
    for k in 0..synth.frames() - 1 {
        let turn = predictor.rotation(&imu, synth.stamp_ns(k), synth.stamp_ns(k + 1)).expect("a prediction");
        let ours = predict(synth.camera(), size, &turn, &pixels).expect("plausible");
        let exact = predict(synth.camera(), size, &true_turn(&synth, k), &pixels).expect("plausible");
        moved = moved.max(ours.median_px);
        for (ours, exact) in ours.pixels.iter().zip(&exact.pixels) {
            if let (Some(a), Some(b)) = (ours, exact) {
                worst = worst.max((a[0] - b[0]).hypot(a[1] - b[1]));
            }
        }
    }
    // 20 rad/s^3 of jerk at 200 Hz bend the rate between samples by 6e-5 rad/s.
    assert!(worst < 0.02, "{worst} px");
    assert!(moved > 60.0, "the scene turns fast: {moved} px");
}

#[test]
fn what_translation_adds_is_small_where_the_camera_mostly_turns() {
    let synth = scene("fast_rotation", 40);
    let size = synth.camera().image_size().expect("a size");
    let (imu, pixels) = (ring(samples(&synth)), grid(&synth));
    let predictor = GyroPredictor::new(&synth.cam_imu(), &Params::default());
    let mut errors = Vec::new();
    for k in 0..synth.frames() - 1 {
        let turn = predictor.rotation(&imu, synth.stamp_ns(k), synth.stamp_ns(k + 1)).expect("a prediction");
        let predicted = predict(synth.camera(), size, &turn, &pixels).expect("plausible");
        for (&from, to) in pixels.iter().zip(&predicted.pixels) {
            if let (Some(to), Some(truth)) = (to, synth.flow(k, k + 1, from)) {
                errors.push((to[0] - truth[0]).hypot(to[1] - truth[1]));
            }
        }
    }
    errors.sort_by(f64::total_cmp);
    let median = errors[errors.len() / 2];
    assert!(errors.len() > 10_000 && median < 2.0, "{} flows, median {median} px", errors.len());
}

#[test]
fn bias_and_td_are_taken_off() {
    let synth = scene("fast_rotation", 30);
    let bias = [0.02, -0.05, 0.03];
    let shifted = samples(&synth).into_iter().map(|mut sample| {
        sample.gyro.iter_mut().zip(bias).for_each(|(rate, bias)| *rate += bias);
        sample.stamp_ns += 7 * MS;
        sample
    });
    let imu = ring(shifted);
    let told = Params { gyro_bias: bias.to_vec(), td: 0.007, ..Params::default() };
    assert!(worst_error(&synth, &imu, &told) < 2e-5);
    let bias_unknown = worst_error(&synth, &imu, &Params { td: 0.007, ..Params::default() });
    assert!((2e-3..4e-3).contains(&bias_unknown), "0.06 rad/s over 50 ms: {bias_unknown}");
    assert!(worst_error(&synth, &imu, &Params { gyro_bias: bias.to_vec(), ..Params::default() }) > 1e-3);
}

#[test]
fn the_clock_offset_of_the_calibration_holds_unless_td_is_set() {
    let synth = scene("fast_rotation", 20);
    let imu = ring(samples(&synth).into_iter().map(|s| ImuSample { stamp_ns: s.stamp_ns + 7 * MS, ..s }));
    let known = CamImu { timeshift_s: 0.007, ..synth.cam_imu() };
    let turn = |cam_imu: &CamImu, td| {
        let params = Params { td, ..Params::default() };
        GyroPredictor::new(cam_imu, &params).rotation(&imu, synth.stamp_ns(0), synth.stamp_ns(1)).expect("covered")
    };
    assert_eq!(turn(&known, 0.0), turn(&synth.cam_imu(), 0.007));
    assert_ne!(turn(&known, 0.001), turn(&known, 0.0));
}

#[test]
fn a_prediction_worse_than_none_is_noticed() {
    let right: Vec<_> =
        (0..30).map(|i| ([f64::from(i), 0.0], [f64::from(i) + 20.0, 0.0], [f64::from(i) + 20.5, 1.0])).collect();
    assert!(!contradicted(&right));
    let wrong: Vec<_> =
        right.iter().map(|&(start, predicted, found)| (start, [2.0 * start[0] - predicted[0], 0.0], found)).collect();
    assert!(contradicted(&wrong), "the sign of the gyroscope");
    assert!(!contradicted(&[]));
    let still = [([5.0, 5.0], [5.4, 5.0], [5.0, 5.0]); 9];
    assert!(!contradicted(&still), "less than a pixel is noise");
}

#[test]
fn features_that_leave_are_none_and_nothing_is_nan() {
    let cameras = [
        (CameraModel::Pinhole, vec![300.0, 300.0, 320.0, 240.0], vec![-0.28, 0.07, 0.0, 0.0]),
        (CameraModel::Pinhole, vec![300.0, 300.0, 320.0, 240.0], vec![0.5, -2.6, 0.0, 0.0, 1.5, 0.4, -2.5, 1.5]),
        (CameraModel::Equidistant, vec![200.0, 200.0, 320.0, 240.0], vec![0.01, 0.02, -0.04, 0.006]),
        (CameraModel::Omni, vec![0.9, 380.0, 380.0, 320.0, 240.0], vec![-0.2, 0.06, 0.0, 0.0]),
    ];
    for (model, intrinsics, distortion) in cameras {
        let camera = Camera::new(model, intrinsics, &distortion, None).expect("valid");
        let pixels: Vec<_> = (0..64).map(|i| [f64::from(i % 8) * 91.0, f64::from(i / 8) * 68.0]).collect();
        for angle in [0.0, 0.01, 0.3, 1.0, 2.0, 3.1] {
            let turn = UnitQuaternion::new(Vector3::new(0.1, 0.9, -0.3).normalize() * angle);
            let Ok(prediction) = predict(&camera, [640, 480], &turn, &pixels) else {
                assert!(angle >= 0.3, "{model} {angle}");
                continue;
            };
            assert_eq!(prediction.pixels.len(), pixels.len());
            for (from, to) in pixels.iter().zip(prediction.pixels) {
                let Some([u, v]) = to else { continue };
                assert!((0.0..=639.0).contains(&u) && (0.0..=479.0).contains(&v), "{u} {v}");
                let (a, b) = (camera.unproject(*from).unwrap(), camera.unproject([u, v]).unwrap());
                assert!((turn * Vector3::from(a) - Vector3::from(b)).norm() < 1e-9, "{model} {from:?}");
            }
        }
        let none = predict(&camera, [640, 480], &UnitQuaternion::identity(), &[[f64::NAN, 1.0], [0.0, f64::INFINITY]])
            .unwrap();
        assert_eq!((none.pixels, none.median_px), (vec![None, None], 0.0));
    }
}
