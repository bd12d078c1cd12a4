//! `bench` without a GPU: what is measured, what is said not to be, and what is refused.

use serde_json::Value;

use super::{run, text, texture};

/// Few frames, and a library of CUDA that is not there.
const FEW: [&str; 9] =
    ["bench", "--plain-frames", "2", "--buffers", "2", "--size", "160x120", "--libcuda", "/nowhere/libcuda.so.1"];

fn json(more: &[&str]) -> Value {
    let outcome = run(&[&FEW, more, &["--json"]].concat()).succeeded();
    serde_json::from_str(&outcome.stdout).unwrap()
}

#[test]
fn without_a_gpu_the_plain_path_is_measured_and_the_rest_is_named() {
    let report = json(&["--max-cnt", "50", "--tracks", "10", "--pause-ms", "3"]);
    assert_eq!(report["method"]["pause_ms"], 3);
    assert!(report["machine"]["gpu"].is_null());
    assert!(report["machine"]["no_gpu"].as_str().unwrap().contains("/nowhere/libcuda.so.1"));
    assert!(report["machine"]["cpu"].is_string() && report["machine"]["cores"].as_u64().unwrap() > 0);
    assert_eq!((&report["method"]["source"], &report["method"]["buffers"]), (&"synth:room".into(), &2.into()));
    let cases = report["cases"].as_array().unwrap();
    let asked = |case: &Value| (case["features"].clone(), case["descriptors"].clone(), case["tracks"].clone());
    let expected = [(50, false, 0), (50, true, 0), (50, true, 10)];
    assert_eq!(cases.len(), expected.len());
    for (case, (features, descriptors, tracks)) in cases.iter().zip(expected) {
        assert_eq!(asked(case), (features.into(), descriptors.into(), tracks.into()));
        assert_eq!((&case["size"], &case["features_mean"]), (&serde_json::json!([160, 120]), &50.0.into()));
        assert!(case["gpu"].is_null());
        let total = &case["plain"]["latency_us"]["total"];
        let [p50, p95, p99] = ["p50", "p95", "p99"].map(|p| total[p].as_f64().unwrap());
        assert!(0.0 < p50 && p50 <= p95 && p95 <= p99, "{total}");
    }
    let defaults = json(&["--tracks", "0"]);
    let features: Vec<_> = defaults["cases"].as_array().unwrap().iter().map(|case| case["features"].clone()).collect();
    assert_eq!(features, [300, 4600, 4600]);
}

#[test]
fn the_text_names_machine_method_and_what_is_missing() {
    let words = run(&[&FEW[..], &["--max-cnt", "50"]].concat()).succeeded().stdout;
    for part in [
        "vio_frontend 0.1.0",
        "cores usable",
        "not measured: the GPU and its floor (",
        "synth:room, 2 images in turn",
        "160x120, 50 features with descriptors, 200 tracked there and back (50 found)",
        "plain path",
    ] {
        assert!(words.contains(part), "'{part}' is not in: {words}");
    }
    let words = run(&[&FEW[..], &["--max-cnt", "50", "--device", "cpu"]].concat()).succeeded().stdout;
    assert!(words.contains("(device 'cpu' is wanted)"), "{words}");
}

#[test]
fn an_image_is_moved_and_may_have_another_size() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("image.png");
    texture(97, 75, 0).save(&file).unwrap();
    let arguments = ["bench", "--image", text(&file), "--plain-frames", "2", "--device", "cpu", "--json"];
    let own: Value = serde_json::from_str(&run(&arguments).succeeded().stdout).unwrap();
    assert_eq!(own["method"]["size"], serde_json::json!([97, 75]));
    let larger = run(&[&arguments[..], &["--size", "200x150"]].concat()).succeeded();
    let larger: Value = serde_json::from_str(&larger.stdout).unwrap();
    assert_eq!(larger["method"]["size"], serde_json::json!([200, 150]));
    let found = |report: &Value| report["cases"][1]["features_mean"].as_f64().unwrap();
    assert!(found(&own) > 50.0 && found(&larger) > found(&own), "{} {}", found(&own), found(&larger));
}

#[test]
fn what_is_wrong_is_named_with_its_value() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.png");
    std::fs::write(&broken, "no image").unwrap();
    run(&[&FEW[..], &["--device", "cuda"]].concat()).refused(&["device 'cuda' is wanted", "/nowhere/libcuda.so.1"]);
    run(&["bench", "--device", "cpu", "--plain-frames", "0"]).refused(&["nothing to measure", "--plain-frames"]);
    run(&["bench", "--source", "/nowhere/images"]).refused(&["/nowhere/images"]);
    run(&["bench", "--source", "synth:nowhere"]).refused(&["nowhere", "room"]);
    run(&["bench", "--size", "32767x32767"]).refused(&["--size 32767x32767", "--buffers 24", "GiB"]);
    run(&["bench", "--buffers", "500"]).refused(&["synth:room has 200 images", "500"]);
    run(&["bench", "--image", text(&broken)]).refused(&["broken.png"]);
    let outcome = run(&["bench", "--table", "--size", "640x480"]);
    assert!(outcome.code == 2 && outcome.stderr.contains("cannot be used with"), "{}", outcome.stderr);
    for (option, value, part) in [
        ("--size", "640", "640x480"),
        ("--size", "31x480", "32 to 32767"),
        ("--frames", "0", "1..=1000000"),
        ("--buffers", "1", "2..=1000"),
        ("--max-cnt", "0", "1..=100000"),
        ("--tracks", "many", "invalid"),
        ("--pause-ms", "1001", "0..=1000"),
        ("--device", "gpu", "cuda"),
    ] {
        let outcome = run(&["bench", option, value]);
        assert_eq!(outcome.code, 2, "{option} {value}");
        for part in [option, value, part] {
            assert!(outcome.stderr.contains(part), "'{part}' is not in: {}", outcome.stderr);
        }
    }
}
