//! Where calibrations come from: parameters, EuRoC files, camera_info; and what is refused.
#![allow(clippy::expect_used, clippy::panic)] // helper functions of tests

mod common;

use std::path::Path;

use vio_frontend::camera::{CalibrationError, Camera, CameraInfo, SensorYaml};
use vio_frontend::params::{CameraModel, Params};

const EUROC: &str = include_str!("calibration/euroc.yaml");

fn parse(text: &str) -> Result<SensorYaml, CalibrationError> {
    SensorYaml::parse(text, Path::new("sensor.yaml"))
}

fn refusal<T: std::fmt::Debug>(result: Result<T, CalibrationError>) -> String {
    result.expect_err("must be refused").to_string()
}

fn euroc() -> Camera {
    let distortion = [-0.28340811, 0.07395907, 0.00019359, 1.76187114e-05];
    Camera::new(CameraModel::Pinhole, [458.654, 457.296, 367.215, 248.375], &distortion, Some([752, 480]))
        .expect("valid")
}

fn camera_info() -> CameraInfo {
    CameraInfo {
        width: 752,
        height: 480,
        distortion_model: "plumb_bob".to_owned(),
        d: vec![-0.28340811, 0.07395907, 0.00019359, 1.76187114e-05, 0.0],
        k: [458.654, 0.0, 367.215, 0.0, 457.296, 248.375, 0.0, 0.0, 1.0],
    }
}

#[test]
fn a_euroc_file_is_read() {
    let sensor = parse(EUROC).expect("a valid file");
    assert_eq!(sensor.camera, euroc());
    assert_eq!(sensor.rate_hz, Some(20.0));
    let pose = sensor.body_from_cam.expect("T_BS");
    let matrix = pose.to_homogeneous();
    let row = [0.999557249008, 0.0149672133247, 0.025715529948, -0.064676986768];
    assert!(row.iter().zip(matrix.row(1).iter()).all(|(a, b)| (a - b).abs() < 1e-9), "{matrix}");
}

#[test]
fn dialects_of_yaml_are_understood() {
    let plain = parse(EUROC).expect("a valid file");
    for text in [
        EUROC.replace("%YAML:1.0\n", ""),
        EUROC.replace("%YAML:1.0", "%YAML:1.0\n---"),
        EUROC.replace("%YAML:1.0", "%YAML 1.2\n---"),
        EUROC.replace("T_BS:", "T_BS: !!opencv-matrix"),
        EUROC.replace('\n', "\r\n"),
        format!("\u{feff}{EUROC}"),
        EUROC.replace("radial-tangential", "radtan").replace("distortion_coefficients", "distortion_coeffs"),
        EUROC.replace("rate_hz: 20", "rate_hz: 20\t#\ta comment"),
    ] {
        assert_eq!(parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}")), plain);
    }
}

#[test]
fn the_files_of_the_test_data_are_read() {
    let Some(data) = common::test_data() else { return };
    let euroc_file = SensorYaml::read(&data.join("euroc_micro/mav0/cam0/sensor.yaml")).expect("EuRoC's own file");
    assert_eq!(euroc_file, parse(EUROC).expect("its copy"));
    let aria = SensorYaml::read(&data.join("aria_gen2_front/mav0/cam0/sensor.yaml")).expect("an equidistant file");
    assert_eq!((aria.camera.model(), aria.camera.image_size()), (CameraModel::Equidistant, Some([512, 512])));
}

