use std::fs;
use std::path::Path;

use crate::{params_file, run, text};

fn shipped(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("params").join(name).to_str().unwrap().to_owned()
}

#[test]
fn print_is_the_shipped_default_file() {
    let printed = run(&["params", "print"]).succeeded().stdout;
    assert_eq!(printed, fs::read_to_string(shipped("default.yaml")).unwrap());
    let tx2 = run(&["params", "print", "--params", &shipped("tx2_640x480.yaml")]).succeeded().stdout;
    assert!(tx2.contains("\n    max_cnt: 4600\n") && tx2.contains("\n    image_size: [640, 480]\n"), "{tx2}");
}

#[test]
fn check_tells_good_files_from_bad_ones() {
    let names = ["default.yaml", "tx2_640x480.yaml", "euroc.yaml", "vins_mono.yaml", "vins_fusion.yaml"];
    let files = names.map(shipped);
    let outcome = run(&["params", "check", &files[0], &files[1], &files[2], &files[3], &files[4]]).succeeded();
    assert_eq!(outcome.stdout.matches(": good; sets ").count(), 5, "{}", outcome.stdout);

    let folder = tempfile::tempdir().unwrap();
    let bad = params_file(folder.path(), &["max_cnt: 7", "grid_z: 8"]);
    run(&["params", "check", text(&bad)]).refused(&["params.yaml:4", "grid_z", "did you mean 'grid_"]);
    fs::write(&bad, "/cam0/vio_frontend:\n  ros__parameters:\n    max_cnt: 7\n").unwrap();
    run(&["params", "check", text(&bad)]).refused(&["/vio_frontend", "/cam0/vio_frontend"]);
    run(&["params", "check", text(&bad), "--node", "/cam0/vio_frontend"]).succeeded();
}

#[test]
fn doctor_says_what_will_be_used() {
    let outcome = run(&["doctor"]).succeeded();
    for part in ["vio_frontend 0.", "cores", "'auto' takes ", "ROS 2"] {
        assert!(outcome.stdout.contains(part), "'{part}' is not in: {}", outcome.stdout);
    }
}

#[test]
fn help_documents_the_exit_status() {
    let outcome = run(&["--help"]).succeeded();
    assert!(outcome.stdout.contains("Exit status") && outcome.stdout.contains("replay"), "{}", outcome.stdout);
    assert_eq!(run(&["replay"]).code, 2);
    assert_eq!(run(&["no-such-command"]).code, 2);
}
