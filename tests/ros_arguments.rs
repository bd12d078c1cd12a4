//! The ROS 2 command line: parameter files and overrides are read here, the rest passes through.

#![allow(clippy::unwrap_used, reason = "a helper that fails, fails its test")]

use vio_frontend::params::Params;
use vio_frontend::ros::arguments::Arguments;

fn parse(args: &[&str]) -> Result<Arguments, String> {
    let program = std::iter::once("vio_frontend_node");
    Arguments::parse(program.chain(args.iter().copied()).map(str::to_owned)).map_err(|e| e.to_string())
}

fn file(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("params.yaml");
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

#[test]
fn remaps_pass_through_and_parameters_do_not() {
    let (_folder, path) = file("/**:\n  ros__parameters:\n    max_cnt: 7\n    freq: 5\n");
    let args = [
        "--ros-args",
        "-r",
        "image:=/cam",
        "--params-file",
        &path,
        "-p",
        "freq:=1e1",
        "--log-level",
        "info",
        "--",
        "-p",
    ];
    let parsed = parse(&args).unwrap();
    assert_eq!(parsed.params, Params { max_cnt: 7, freq: 10.0, ..Params::default() });
    let expected = ["vio_frontend_node", "--ros-args", "-r", "image:=/cam", "--log-level", "info", "--", "-p"];
    assert_eq!(parsed.for_context, expected);
}

#[test]
fn later_sources_win() {
    let (_folder, path) = file("/**:\n  ros__parameters:\n    max_cnt: 7\n");
    let before = parse(&["--ros-args", "-p", "max_cnt:=5", "--params-file", &path]).unwrap();
    let after = parse(&["--ros-args", "--params-file", &path, "-p", "max_cnt:=5"]).unwrap();
    assert_eq!((before.params.max_cnt, after.params.max_cnt), (7, 5));
}

#[test]
fn sections_and_overrides_are_those_of_the_remapped_node() {
    let (_folder, path) =
        file("/robot/front:\n  ros__parameters:\n    max_cnt: 7\n/robot/rear:\n  ros__parameters:\n    nonsense: 8\n");
    let name = ["--ros-args", "-r", "__ns:=/robot", "-r", "__node:=front", "--params-file", &path];
    let overrides = ["-p", "front:freq:=3.0", "-p", "rear:freq:=4.0"];
    let parsed = parse(&[&name[..], &overrides[..]].concat()).unwrap();
    assert_eq!((parsed.params.max_cnt, parsed.params.freq), (7, 3.0));
}

#[test]
fn use_sim_time_reaches_the_client_library() {
    let (_folder, path) = file("/**:\n  ros__parameters:\n    use_sim_time: true\n");
    for args in [vec!["--ros-args", "-p", "use_sim_time:=true"], vec!["--ros-args", "--params-file", &path]] {
        let parsed = parse(&args).unwrap();
        assert!(parsed.for_context.ends_with(&["--ros-args", "-p", "use_sim_time:=true"].map(str::to_owned)));
    }
    assert!(!parse(&["--ros-args", "-p", "use_sim_time:=false"]).unwrap().for_context.contains(&"-p".to_owned()));
}

#[test]
fn what_is_wrong_is_named() {
    for (args, words) in [
        (&["-p", "max_cnf:=3"][..], &["-p max_cnf:=3", "did you mean 'max_cnt'"][..]),
        (&["-p", "max_cnt:=0"], &["max_cnt", "0", "[1, 65535]"]),
        (&["-p", "max_cnt"], &["-p max_cnt", "name:=value"]),
        (&["-p", "max_cnt:={"], &["-p max_cnt:={"]),
        (&["-p"], &["'-p' lacks its value"]),
        (&["--params-file"], &["'--params-file' lacks its value"]),
        (&["--params-file", "/absent.yaml"], &["/absent.yaml"]),
        (&["-p", "use_sim_time:=1"], &["use_sim_time", "integer", "bool"]),
        (&["-p", "fast_threshold_min:=200"], &["fast_threshold_min", "200", "fast_threshold_max"]),
    ] {
        let said = parse(&[&["--ros-args"], args].concat()).unwrap_err();
        assert!(words.iter().all(|word| said.contains(word)), "{args:?}: {said}");
    }
}

#[test]
fn without_ros_args_nothing_is_a_parameter() {
    let parsed = parse(&["-p", "max_cnt:=3"]).unwrap();
    assert_eq!(parsed.params, Params::default());
}
