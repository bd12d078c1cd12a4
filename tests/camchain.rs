//! Kalibr's camchain files, and the extrinsics between camera and IMU from every place that can give them.
#![allow(clippy::expect_used, clippy::panic, reason = "helpers of tests fail by panicking")]

mod common;

use std::path::Path;

use vio_frontend::camera::{CalibrationError, CalibrationFile, CamImu, Camera, SensorYaml};
use vio_frontend::params::{CameraModel, Params};

const CHAIN: &str = include_str!("calibration/camchain.yaml");
const EUROC: &str = include_str!("calibration/euroc.yaml");

fn read(text: &str, name: &str) -> Result<CalibrationFile, CalibrationError> {
    CalibrationFile::parse(text, Path::new("chain.yaml"), name)
}

/// The message after an edit of cam0.
fn edited(from: &str, to: &str) -> String {
    assert!(CHAIN.contains(from));
    read(&CHAIN.replacen(from, to, 1), "cam0").expect_err("must be refused").to_string()
}

#[test]
fn every_camera_of_a_chain_is_read() {
    let cam0 = read(CHAIN, "cam0").expect("valid");
    let euroc = CalibrationFile::parse(EUROC, Path::new("sensor.yaml"), "cam0").expect("valid");
    assert_eq!(cam0.camera, euroc.camera);
    let (kalibr, asl) = (cam0.cam_imu.expect("T_cam_imu"), euroc.cam_imu.expect("T_BS"));
    // The same pose, once as T_cam_imu and once as its inverse T_BS.
    assert!((kalibr.cam_from_imu.to_homogeneous() - asl.cam_from_imu.to_homogeneous()).amax() < 1e-9);
    assert_eq!((kalibr.timeshift_s, asl.timeshift_s), (-0.0049, 0.0));

    let cam1 = read(CHAIN, "cam1").expect("valid");
    assert_eq!((cam1.camera.model(), cam1.camera.xi(), cam1.cam_imu), (CameraModel::Omni, Some(1.8), None));
    assert_eq!(cam1.camera.intrinsics(), [1089.3, 1088.5, 372.1, 236.8]);
    let cam2 = read(CHAIN, "cam2").expect("valid").camera;
    assert_eq!((cam2.model(), cam2.image_size()), (CameraModel::Equidistant, Some([512, 512])));
    assert_eq!(read(CHAIN, "cam3").expect("valid").camera.distortion(), [0.0; 5]);
}

#[test]
fn a_euroc_file_gives_the_same_by_either_reader() {
    let by_sensor = SensorYaml::parse(EUROC, Path::new("sensor.yaml")).expect("valid");
    let by_file = read(EUROC, "cam0").expect("valid");
    assert_eq!(by_file.camera, by_sensor.camera);
    let there_and_back = by_file.cam_imu.expect("T_BS").cam_from_imu * by_sensor.body_from_cam.expect("T_BS");
    assert!((there_and_back.to_homogeneous() - nalgebra::Matrix4::identity()).amax() < 1e-12);
}

