//! Camera models: against OpenCV, there and back over whole images, and at the edge of their validity.
#![allow(clippy::expect_used, clippy::panic)] // helper functions of tests

#[path = "../common/mod.rs"]
mod common;
mod edges;

use proptest::prelude::*;
use vio_frontend::camera::{Camera, SensorYaml};
use vio_frontend::params::CameraModel::{self, Equidistant, Omni, Pinhole};

/// Calibrations as real cameras have them.
fn cameras() -> Vec<(&'static str, Camera)> {
    let camera = |model, intrinsics: &[f64], distortion: &[f64], size| {
        Camera::new(model, intrinsics, distortion, Some(size)).expect("a valid calibration")
    };
    vec![
        ("euroc", euroc()),
        (
            "tum",
            camera(
                Pinhole,
                &[520.908620, 521.007327, 325.141442, 249.701764],
                &[0.231222, -0.784899, -0.003257, -0.000105, 0.917205],
                [640, 480],
            ),
        ),
        (
            "aria",
            camera(
                Equidistant,
                &[245.428530, 245.423259, 254.253993, 259.182313],
                &[0.016336850, 0.025643332, -0.044562128, 0.006854709],
                [512, 512],
            ),
        ),
        (
            "mynteye",
            camera(
                Equidistant,
                &[366.163, 365.631, 380.573, 225.950],
                &[-0.020476443, -0.007108226, 0.002180580, -0.001192386],
                [752, 480],
            ),
        ),
        (
            "kinect",
            camera(
                Pinhole,
                &[609.9, 609.8, 637.7, 367.9],
                &[0.5127, -2.6885, 0.000775, -0.000106, 1.5457, 0.3913, -2.5051, 1.4702],
                [1280, 720],
            ),
        ),
        ("omni", camera(Omni, &[1.8, 1089.3, 1088.5, 372.1, 236.8], &[-0.05, 0.18, 0.0004, -0.0003], [752, 480])),
        ("omni_below_1", camera(Omni, &[0.92, 420.0, 421.0, 320.5, 240.5], &[-0.2, 0.06, 0.0003, 0.0001], [640, 480])),
    ]
}

fn euroc() -> Camera {
    Camera::new(
        Pinhole,
        [458.654, 457.296, 367.215, 248.375],
        &[-0.28340811, 0.07395907, 0.00019359, 1.76187114e-05],
        Some([752, 480]),
    )
    .expect("a valid calibration")
}

/// Greatest error in pixels of pixel -> plane -> pixel and pixel -> direction -> pixel over the whole image; of a
/// fisheye over the 80 degrees from its axis that its calibration covers (the corners of Aria's image are dark).
fn round_trip_error(camera: &Camera) -> f64 {
    let [width, height] = camera.image_size().expect("a calibration with a size");
    let (sin, cos) = 80_f64.to_radians().sin_cos();
    let field = match camera.model() {
        Pinhole => f64::INFINITY,
        Equidistant | Omni => camera.project([sin, 0.0, cos]).expect("80 degrees")[0] - camera.intrinsics()[2],
    };
    let [_, _, cx, cy] = camera.intrinsics();
    let mut worst = 0.0_f64;
    for y in 0..height {
        for x in 0..width {
            let pixel = [f64::from(x), f64::from(y)];
            if (pixel[0] - cx).hypot(pixel[1] - cy) > field {
                continue;
            }
            let [px, py] = camera.normalise(pixel).unwrap_or_else(|| panic!("{pixel:?} has no point"));
            let ray = camera.unproject(pixel).unwrap_or_else(|| panic!("{pixel:?} has no ray"));
            for point in [[px, py, 1.0], ray] {
                let [u, v] = camera.project(point).unwrap_or_else(|| panic!("{point:?} has no pixel"));
                worst = worst.max((u - pixel[0]).abs()).max((v - pixel[1]).abs());
            }
        }
    }
    worst
}

#[test]
fn every_pixel_of_real_cameras_returns_to_itself() {
    for (name, camera) in cameras() {
        let error = round_trip_error(&camera);
        assert!(error < 1e-9, "{name}: {error} px");
    }
}

