//! Camera models: against OpenCV, there and back over whole images, and at the edge of their validity.
#![allow(clippy::expect_used, clippy::panic)] // helper functions of tests

mod common;

use proptest::prelude::*;
use vio_frontend::camera::{Camera, CameraError, SensorYaml};
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
    for line in include_str!("oracle/camera.csv").lines().filter(|line| !line.starts_with('#')) {
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

#[test]
fn a_pinhole_sees_nothing_behind_it() {
    for point in [[0.1, 0.2, -1.0], [0.1, 0.2, 0.0], [0.0, 0.0, 0.0], [f64::NAN, 0.0, 1.0], [f64::INFINITY, 0.0, 1.0]] {
        assert_eq!(euroc().project(point), None, "{point:?}");
    }
}

#[test]
fn a_barrel_lens_ends_where_it_folds_back() {
    // x' = x (1 - 0.3 x^2) turns at x = 1 / sqrt(0.9) = 1.0541, where x' = 0.7027.
    let camera = Camera::new(Pinhole, [100.0, 100.0, 0.0, 0.0], &[-0.3, 0.0, 0.0, 0.0], None).expect("valid");
    let [u, _] = camera.project([1.054, 0.0, 1.0]).expect("inside");
    assert!((u - 100.0 * 1.054 * (1.0 - 0.3 * 1.054 * 1.054)).abs() < 1e-12);
    assert_eq!(camera.project([1.055, 0.0, 1.0]), None);
    let [x, y] = camera.normalise([70.27, 0.0]).expect("inside");
    assert!(x < 1.0541 && x > 1.04 && y == 0.0, "{x}");
    assert_eq!(camera.normalise([70.3, 0.0]), None);
    assert_eq!(camera.normalise([5000.0, -5000.0]), None);
}

#[test]
fn a_fisheye_sees_beyond_90_degrees_but_not_on_the_plane() {
    let camera = Camera::new(Equidistant, [200.0, 200.0, 320.0, 240.0], &[], None).expect("valid");
    let (sin, cos) = 1.7_f64.sin_cos();
    let [u, v] = camera.project([sin, 0.0, cos]).expect("a fisheye sees 97 degrees");
    assert!((u - (320.0 + 200.0 * 1.7)).abs() < 1e-9 && v == 240.0);
    let ray = camera.unproject([u, v]).expect("inside");
    assert!((ray[0] - sin).abs() < 1e-12 && (ray[2] - cos).abs() < 1e-12);
    assert_eq!(camera.normalise([u, v]), None);
    assert_eq!(camera.unproject([320.0 + 200.0 * 3.2, 240.0]), None, "beyond half a turn");
    assert_eq!(camera.project([0.0, 0.0, -1.0]), None);
    assert_eq!(camera.normalise([320.0, 240.0]), Some([0.0, 0.0]));
}

#[test]
fn a_rational_lens_ends_at_its_turn_or_its_pole() {
    // x (1 + x^2) / (1 - x^2) has its pole at x = 1; x / (1 + x^2) turns at x = 1, where it is 0.5.
    let camera = |k: [f64; 8]| Camera::new(Pinhole, [100.0, 100.0, 0.0, 0.0], &k, None).expect("valid");
    let pole = camera([1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0]);
    let [u, _] = pole.project([0.5, 0.0, 1.0]).expect("inside");
    assert!((u - 100.0 * 0.5 * 1.25 / 0.75).abs() < 1e-12, "{u}");
    assert_eq!(pole.project([1.001, 0.0, 1.0]), None);
    let [x, _] = pole.normalise([1e4, 0.0]).expect("close to the pole");
    assert!((x * (1.0 + x * x) - 100.0 * (1.0 - x * x)).abs() < 1e-9 && x < 1.0, "{x}");
    let turn = camera([0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    assert_eq!(turn.project([1.001, 0.0, 1.0]), None);
    let [x, _] = turn.normalise([49.9, 0.0]).expect("inside");
    assert!((x / (1.0 + x * x) - 0.499).abs() < 1e-12 && x < 1.0, "{x}");
    assert_eq!(turn.normalise([50.1, 0.0]), None);
}

#[test]
fn eight_coefficients_without_a_denominator_are_five() {
    let k = [-0.28, 0.07, 0.0002, 0.00001, 0.01, 0.0, 0.0, 0.0];
    let intrinsics = [458.654, 457.296, 367.215, 248.375];
    assert_eq!(Camera::new(Pinhole, intrinsics, &k, None), Camera::new(Pinhole, intrinsics, &k[..5], None));
}

#[test]
fn an_omnidirectional_lens_ends_at_its_widest_angle() {
    for (xi, widest) in [(2.0_f64, (-0.5_f64).acos()), (0.5, (-0.5_f64).acos()), (1.0, std::f64::consts::PI)] {
        let camera = Camera::new(Omni, [xi, 100.0, 100.0, 0.0, 0.0], &[], None).expect("valid");
        let at = |angle: f64| [angle.sin(), 0.0, angle.cos()];
        // Towards the widest angle the image of xi <= 1 goes to infinity: it is used up to 89.9 degrees on the plane.
        let ray = camera.unproject(camera.project(at(widest - 0.01)).expect("inside")).expect("inside");
        assert!((ray[0] - at(widest - 0.01)[0]).abs() < 1e-9 && (ray[2] - at(widest - 0.01)[2]).abs() < 1e-9, "{xi}");
        if widest < 3.0 {
            assert_eq!(camera.project(at(widest + 0.01)), None, "{xi}");
        }
        assert_eq!(camera.project([0.0, 0.0, -1.0]), None);
        assert_eq!(camera.project([0.0; 3]), None);
        assert_eq!(camera.project([f64::NAN, 0.0, 1.0]), None);
    }
    // Beyond radius 1 / sqrt(xi^2 - 1) no ray of the sphere arrives.
    let camera = Camera::new(Omni, [2.0, 100.0, 100.0, 0.0, 0.0], &[], None).expect("valid");
    assert!(camera.unproject([57.7, 0.0]).is_some());
    assert_eq!(camera.unproject([57.8, 0.0]), None);
    assert!((camera.pixels_per_radian() - 100.0 / 3.0).abs() < 1e-12);
}

#[test]
fn bad_calibrations_are_refused_by_name() {
    let message = |model, intrinsics: [f64; 4], distortion: &[f64], size| {
        Camera::new(model, intrinsics, distortion, size).expect_err("must be refused").to_string()
    };
    let good = [400.0, 400.0, 320.0, 240.0];
    assert_eq!(message(Pinhole, [f64::NAN, 1.0, 0.0, 0.0], &[], None), "fx is NaN: a finite number is needed");
    assert_eq!(message(Pinhole, [1.0, -2.0, 0.0, 0.0], &[], None), "fy is -2: a focal length must be positive");
    assert_eq!(
        message(Pinhole, good, &[0.1, f64::INFINITY, 0.0, 0.0], None),
        "distortion[1] is inf: a finite number is needed"
    );
    assert_eq!(
        message(Pinhole, good, &[0.1; 12], None),
        "distortion has 12 coefficients: camera model 'pinhole' takes 0, 4, 5 or 8"
    );
    assert_eq!(
        message(Equidistant, good, &[0.1; 5], None),
        "distortion has 5 coefficients: camera model 'equidistant' takes 0 or 4"
    );
    assert_eq!(
        message(Pinhole, good, &[], Some([0, 480])),
        "image size is 0 x 480: width and height must be at least 1"
    );
    assert_eq!(
        message(Omni, good, &[], None),
        "intrinsics is [400.0, 400.0, 320.0, 240.0]: 5 numbers are needed: xi, fx, fy, cx, cy"
    );
    let omni = |xi, distortion: &[f64]| {
        Camera::new(Omni, [xi, 400.0, 400.0, 320.0, 240.0], distortion, None).expect_err("must be refused").to_string()
    };
    assert_eq!(omni(f64::NAN, &[]), "xi is NaN: a finite number is needed");
    assert_eq!(omni(-0.1, &[]), "xi is -0.1: a number from 0 to 100 is needed");
    assert_eq!(omni(1.0, &[0.1; 5]), "distortion has 5 coefficients: camera model 'omni' takes 0 or 4");
}

#[test]
fn images_of_another_size_are_refused() {
    assert_eq!(euroc().check_image_size([752, 480]), Ok(()));
    let error = euroc().check_image_size([376, 240]).expect_err("another size");
    assert_eq!(error, CameraError::SizeDiffers { image: [376, 240], calibrated: [752, 480] });
    assert!(error.to_string().starts_with("image size is 376 x 240, the calibration holds for 752 x 480"));
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