#[test]
fn bad_chains_are_refused_by_name() {
    let unknown = read(CHAIN, "cam7").expect_err("no such camera").to_string();
    assert!(unknown.contains("no camera 'cam7'; the file has: cam0, cam1, cam2, cam3"), "{unknown}");
    for (from, to, message) in [
        (
            "camera_model: pinhole",
            "camera_model: eucm",
            "camera cam0: camera_model 'eucm' is not supported; supported: pin",
        ),
        ("distortion_model: radtan", "distortion_model: fov", "distortion_model 'fov' is not supported"),
        ("  distortion_model: radtan\n", "", "distortion_model 'missing' is not supported"),
        ("T_cam_imu", "T_cam_imus", "unknown key 'T_cam_imus'; did you mean 'T_cam_imu'?"),
        ("timeshift_cam_imu", "timeshift_cam_inu", "did you mean 'timeshift_cam_imu'?"),
        ("distortion_coeffs", "distortion_coefs", "unknown key 'distortion_coefs'; did you mean 'distortion_coeffs'?"),
        ("  resolution: [752, 480]\n", "", "resolution is missing"),
        ("  intrinsics: [458.654, 457.296, 367.215, 248.375]\n", "", "intrinsics is missing"),
        ("[458.654, ", "[", "intrinsics is [457.296, 367.215, 248.375]: 4 numbers are needed"),
        ("458.654", "wide", "chain.yaml"),
        ("458.654", ".nan", "fx is NaN"),
        ("[752, 480]", "[752]", "resolution is [752]"),
        ("-0.0049", "-4.9", "timeshift_cam_imu is -4.9: seconds from -1 to 1 are needed"),
        ("-0.0049", ".nan", "timeshift_cam_imu is NaN"),
        ("0.999557249008", "0.9", "T_cam_imu is ["),
        ("0.06522290953527", ".inf", "T_cam_imu[3] is inf: a finite number is needed"),
        ("  - [0.0, 0.0, 0.0, 1.0]\n", "", "16 numbers are needed"),
        ("  cam_overlaps: [1]", "\tcam_overlaps: [1]", "line 7 holds a tab"),
    ] {
        let found = edited(from, to);
        assert!(found.contains(message), "'{message}' is not in: {found}");
    }
}

#[test]
fn calibration_camera_chooses_and_parameters_win() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("camchain.yaml");
    std::fs::write(&path, CHAIN).expect("a file");
    let mut params = Params { calibration_file: path.display().to_string(), ..Params::default() };
    let resolve = |params: &Params, delivered| CamImu::resolve(params, delivered).expect("valid");

    let from_file = resolve(&params, None).expect("cam0 has extrinsics");
    assert_eq!((from_file.timeshift_s, from_file.td_s(&params)), (-0.0049, -0.0049));
    params.td = 0.002;
    assert_eq!(from_file.td_s(&params), 0.002);

    params.calibration_camera = "cam1".to_owned();
    let camera = Camera::resolve(&params, || Ok(None)).expect("valid").expect("calibrated");
    assert_eq!(camera.model(), CameraModel::Omni);
    assert_eq!(resolve(&params, None), None);
    assert_eq!(resolve(&params, Some(from_file)), Some(from_file), "what came with the images");

    params.t_cam_imu = vec![0.0, 1.0, 0.0, 0.1, -1.0, 0.0, 0.0, 0.2, 0.0, 0.0, 1.0, 0.3, 0.0, 0.0, 0.0, 1.0];
    let set = resolve(&params, Some(from_file)).expect("the parameter");
    assert!(
        (set.cam_from_imu * nalgebra::Point3::new(1.0, 0.0, 0.0) - nalgebra::Point3::new(0.1, -0.8, 0.3)).norm()
            < 1e-12
    );
    params.t_cam_imu[0] = 0.5;
    let error = CamImu::resolve(&params, None).expect_err("no rotation").to_string();
    assert!(error.starts_with("calibration from parameter t_cam_imu: t_cam_imu is [0.5, 1.0"), "{error}");
}

#[test]
fn a_missing_file_is_an_error_for_the_extrinsics_too() {
    let params = Params { calibration_file: "/nowhere/chain.yaml".to_owned(), ..Params::default() };
    let error = CamImu::resolve(&params, None).expect_err("no file").to_string();
    assert!(error.contains("/nowhere/chain.yaml"), "{error}");
}

#[test]
fn the_files_of_the_test_data_have_extrinsics() {
    let Some(data) = common::test_data() else { return };
    for (file, has) in [
        ("euroc_micro/mav0/cam0/sensor.yaml", true),
        ("aria_gen2_front/mav0/cam0/sensor.yaml", true),
        ("tum_fr2_desk/calibration.yaml", false),
    ] {
        let read = CalibrationFile::read(&data.join(file), "cam0").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(read.cam_imu.is_some(), has, "{file}");
    }
}
