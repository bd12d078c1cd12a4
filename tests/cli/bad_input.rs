//! Bad input through the offline entry point: counted and named, never fatal to the frames around it.

use std::fs;
use std::path::Path;

use crate::{Outcome, params_file, run, sequence, summary, text};

/// Replays three frames with one parameter line.
fn with(folder: &Path, lines: &[&str]) -> Outcome {
    let params = params_file(folder, lines);
    let (images, out) = (folder.join("images"), folder.join("out"));
    run(&["replay", text(&images), "--params", text(&params), "--out", text(&out)])
}

#[test]
fn damaged_images_are_counted_and_the_rest_is_processed() {
    let folder = tempfile::tempdir().unwrap();
    let (images, out) = (sequence(folder.path(), 5), folder.path().join("out"));
    let whole = fs::read(images.join("1.png")).unwrap();
    fs::write(images.join("1.png"), &whole[..whole.len() / 2]).unwrap();
    fs::write(images.join("2.png"), "").unwrap();
    crate::texture(20, 20, 0).save(images.join("3.png")).unwrap();
    let outcome = run(&["replay", text(&images), "--out", text(&out)]).succeeded();
    let found = summary(&out);
    assert_eq!((&found["frames"], &found["processed"]), (&5.into(), &2.into()));
    assert_eq!(found["refused"], serde_json::json!({"too_small": 1, "unreadable": 2}));
    for part in ["frame 1", "1.png", "frame 3", "20 x 20"] {
        assert!(outcome.stderr.contains(part), "'{part}' is not in: {}", outcome.stderr);
    }
}

#[test]
fn all_frames_refused_is_still_accounted_for() {
    let folder = tempfile::tempdir().unwrap();
    let images = sequence(folder.path(), 3);
    for frame in 0..3 {
        fs::write(images.join(format!("{frame}.png")), "x").unwrap();
    }
    run(&["replay", text(&images), "--out", text(&folder.path().join("out"))]).succeeded();
    let found = summary(&folder.path().join("out"));
    assert_eq!((&found["frames"], &found["refused"]["unreadable"]), (&3.into(), &3.into()));
    assert!(found["features_mean"].is_null() && found["features_min"].is_null());
}

#[test]
fn t08_configured_size_differs_from_the_images() {
    let folder = tempfile::tempdir().unwrap();
    sequence(folder.path(), 3);
    let outcome = with(folder.path(), &["image_size: [320, 240]"]).succeeded();
    assert_eq!(summary(&folder.path().join("out"))["refused"]["configured_size"], 3);
    for part in ["image_size", "160 x 120", "320 x 240"] {
        assert!(outcome.stderr.contains(part), "'{part}' is not in: {}", outcome.stderr);
    }
    assert_eq!(outcome.stderr.matches("refused").count(), 1, "one message a reason: {}", outcome.stderr);
}

#[test]
fn t09_masks_of_the_wrong_size_all_black_or_missing() {
    let folder = tempfile::tempdir().unwrap();
    sequence(folder.path(), 3);
    let mask = folder.path().join("mask.png");
    let line = format!("mask_file: {}", text(&mask));

    with(folder.path(), &[&line]).refused(&["mask_file", "mask.png"]);

    image::GrayImage::from_pixel(80, 60, image::Luma([255])).save(&mask).unwrap();
    let outcome = with(folder.path(), &[&line]).succeeded();
    assert_eq!(summary(&folder.path().join("out"))["refused"]["mask_size"], 3);
    assert!(outcome.stderr.contains("160 x 120") && outcome.stderr.contains("80 x 60"), "{}", outcome.stderr);

    image::GrayImage::from_pixel(160, 120, image::Luma([0])).save(&mask).unwrap();
    with(folder.path(), &[&line]).succeeded();
    let found = summary(&folder.path().join("out"));
    assert_eq!((&found["processed"], &found["features_max"]), (&3.into(), &0.into()));

    with(folder.path(), &[&line, "mask_polarity: nonzero_excludes"]).succeeded();
    assert!(summary(&folder.path().join("out"))["features_min"].as_u64().unwrap() > 0);
}

