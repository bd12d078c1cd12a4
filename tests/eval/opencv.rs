//! Detector and tracks beside OpenCV's, by the tool and scripts in Python. Needs Python with OpenCV.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use vio_frontend::eval::changes::CHANGES;
use vio_frontend::image::GrayImage;
use vio_frontend::source::synth::{Synth, SynthOptions, export};

const SCRIPT: &str = concat!("python3 ", env!("CARGO_MANIFEST_DIR"), "/tests/oracle/peers.py");

/// The document of `eval` beside the named peers.
fn eval(source: &[&str], peers: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vio_frontend"));
    command.arg("eval").args(source).arg("--json");
    for peer in peers {
        command.args(["--peer", &format!("{SCRIPT} {peer}")]);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// Precision against FAST and cornerSubPix at every level: the required ratio, and no fewer matched.
#[track_caller]
fn assert_precise(document: &Value) {
    let ratios = &document["ratios"][0];
    assert!(numbers(&ratios["rms"]).iter().all(|&ratio| ratio <= 0.80), "{ratios}");
    assert!(numbers(&ratios["matched"]).iter().all(|&ratio| ratio >= 1.0), "{ratios}");
}

#[test]
#[ignore = "needs Python with OpenCV: make test-oracle"]
fn synthetic_pictures_beside_opencv() {
    let folder = tempfile::tempdir().unwrap();
    for (scene, k) in [("room", 0), ("room", 60), ("outdoor", 0)] {
        let mut picture = GrayImage::default();
        Synth::new(scene, &SynthOptions::default()).unwrap().render(k, &mut picture);
        let (width, height) = (picture.width() as u32, picture.height() as u32);
        let file = folder.path().join(format!("{scene}{k}.png"));
        image::save_buffer(file, picture.pixels(), width, height, image::ExtendedColorType::L8).unwrap();
    }
    let photos = ["--photos", folder.path().to_str().unwrap(), "--max-cnt", "300"];
    let document = eval(&photos, &["fast-subpix", "fast", "orb"]);
    let names: Vec<&str> =
        document["detectors"].as_array().unwrap().iter().filter_map(|d| d["detector"].as_str()).collect();
    assert_eq!(names, ["vio_frontend", "fast-subpix", "fast", "orb"]);
    assert_precise(&document);
}

#[test]
#[ignore = "needs Python with OpenCV: make test-oracle"]
fn synthetic_tracks_beside_opencv() {
    let folder = tempfile::tempdir().unwrap();
    let [images, tracks] = ["images", "tracks"].map(|name| folder.path().join(name));
    let synth = Synth::new("room", &SynthOptions { frames: 40, ..SynthOptions::default() }).unwrap();
    export(&synth, &images, |_| {}).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/opencv_tracks.py");
    assert!(Command::new("python3").arg(script).args([&images, &tracks]).status().unwrap().success());
    let tracks = tracks.join("features.csv");
    let arguments = ["synth:room?frames=40", "--what", "tracks", "--tracks", tracks.to_str().unwrap()];
    let document = eval(&arguments, &[]);
    let figure = |tracker: usize, figure: &str| {
        document["tracking"]["trackers"][tracker].pointer(figure).and_then(Value::as_f64).unwrap()
    };
    assert_eq!(document["tracking"]["trackers"][1]["tracker"], "tracks");
    for name in ["/flow/survival/kept_right", "/length/mean", "/spread/entropy"] {
        assert!(figure(0, name) >= figure(1, name), "{name}: {} and {}", figure(0, name), figure(1, name));
    }
    assert!(figure(0, "/flow/median_px") <= 1.05 * figure(1, "/flow/median_px"), "{document:#}");
}

#[test]
#[ignore = "minutes; needs Python with OpenCV: make test-all"]
fn real_photos_beside_opencv() {
    let Some(data) = crate::common::test_data() else { return };
    let photos = data.join("photos");
    campaign(&photos, "300");
    campaign(&photos, "1000");
}

fn campaign(photos: &Path, count: &str) {
    let photos = ["--photos", photos.to_str().unwrap(), "--max-cnt", count];
    let document = eval(&photos, &["fast-subpix", "fast", "orb"]);
    println!("{count} points: {document:#}");
    assert_precise(&document);
    let detectors = document["detectors"].as_array().unwrap();
    for peer in &detectors[2..] {
        for kind in ["viewpoint", "blur", "light", "noise"] {
            let (ours, theirs) = (found_again(&detectors[0], kind), found_again(peer, kind));
            assert!(ours >= theirs, "{kind}: {ours} against {theirs} of {}", peer["detector"]);
        }
        for figure in ["cells_served", "entropy"] {
            let [ours, theirs] = [&detectors[0], peer].map(|d| d["spread"][figure].as_f64().unwrap());
            assert!(ours > theirs, "{figure}: {ours} against {theirs} of {}", peer["detector"]);
        }
    }
}

/// Mean share found again under the changes of a kind.
fn found_again(detector: &Value, kind: &str) -> f64 {
    let of_kind = |name: &Value| CHANGES.iter().any(|change| change.kind == kind && *name == change.name);
    let changes = detector["repeatability"].as_array().unwrap();
    let shares: Vec<f64> =
        changes.iter().filter(|found| of_kind(&found["change"])).filter_map(|found| found["share"].as_f64()).collect();
    assert!(!shares.is_empty(), "{kind}");
    shares.iter().sum::<f64>() / shares.len() as f64
}