#[test]
fn every_calibration_of_the_test_data_returns_to_itself() {
    let Some(data) = common::test_data() else { return };
    for file in [
        "euroc_micro/mav0/cam0/sensor.yaml",
        "euroc_micro/mav0/cam1/sensor.yaml",
        "aria_gen2_front/mav0/cam0/sensor.yaml",
        "aria_gen2_front/mav0/cam1/sensor.yaml",
        "gopro_karma_a/mav0/cam0/sensor.yaml",
        "rpg_tags_pnp/mav0/cam0/sensor.yaml",
        "kitti_07/mav0/cam0/sensor.yaml",
        "scenery_hut/mav0/cam0/sensor.yaml",
        "tum_fr2_desk/calibration.yaml",
        "photos/fisheye_saturated_752x480.yaml",
    ] {
        let sensor = SensorYaml::read(&data.join(file)).unwrap_or_else(|error| panic!("{error}"));
        let error = round_trip_error(&sensor.camera);
        assert!(error < 1e-9, "{file}: {error} px");
    }
}

#[test]
fn projections_are_those_of_opencv() {
    let mut rows = 0;
    for line in include_str!("../oracle/camera.csv").lines().filter(|line| !line.starts_with('#')) {
        let (name, numbers) = line.split_once(',').expect("a camera name");
        let numbers: Vec<f64> = numbers.split(',').map(|n| n.parse().expect("a number")).collect();
        let &[x, y, z, u, v] = numbers.as_slice() else { panic!("five numbers: {line}") };
        let camera = cameras().into_iter().find(|(known, _)| *known == name).expect("a known camera").1;
        let [pu, pv] = camera.project([x, y, z]).unwrap_or_else(|| panic!("no pixel: {line}"));
        assert!((pu - u).abs() < 1e-9 && (pv - v).abs() < 1e-9, "{line}: {pu}, {pv}");
        rows += 1;
    }
    assert_eq!(rows, 180);
}

/// Model and number of coefficients.
fn any_model() -> impl Strategy<Value = (CameraModel, usize)> {
    prop::sample::select(vec![(Pinhole, 5), (Pinhole, 8), (Equidistant, 4), (Omni, 4)])
}

fn any_camera((model, count): (CameraModel, usize), xi: f64, k: &[f64]) -> Camera {
    let intrinsics = [xi, 400.0, 410.0, 320.0, 240.0];
    let intrinsics = if model == Omni { &intrinsics[..] } else { &intrinsics[1..] };
    Camera::new(model, intrinsics, &k[..count], None).expect("valid")
}

proptest! {
    /// Whatever the coefficients and the pixel: no NaN, and what is answered is right.
    #[test]
    fn answers_are_finite_and_consistent(
        model in any_model(),
        xi in 0.0..4.0_f64,
        k in prop::array::uniform8(-2.0..2.0_f64),
        pixel in prop::array::uniform2(-2000.0..3000.0_f64),
    ) {
        let camera = any_camera(model, xi, &k);
        if let Some(ray) = camera.unproject(pixel) {
            prop_assert!(ray.iter().all(|v| v.is_finite()));
            prop_assert!((ray.iter().map(|v| v * v).sum::<f64>() - 1.0).abs() < 1e-12);
            // At the very fold the ray may round to the far side, where it has no pixel.
            if let Some([u, v]) = camera.project(ray) {
                prop_assert!((u - pixel[0]).abs() < 1e-6 && (v - pixel[1]).abs() < 1e-6, "{} {}", u, v);
            }
        }
        if let Some([x, y]) = camera.normalise(pixel) {
            prop_assert!(x.is_finite() && y.is_finite());
        }
    }

    /// What a lens shows it finds again.
    #[test]
    fn what_is_projected_is_found_again(
        model in any_model(),
        xi in 0.0..4.0_f64,
        k in prop::array::uniform8(-0.3..0.3_f64),
        point in prop::array::uniform2(-0.6..0.6_f64),
    ) {
        let camera = any_camera(model, xi, &[k[0], k[1], 0.02 * k[2], 0.02 * k[3], k[4], k[5], k[6], k[7]]);
        if let Some(pixel) = camera.project([point[0], point[1], 1.0]) {
            let [x, y] = camera.normalise(pixel).expect("a pixel that was projected to");
            let [u, v] = camera.project([x, y, 1.0]).expect("its point");
            prop_assert!((u - pixel[0]).abs() < 1e-8 && (v - pixel[1]).abs() < 1e-8);
        }
    }
}
