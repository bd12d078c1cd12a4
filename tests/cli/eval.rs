use std::fs;

use crate::{run, sequence, text, texture};

/// A peer that finds the same point in every image.
const PEER: &str = "while read -r question; do echo 100,50,0; echo; done # one-point";

#[test]
fn json_of_a_simulated_sequence_beside_a_peer() {
    let arguments =
        ["eval", "synth:room", "--what", "detection", "--max-frames", "3", "--max-cnt", "50", "--json", "--peer", PEER];
    let document: serde_json::Value = serde_json::from_str(&run(&arguments).succeeded().stdout).unwrap();
    let keys: Vec<&String> = document.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["detectors", "images", "left_out", "ratios", "source", "tracking"]);
    assert_eq!((&document["source"], &document["images"]), (&"synth:room".into(), &3.into()));
    let detectors = document["detectors"].as_array().unwrap();
    let names: Vec<&serde_json::Value> = detectors.iter().map(|d| &d["detector"]).collect();
    assert_eq!(names, ["vio_frontend", "one-point"]);
    let keys: Vec<&String> = detectors[0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["count", "detector", "matching", "precision", "repeatability", "spread"]);
    let got: Vec<f64> = detectors.iter().map(|d| d["count"]["got"].as_f64().unwrap()).collect();
    assert_eq!(got, [50.0, 1.0]);
    assert_eq!(document["ratios"][0]["over"], "one-point");
}

#[test]
fn the_table_of_photos_names_those_left_out() {
    let folder = tempfile::tempdir().unwrap();
    texture(320, 240, 0).save(folder.path().join("a.png")).unwrap();
    texture(320, 199, 0).save(folder.path().join("b.png")).unwrap();
    fs::write(folder.path().join("c.png"), "text").unwrap();
    let table = run(&["eval", "--photos", text(folder.path()), "--max-cnt", "100"]).succeeded().stdout;
    for part in ["1 images", "b.png: 320 x 199, too small", "c.png: neither PNG nor JPEG", "level 2: RMS", "noise"] {
        assert!(table.contains(part), "'{part}' is not in: {table}");
    }
}

#[test]
fn what_cannot_be_judged_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let empty = text(folder.path());
    run(&["eval", "synth:attic"]).refused(&["attic", "room"]);
    run(&["eval", empty]).refused(&[empty, "no data set"]);
    run(&["eval", empty, "--what", "detection"]).refused(&[empty, "synth:NAME", "--photos"]);
    run(&["eval", "--photos", empty, "--what", "tracks"]).refused(&["photos", "sequence"]);
    run(&["eval", "--photos", empty]).refused(&[empty, "no PNG"]);
    run(&["eval", "--photos", text(&folder.path().join("none"))]).refused(&["none", "No such file"]);
    assert_eq!(run(&["eval"]).code, 2);
    assert_eq!(run(&["eval", "synth:room", "--photos", empty]).code, 2);
    run(&["eval", "synth:room", "--max-cnt", "0"]).refused(&["max_cnt", "[1, 65535]"]);
}

#[test]
fn a_peer_that_fails_is_named() {
    let folder = tempfile::tempdir().unwrap();
    texture(200, 200, 0).save(folder.path().join("a.png")).unwrap();
    let with = |peer: &str| run(&["eval", "--photos", text(folder.path()), "--max-cnt", "20", "--peer", peer]);
    with("exit 1 # gone").refused(&["a.png", "peer 'gone'"]);
    with("read q; echo 1,2; echo # short").refused(&["peer 'short'", "'1,2'", "u,v,level"]);
    with("read q; echo 1,2,0,l1:00; echo # norm").refused(&["peer 'norm'", "l2|hamming:HEX"]);
    with("read q; echo 1,2,0,l2:0g; echo # hex").refused(&["peer 'hex'", "l2:0g"]);
    with("read q; echo 1,2,0; echo 3,4,0,l2:00; echo # some").refused(&["peer 'some'", "3,4,0,l2:00"]);
    with("read q; echo nan,2,0; echo # odd").refused(&["peer 'odd'", "'nan,2,0'"]);
    with("read q; echo 1,2,0 # cut").refused(&["peer 'cut'", "ended"]);
}

/// Tracks of three frames of `room`: one rests, one is born late.
fn tracks_file(folder: &std::path::Path) -> std::path::PathBuf {
    let lines =
        ["1000000000000,4,320,240", "1000050000000,4,320,240", "1000100000000,4,320,240", "1000100000000,9,90,80"];
    let path = folder.join("features.csv");
    fs::write(&path, format!("stamp_ns,id,u,v\n{}\n", lines.join("\n"))).unwrap();
    path
}

#[test]
fn tracks_of_a_file_are_judged_by_the_truth() {
    let folder = tempfile::tempdir().unwrap();
    let peer = folder.path().join("peer");
    fs::create_dir(&peer).unwrap();
    let file = tracks_file(&peer);
    let arguments = ["eval", "synth:room", "--what", "tracks", "--max-frames", "3", "--tracks", text(&file)];
    let json = run(&[&arguments[..], &["--json"]].concat()).succeeded().stdout;
    let document: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&document["images"], &document["tracking"]["frames"]), (&0.into(), &3.into()));
    assert_eq!(document["tracking"]["known"], serde_json::json!(["exact flow"]));
    let trackers = document["tracking"]["trackers"].as_array().unwrap();
    let tracker = trackers.iter().find(|tracker| tracker["tracker"] == "peer").unwrap();
    assert_eq!((&tracker["tracks"], &tracker["length"]["mean"]), (&2.into(), &2.0.into()));
    assert_eq!((&tracker["flow"]["steps"], &tracker["flow"]["survival"]["seen"]), (&2.into(), &2.into()));
    // The camera moves, and so do tracks that do not rest.
    assert!(tracker["flow"]["median_px"].as_f64().unwrap() > 1.0, "{tracker}");
    let table = run(&arguments).succeeded().stdout;
    for part in ["3 frames, exact flow", "peer", "error a frame, median px", "survival within 1 px"] {
        assert!(table.contains(part), "'{part}' is not in: {table}");
    }
}

#[test]
fn tracks_of_another_sequence_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = tracks_file(folder.path());
    let with = |source: &str, file: &str| run(&["eval", source, "--what", "tracks", "--tracks", file]);
    with(text(&sequence(folder.path(), 3)), text(&file)).refused(&["features.csv", "1000000000000"]);
    with("synth:room?frames=3", text(&folder.path().join("none.csv"))).refused(&["none.csv", "No such file"]);
}
