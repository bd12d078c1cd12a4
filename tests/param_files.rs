//! Parameter files: what they set, and what their errors say.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail by panicking")]

use std::path::{Path, PathBuf};

use vio_frontend::params::{CameraModel, HistogramMethod, Mode, OutputLayout, Params, read_param_file};

const NODE: &str = "/vio_frontend";

fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("params").join(name)
}

fn read_as(text: impl AsRef<[u8]>, node: &str) -> Result<Params, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.yaml");
    std::fs::write(&path, text).unwrap();
    Params::from_file(&path, node).map_err(|error| {
        let message = error.to_string();
        assert!(message.contains("p.yaml"), "no file name in: {message}");
        assert!(!message.contains('\n'), "more than one line: {message}");
        message
    })
}

fn read(text: impl AsRef<[u8]>) -> Result<Params, String> {
    read_as(text, NODE)
}

/// One parameter below the usual head; it stands on line 3.
fn set(line: &str) -> Result<Params, String> {
    read(format!("/**:\n  ros__parameters:\n    {line}\n"))
}

#[track_caller]
fn refused(result: Result<Params, String>, parts: &[&str]) {
    let message = result.expect_err("accepted");
    for part in parts {
        assert!(message.contains(part), "'{part}' is not in: {message}");
    }
}

#[test]
fn shipped_files_hold_what_the_struct_holds() {
    let default = std::fs::read_to_string(shipped("default.yaml")).unwrap();
    assert_eq!(default, Params::default().to_yaml(), "renew with: vio_frontend params print > params/default.yaml");
    assert_eq!(Params::from_file(&shipped("default.yaml"), NODE).unwrap(), Params::default());

    let vins =
        Params { max_cnt: 150, min_dist: 30.0, freq: 10.0, reacquire_frames: 0, F_threshold: 1.0, ..Params::default() };
    let mono =
        Params { output_layout: OutputLayout::VinsMono, histogram_method: HistogramMethod::Clahe, ..vins.clone() };
    assert_eq!(Params::from_file(&shipped("vins_mono.yaml"), NODE).unwrap(), mono);
    let fusion = Params { output_layout: OutputLayout::VinsFusion, ..vins };
    assert_eq!(Params::from_file(&shipped("vins_fusion.yaml"), NODE).unwrap(), fusion);

    let tx2 = Params { mode: Mode::Detect, max_cnt: 4600, image_size: vec![640, 480], ..Params::default() };
    assert_eq!(Params::from_file(&shipped("tx2_640x480.yaml"), NODE).unwrap(), tx2);

    let euroc = Params {
        camera_model: CameraModel::Pinhole,
        intrinsics: vec![458.654, 457.296, 367.215, 248.375],
        distortion: vec![-0.28340811, 0.07395907, 0.00019359, 1.76187114e-05],
        image_size: vec![752, 480],
        t_cam_imu: vec![
            0.014865542982,
            0.999557249008,
            -0.025774436697,
            0.065222909536, //
            -0.999880929698,
            0.014967213325,
            0.003756188358,
            -0.020706385493, //
            0.004140296794,
            0.025715529948,
            0.999660727178,
            -0.00805460246, //
            0.0,
            0.0,
            0.0,
            1.0,
        ],
        ..Params::default()
    };
    assert_eq!(Params::from_file(&shipped("euroc.yaml"), NODE).unwrap(), euroc);
}

#[test]
fn every_default_is_listed_or_commented_out() {
    let text = Params::default().to_yaml();
    for info in Params::table() {
        assert!(text.contains(&format!("{}: ", info.name)), "{} is missing", info.name);
    }
}

#[test]
fn printed_parameters_read_back_the_same() {
    let params = Params {
        mask_file: "a \"b\"\\é: #\n.png".to_owned(),
        intrinsics: vec![1e-7, 2.5, 1e300, 0.1],
        image_size: vec![752, 480],
        ..Params::default()
    };
    assert_eq!(read(params.to_yaml()).unwrap(), params);
}