#[test]
fn t10_numbers_of_the_other_kind_and_misspelt_keys() {
    let folder = tempfile::tempdir().unwrap();
    sequence(folder.path(), 3);
    with(folder.path(), &["freq: 20", "td: 1e-2", "max_cnt: 150.0"]).succeeded();
    assert!(summary(&folder.path().join("out"))["features_max"].as_u64().unwrap() <= 150);
    with(folder.path(), &["max_count: 150"]).refused(&["params.yaml:3", "max_count", "did you mean 'max_cnt'"]);
}

#[test]
fn a_size_change_restarts_once_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (images, out) = (sequence(folder.path(), 2), folder.path().join("out"));
    for frame in 2..4 {
        crate::texture(200, 100, frame).save(images.join(format!("{frame}.png"))).unwrap();
    }
    run(&["replay", text(&images), "--out", text(&out)]).succeeded();
    let found = summary(&out);
    assert_eq!((&found["processed"], &found["restarts"]), (&4.into(), &1.into()));
    assert_eq!(found["restarts_by_reason"], serde_json::json!({"image size changed": 1}));
}

#[test]
fn stamps_that_repeat_or_jump_are_refused_or_restart() {
    let folder = tempfile::tempdir().unwrap();
    let images = sequence(folder.path(), 6);
    let mav0 = folder.path().join("seq/mav0");
    fs::create_dir_all(mav0.join("cam0")).unwrap();
    fs::rename(&images, mav0.join("cam0/data")).unwrap();
    let rows = "0,0.png\n50000000,1.png\n50000000,2.png\n9000000000,3.png\n9050000000,4.png\n100000000,5.png\n";
    fs::write(mav0.join("cam0/data.csv"), rows).unwrap();
    let (source, out) = (folder.path().join("seq"), folder.path().join("out"));
    run(&["replay", text(&source), "--out", text(&out)]).succeeded();
    let found = summary(&out);
    assert_eq!(found["refused"], serde_json::json!({"no_stamp": 1, "repeated_stamp": 1}));
    assert_eq!((&found["processed"], &found["restarts"]), (&4.into(), &2.into()));
}

#[test]
fn sources_that_are_none_say_so() {
    run(&["replay", "no/such"]).refused(&["no/such", "synth:NAME"]);
    let folder = tempfile::tempdir().unwrap();
    run(&["replay", text(folder.path())]).refused(&["looked for", "mav0/cam0"]);
    sequence(folder.path(), 1);
    let images = folder.path().join("images");
    run(&["replay", text(&images), "--device", "cuda"]).refused(&["cuda"]);
    run(&["replay", text(&images), "--params", "no.yaml"]).refused(&["no.yaml", "cannot be read"]);
    let params = params_file(folder.path(), &["calibration_file: no.yaml"]);
    run(&["replay", text(&images), "--params", text(&params)]).refused(&["no.yaml"]);
}

#[test]
fn a_gyroscope_in_degrees_is_refused_with_one_warning() {
    let folder = tempfile::tempdir().unwrap();
    let (sequence, out) = (folder.path().join("turn"), folder.path().join("out"));
    run(&["synth", "fast_rotation", "--out", text(&sequence), "--frames", "16"]).succeeded();
    let file = sequence.join("mav0/imu0/data.csv");
    let degrees = |line: &str| -> String {
        let fields = line.split(',').enumerate().map(|(i, field)| match field.parse::<f64>() {
            Ok(rate) if (1..4).contains(&i) => rate.to_degrees().to_string(),
            _ => field.to_owned(),
        });
        fields.collect::<Vec<_>>().join(",")
    };
    let table = fs::read_to_string(&file).unwrap();
    fs::write(&file, table.lines().map(degrees).collect::<Vec<_>>().join("\n")).unwrap();
    let outcome = run(&["replay", text(&sequence), "--out", text(&out)]).succeeded();
    let warnings: Vec<&str> = outcome.stderr.lines().filter(|line| line.contains("tracks are not predicted")).collect();
    assert_eq!(warnings.iter().filter(|line| line.contains("are the units rad/s?")).count(), 1, "{}", outcome.stderr);
    assert!(warnings.len() <= 3, "{}", outcome.stderr);
    assert_eq!(summary(&out)["processed"], 16);
}