#[test]
fn bad_files_are_refused_by_name() {
    let edited = |from: &str, to: &str| {
        assert!(EUROC.contains(from));
        refusal(parse(&EUROC.replace(from, to)))
    };
    assert!(refusal(parse("")).contains("sensor.yaml: the file is empty"));
    assert!(refusal(parse("%YAML:1.0\n")).contains("the file is empty"));
    assert!(refusal(parse("[1, 2")).contains("sensor.yaml"));
    assert!(edited("  cols", "\tcols").contains("line 7 holds a tab"));
    assert!(edited("rate_hz: 20", "rate_hz:\t20").contains("line 14 holds a tab"));
    assert!(edited("intrinsics", "intrinsic").contains("unknown key 'intrinsic'; did you mean 'intrinsics'?"));
    assert!(edited("resolution", "resolutoin").contains("unknown key 'resolutoin'; did you mean 'resolution'?"));
    assert!(edited("intrinsics:", "matrix:").contains("intrinsics is missing: 4 numbers are needed"));
    assert!(edited("458.654", ".nan").contains("fx is NaN"));
    assert!(edited("458.654", "wide").contains("sensor.yaml"));
    assert!(edited("458.654, ", "").contains("intrinsics is [457.296, 367.215, 248.375]: 4 numbers"));
    assert!(edited("[752, 480]", "[752]").contains("resolution is [752]: 2 whole numbers"));
    assert!(edited("[752, 480]", "[0, 480]").contains("image size is 0 x 480"));
    assert!(edited("camera_model: pinhole", "camera_model: ds").contains("camera_model 'ds' is not supported"));
    assert!(edited("camera_model: pinhole", "camera_model: omni").contains("5 numbers are needed: xi, fx, fy, cx, cy"));
    assert!(edited("radial-tangential", "fov").contains("distortion_model 'fov' is not supported; supported: radial"));
    assert!(edited("distortion_model: radial-tangential", "").contains("distortion_model 'missing'"));
    assert!(edited(", 1.76187114e-05", "").contains("distortion has 3 coefficients"));
    assert!(edited("rate_hz: 20", "rate_hz: 0").contains("rate_hz is 0: a positive number"));
    assert!(edited("0.999557249008", "0.9").contains("T_BS is ["));
    assert!(edited("0.999557249008", "0.9").contains("R R^T differs from the identity by 1.891e-1"));
    let mirrored = EUROC.replace(
        "0.0148655429818, -0.999880929698, 0.00414029679422",
        "-0.0148655429818, 0.999880929698, -0.00414029679422",
    );
    assert!(refusal(parse(&mirrored)).contains("its determinant is -1.000"));
    assert!(edited("0.0, 0.0, 0.0, 1.0]", "0.0, 0.0, 0.0, 2.0]").contains("the row 0, 0, 0, 1"));
    let missing = refusal(SensorYaml::read(Path::new("/nowhere/sensor.yaml")));
    assert!(missing.contains("calibration file /nowhere/sensor.yaml: No such file"), "{missing}");
}

#[test]
fn camera_info_is_read() {
    let camera = Camera::from_camera_info(&camera_info()).expect("valid").expect("calibrated");
    assert_eq!(camera, euroc());
    let mut rational = camera_info();
    rational.distortion_model = "rational_polynomial".to_owned();
    rational.d.extend([0.0, 0.0, 0.0]);
    assert_eq!(Camera::from_camera_info(&rational).expect("valid"), Some(euroc()));
    rational.d[6] = 0.02;
    rational.d.extend([0.0; 4]);
    let camera = Camera::from_camera_info(&rational).expect("valid").expect("calibrated");
    assert_eq!((camera.model(), camera.distortion()), (CameraModel::Pinhole, rational.d[..8].to_vec()));
    let fisheye =
        CameraInfo { distortion_model: "equidistant".to_owned(), d: vec![0.1, 0.0, 0.0, 0.0], ..camera_info() };
    let fisheye = Camera::from_camera_info(&fisheye).expect("valid").expect("calibrated");
    assert_eq!(fisheye.model(), CameraModel::Equidistant);
    let ideal = CameraInfo { distortion_model: String::new(), d: Vec::new(), width: 0, height: 0, ..camera_info() };
    let ideal = Camera::from_camera_info(&ideal).expect("valid").expect("calibrated");
    assert_eq!((ideal.image_size(), ideal.distortion()), (None, vec![0.0; 5]));
}