#[test]
fn numbers_of_the_other_kind_are_taken() {
    assert_eq!(set("freq: 20").unwrap().freq, 20.0);
    assert_eq!(set("td: 1e-2").unwrap().td, 0.01);
    assert_eq!(set("max_cnt: 150.0").unwrap().max_cnt, 150);
    assert_eq!(set("intrinsics: [458, 457.5, 367, 248]").unwrap().intrinsics, [458.0, 457.5, 367.0, 248.0]);
    assert_eq!(set("image_size: [752.0, 480.0]").unwrap().image_size, [752, 480]);
    assert_eq!(set("intrinsics: []").unwrap().intrinsics, [0.0; 0]);
}

#[test]
fn wrong_types_name_line_key_and_value() {
    refused(set("max_cnt: 150.5"), &[":3:", "max_cnt", "150.5", "integer"]);
    refused(set("max_cnt: lots"), &[":3:", "max_cnt", "lots", "integer"]);
    refused(set("max_cnt: '150'"), &[":3:", "max_cnt", "\"150\"", "string", "integer"]);
    refused(set("use_mask: 1"), &[":3:", "use_mask", "1", "bool"]);
    refused(set("freq: true"), &[":3:", "freq", "true", "double"]);
    refused(set("mask_file: 12"), &[":3:", "mask_file", "12", "string"]);
    refused(set("max_cnt: [1, 2]"), &[":3:", "max_cnt", "[1, 2]", "integer array"]);
    refused(set("intrinsics: [1, two, 3, 4]"), &[":3:", "intrinsics", "two", "one type"]);
    refused(set("intrinsics: [[1, 2], [3, 4]]"), &[":3:", "intrinsics", "[1, 2]"]);
    refused(set("max_cnt:"), &[":3:", "max_cnt", "no value"]);
    refused(set("max_cnt: {few: 1}"), &[":3:", "max_cnt.few", "unknown", "max_cnt"]);
    refused(set("device: gpu"), &[":3:", "device", "gpu", "auto", "cuda", "cpu"]);
}

#[test]
fn values_out_of_range_name_the_range() {
    refused(set("max_cnt: 0"), &[":3:", "max_cnt", "0", "1", "65535"]);
    refused(set("max_cnt: -4"), &[":3:", "max_cnt", "-4"]);
    refused(set("max_cnt: 99999999999999999999"), &[":3:", "max_cnt", "range"]);
    refused(set("td: .nan"), &[":3:", "td", ".nan"]);
    refused(set("td: nan"), &[":3:", "td", "nan"]);
    refused(set("freq: .inf"), &[":3:", "freq", "inf"]);
    refused(set("intrinsics: [.nan, 1, 1, 1]"), &[":3:", "intrinsics", ".nan"]);
    refused(set("distortion: [0.1, 0.2, 0.3]"), &[":3:", "distortion", "3 coefficients", "[0, 4, 5, 8]"]);
    refused(set("intrinsics: [1.0, 2.0]"), &[":3:", "intrinsics", "2 values", "4 expected: fx, fy, cx, cy"]);
    let omni = "camera_model: omni\n    intrinsics: [400.0, 400.0, 320.0, 240.0]";
    refused(set(omni), &["intrinsics", "4 values", "5 expected: xi, fx, fy, cx, cy"]);
    refused(set("t_cam_imu: [1.0, 0.0]"), &[":3:", "t_cam_imu", "2 values", "16 expected"]);
    refused(set("gyro_bias: [0.1]"), &[":3:", "gyro_bias", "1 values", "3 expected"]);
    refused(set("gyro_bias: [0.0, 2.0, 0.0]"), &[":3:", "gyro_bias", "-1", "1"]);
    refused(set("fast_threshold_min: 70"), &[":3:", "fast_threshold_min", "70", "fast_threshold_max"]);
}

#[test]
fn unknown_keys_name_the_nearest_known_one() {
    refused(set("max_count: 150"), &[":3:", "max_count", "did you mean 'max_cnt'"]);
    refused(set("fast_treshold_min: 9"), &["fast_treshold_min", "did you mean 'fast_threshold_min'"]);
    refused(set("zzz: 9"), &[":3:", "zzz", "unknown"]);
}

