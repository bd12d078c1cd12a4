//! Where models end, and what is refused.

use vio_frontend::camera::{Camera, CameraError};
use vio_frontend::params::CameraModel::{Equidistant, Omni, Pinhole};

use crate::euroc;

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
