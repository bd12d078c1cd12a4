use std::collections::BTreeSet;
use std::fs;

use crate::{run, summary, text};

/// The rows of a CSV file as numbers, without the title.
fn rows(path: &std::path::Path) -> Vec<Vec<f64>> {
    let table = fs::read_to_string(path).unwrap();
    table.lines().skip(1).map(|line| line.split(',').map(|field| field.parse().unwrap()).collect()).collect()
}

#[test]
fn a_written_sequence_replays_as_the_simulated_one() {
    let folder = tempfile::tempdir().unwrap();
    let (seq, direct, read) = (folder.path().join("seq"), folder.path().join("direct"), folder.path().join("read"));
    run(&["synth", "corridor", "--out", text(&seq), "--frames", "3"]).succeeded();
    run(&["replay", "synth:corridor", "--max-frames", "3", "--out", text(&direct)]).succeeded();
    run(&["replay", text(&seq), "--out", text(&read)]).succeeded();
    let table = |out: &std::path::Path| fs::read(out.join("features.csv")).unwrap();
    assert!(table(&direct) == table(&read), "features differ");
    for out in [&direct, &read] {
        assert_eq!((&summary(out)["processed"], &summary(out)["calibrated"]), (&3.into(), &true.into()));
    }
    run(&["compare", text(&direct), text(&read)]).succeeded();
    run(&["synth", "corridor", "--out", text(&seq)]).refused(&["cam0/data", "exists"]);
}

#[test]
fn ground_truth_is_consistent() {
    let folder = tempfile::tempdir().unwrap();
    run(&["synth", "room", "--out", text(folder.path()), "--frames", "4"]).succeeded();
    let mav0 = folder.path().join("mav0");

    let poses = rows(&mav0.join("state_groundtruth_estimate0/data.csv"));
    assert_eq!(poses.len(), 4);
    for pose in &poses {
        assert_eq!(pose.len(), 17);
        let norm: f64 = pose[4..8].iter().map(|q| q * q).sum();
        assert!((norm - 1.0).abs() < 1e-12, "{norm}");
    }

    let tracks = rows(&mav0.join("tracks0/data.csv"));
    let ids: BTreeSet<u64> = tracks.iter().map(|row| row[1] as u64).collect();
    assert!(tracks.len() > 4 * 100 && ids.len() < tracks.len(), "{} rows, {} ids", tracks.len(), ids.len());
    for row in &tracks {
        assert!((0.0..640.0).contains(&row[2]) && (0.0..480.0).contains(&row[3]) && row[4] > 0.0, "{row:?}");
    }

    let imu = rows(&mav0.join("imu0/data.csv"));
    assert!(imu.windows(2).all(|pair| pair[1][0] - pair[0][0] == 5e6));
    assert!(imu.first().unwrap()[0] < poses[0][0] && imu.last().unwrap()[0] > poses[3][0], "IMU covers the images");
}

#[test]
fn unknown_scenes_list_the_known_ones() {
    run(&["replay", "synth:nowhere"]).refused(&["nowhere", "corridor", "room"]);
    let outcome = run(&["synth", "nowhere", "--out", "x"]);
    assert!(outcome.code == 2 && outcome.stderr.contains("corridor"), "{}", outcome.stderr);
}

#[test]
fn effects_come_by_flag_and_by_name_alike() {
    let folder = tempfile::tempdir().unwrap();
    let (seq, direct, read) = (folder.path().join("seq"), folder.path().join("direct"), folder.path().join("read"));
    let flags = ["--light", "flicker", "--blur", "4ms", "--noise", "2.5"];
    run(&[&["synth", "moving_objects", "--out", text(&seq), "--frames", "2"], &flags[..]].concat()).succeeded();
    let name = "synth:moving_objects?light=flicker&blur=4ms&noise=2.5&frames=2";
    run(&["replay", name, "--out", text(&direct)]).succeeded();
    run(&["replay", text(&seq), "--out", text(&read)]).succeeded();
    let table = |out: &std::path::Path| fs::read(out.join("features.csv")).unwrap();
    assert!(table(&direct) == table(&read), "features differ");
    let tracks = rows(&seq.join("mav0/tracks0/data.csv"));
    let moving = tracks.iter().filter(|row| row[5] == 1.0).count();
    assert!(moving > 50 && moving < tracks.len() / 2, "{moving} of {}", tracks.len());
}

#[test]
fn misspelt_effects_are_named_with_the_nearest() {
    run(&["replay", "synth:room?nois=2"]).refused(&["'nois'", "did you mean 'noise'"]);
    run(&["synth", "room", "--out", "x", "--blur", "8"]).refused(&["blur", "'8'", "8ms"]);
    let outcome = run(&["synth", "room", "--out", "x", "--light", "flikker"]);
    assert!(outcome.code == 2 && outcome.stderr.contains("flicker"), "{}", outcome.stderr);
}