#[test]
fn keys_of_every_node_are_no_error() {
    let params = set(
        "use_sim_time: true\n    qos_overrides:\n      /image:\n        subscription: {depth: 3}\n    start_type_description_service: false\n    max_cnt: 7",
    );
    assert_eq!(params.unwrap().max_cnt, 7);
    assert!(set("qos_overrides./image.subscription.depth: 3").is_ok());
}

#[test]
fn sections_are_found_as_ros_finds_them() {
    let section = |name: &str| format!("{name}:\n  ros__parameters:\n    max_cnt: 7\n");
    let found = |name: &str, node: &str| read_as(section(name), node).map(|params| params.max_cnt);
    for name in ["/**", "vio_frontend", "/vio_frontend", "/**/vio_frontend", "/*", "'*'"] {
        assert_eq!(found(name, NODE), Ok(7), "{name}");
    }
    for name in ["/**", "/ns/vio_frontend", "ns/vio_frontend", "/*/vio_frontend", "/**/vio_frontend"] {
        assert_eq!(found(name, "/ns/vio_frontend"), Ok(7), "{name}");
    }
    for name in ["/ns/vio_frontend", "/*/vio_frontend", "other"] {
        let message = found(name, NODE).expect_err(name);
        assert!(message.contains("no section") && message.contains(NODE), "{message}");
    }
    let nested = "ns:\n  vio_frontend:\n    ros__parameters:\n      max_cnt: 8\n";
    assert_eq!(read_as(nested, "/ns/vio_frontend").unwrap().max_cnt, 8);
}

#[test]
fn later_sections_override_and_other_nodes_are_skipped() {
    let text = "/**:\n  ros__parameters:\n    max_cnt: 1\n    grid_x: 4\nother:\n  ros__parameters:\n    speed: fast\n\
                vio_frontend:\n  ros__parameters:\n    max_cnt: 2\n";
    let params = read(text).unwrap();
    assert_eq!((params.max_cnt, params.grid_x), (2, 4));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.yaml");
    std::fs::write(&path, text).unwrap();
    let lines: Vec<u64> = read_param_file(&path, NODE).unwrap().iter().map(|entry| entry.line).collect();
    assert_eq!(lines, [3, 4, 10]);
}

#[test]
fn damaged_files_say_where_and_what() {
    refused(read(""), &["empty"]);
    refused(read("# nothing\n"), &["empty"]);
    refused(read("42\n"), &[":1:", "no map"]);
    refused(read("- a\n- b\n"), &[":1:", "no map"]);
    refused(read("/**:\n  ros__parameters:\n\tmax_cnt: 5\n"), &["line 3", "tab"]);
    refused(read("/**:\n\tros__parameters:\n\t\tmax_cnt: 5\n"), &["tab"]);
    refused(set("max_cnt: 5\n    max_cnt: 6"), &[":4:", "max_cnt", "uplicate"]);
    refused(set("intrinsics: [1, 2"), &["p.yaml:"]);
    refused(read("/**:\n  ros_parameters:\n    max_cnt: 5\n"), &["ros_parameters", "did you mean 'ros__parameters'"]);
    refused(read("/**:\n  max_cnt: 5\n"), &[":2:", "max_cnt", "ros__parameters"]);
    refused(read("ros__parameters:\n  max_cnt: 5\n"), &[":1:", "/**"]);
    refused(read("/**:\n  ros__parameters: 5\n"), &[":2:", "no map"]);
    refused(read("max_cnt: 5\n"), &[":1:", "max_cnt", "ros__parameters"]);
    refused(read([0x2f, 0xff, 0xfe]), &["UTF-8"]);
    refused(set("max_cnt: 5\n---\na: 1"), &["document"]);
    let missing = Params::from_file(Path::new("no/such.yaml"), NODE).unwrap_err().to_string();
    assert!(missing.contains("no/such.yaml") && missing.contains("cannot be read"), "{missing}");
}

#[test]
fn a_byte_order_mark_and_windows_lines_are_taken() {
    assert_eq!(read("\u{feff}/**:\n  ros__parameters:\n    max_cnt: 9\n").unwrap().max_cnt, 9);
    assert_eq!(read("/**:\r\n  ros__parameters:\r\n    max_cnt: 9\r\n").unwrap().max_cnt, 9);
    assert_eq!(read("/**:\n  ros__parameters:\n").unwrap(), Params::default());
}
