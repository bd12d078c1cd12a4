use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::{params_file, run, sequence, text};

#[test]
fn json_holds_the_fields_that_others_read() {
    let folder = tempfile::tempdir().unwrap();
    let image = sequence(folder.path(), 1).join("0.png");
    let outcome = run(&["detect", text(&image), "--json", "--max-cnt", "50"]).succeeded();
    let document: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    let keys: Vec<&String> = document.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["device", "features", "height", "offered", "width"]);
    assert_eq!(
        (&document["width"], &document["height"], &document["device"]),
        (&160.into(), &120.into(), &"cpu".into())
    );
    let features = document["features"].as_array().unwrap();
    assert_eq!(features.len(), 50);
    assert!(document["offered"].as_u64().unwrap() >= 50);
    for feature in features {
        let keys: Vec<&String> = feature.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["level", "score", "threshold", "u", "v"]);
        assert!((0.0..160.0).contains(&feature["u"].as_f64().unwrap()));
    }
}

#[test]
fn descriptors_come_with_the_flag_or_the_parameter() {
    let folder = tempfile::tempdir().unwrap();
    let image = sequence(folder.path(), 1).join("0.png");
    let params = params_file(folder.path(), &["publish_descriptors: true"]);
    let by_flag = run(&["detect", text(&image), "--json", "--descriptors"]).succeeded().stdout;
    let by_parameter = run(&["detect", text(&image), "--json", "--params", text(&params)]).succeeded().stdout;
    assert_eq!(by_flag, by_parameter);
    let document: serde_json::Value = serde_json::from_str(&by_flag).unwrap();
    for feature in document["features"].as_array().unwrap() {
        let bytes = STANDARD.decode(feature["descriptor"].as_str().unwrap()).unwrap();
        let sum: u32 = bytes.iter().map(|&q| u32::from(q).pow(2)).sum();
        assert!(bytes.len() == 128 && (50_000..=65_025).contains(&sum), "{sum}");
    }
    assert_eq!(run(&["detect", text(&image), "--descriptors"]).code, 2);
}

#[test]
fn csv_and_json_list_the_same_features() {
    let folder = tempfile::tempdir().unwrap();
    let image = sequence(folder.path(), 1).join("0.png");
    let params = params_file(folder.path(), &["max_cnt: 20"]);
    let json = run(&["detect", text(&image), "--json", "--params", text(&params)]).succeeded().stdout;
    let csv = run(&["detect", text(&image), "--params", text(&params)]).succeeded().stdout;
    let document: serde_json::Value = serde_json::from_str(&json).unwrap();
    let features = document["features"].as_array().unwrap();
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("u,v,level,score,threshold"));
    assert_eq!(lines.clone().count(), features.len());
    for (line, feature) in lines.zip(features) {
        let u: f64 = line.split(',').next().unwrap().parse().unwrap();
        assert_eq!(u, feature["u"].as_f64().unwrap());
    }
}

#[test]
fn what_cannot_be_detected_on_names_the_file_and_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    run(&["detect", text(&path)]).refused(&["a.png", "No such file"]);
    fs::write(&path, "").unwrap();
    run(&["detect", text(&path)]).refused(&["a.png", "empty"]);
    fs::write(&path, "text").unwrap();
    run(&["detect", text(&path)]).refused(&["a.png", "neither PNG nor JPEG"]);
    crate::texture(31, 40, 0).save(&path).unwrap();
    run(&["detect", text(&path)]).refused(&["a.png", "31 x 40", "32"]);
    crate::texture(32, 32, 0).save(&path).unwrap();
    run(&["detect", text(&path)]).succeeded();
    run(&["detect", text(&path), "--max-cnt", "0"]).refused(&["max_cnt", "0", "[1, 65535]"]);
    run(&["detect", text(&path), "--device", "cuda"]).refused(&["device", "cuda", "CUDA", "cpu"]);
    run(&["detect", text(&path), "--device", "auto"]).succeeded();
    assert_eq!(run(&["detect", text(&path), "--device", "gpu"]).code, 2);
}