#[test]
fn camera_info_of_zeros_is_uncalibrated() {
    assert_eq!(Camera::from_camera_info(&CameraInfo::default()).expect("no error"), None);
    let uncalibrated = CameraInfo { k: [0.0; 9], ..camera_info() };
    assert_eq!(Camera::from_camera_info(&uncalibrated).expect("no error"), None);
}

#[test]
fn bad_camera_info_is_refused_by_name() {
    let edited = |edit: fn(&mut CameraInfo)| {
        let mut info = camera_info();
        edit(&mut info);
        refusal(Camera::from_camera_info(&info))
    };
    assert_eq!(
        edited(|info| info.d = vec![0.1; 3]),
        "calibration from camera_info: distortion has 3 coefficients: camera model 'pinhole' takes 0, 4, 5 or 8"
    );
    assert!(edited(|info| info.d[1] = f64::NAN).contains("distortion[1] is NaN"));
    assert!(edited(|info| info.k[0] = f64::NAN).contains("fx is NaN"));
    assert!(edited(|info| info.k[4] = 0.0).contains("fy is 0: a focal length must be positive"));
    assert!(edited(|info| info.k[1] = 0.5).contains("k[1] is 0.5"));
    assert!(edited(|info| info.height = 0).contains("image size is 752 x 0"));
    assert!(edited(|info| info.distortion_model.clear()).contains("distortion_model '' is not supported"));
    assert!(edited(|info| info.distortion_model = "fisheye62".to_owned()).contains("'fisheye62' is not supported"));
    let rational = edited(|info| {
        info.distortion_model = "rational_polynomial".to_owned();
        info.d = vec![0.1; 12];
    });
    assert!(rational.contains("distortion_model 'rational_polynomial' is not supported"), "{rational}");
}

#[test]
fn parameters_come_before_the_file_and_the_file_before_the_topic() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sensor.yaml");
    std::fs::write(&path, EUROC).expect("a file");
    let topic = Camera::new(CameraModel::Pinhole, [1.0, 1.0, 0.0, 0.0], &[], None).expect("valid");
    let delivered = || Ok(Some(topic.clone()));
    let mut params = Params::default();
    assert_eq!(Camera::resolve(&params, || Ok(None)).expect("uncalibrated is no error"), None);
    assert_eq!(Camera::resolve(&params, delivered).expect("valid"), Some(topic.clone()));
    params.calibration_file = path.display().to_string();
    assert_eq!(Camera::resolve(&params, delivered).expect("valid"), Some(euroc()));
    params.intrinsics = vec![300.0, 301.0, 320.0, 240.0];
    params.image_size = vec![640, 480];
    let camera = Camera::resolve(&params, delivered).expect("valid").expect("calibrated");
    assert_eq!((camera.intrinsics(), camera.image_size()), ([300.0, 301.0, 320.0, 240.0], Some([640, 480])));
}

#[test]
fn a_broken_calibration_never_falls_through() {
    let good = || Ok(Some(euroc()));
    let mut params = Params { calibration_file: "/nowhere/cam.yaml".to_owned(), ..Params::default() };
    assert!(refusal(Camera::resolve(&params, good)).contains("/nowhere/cam.yaml"));
    params.intrinsics = vec![0.0, 1.0, 1.0, 1.0];
    assert_eq!(
        refusal(Camera::resolve(&params, good)),
        "calibration from parameter intrinsics: fx is 0: a focal length must be positive"
    );
    let params = Params { image_size: vec![640, 480], ..Params::default() };
    assert!(refusal(Camera::resolve(&params, good)).contains("640 x 480, the calibration holds for 752 x 480"));
    let params = Params { image_size: vec![-1, 480], ..Params::default() };
    assert!(refusal(Camera::resolve(&params, good)).contains("image_size is [-1, 480]"));
}
