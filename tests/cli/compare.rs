use std::fs;
use std::path::{Path, PathBuf};

use crate::{params_file, run, sequence, text};

/// Two equal runs.
fn runs(folder: &Path) -> [PathBuf; 2] {
    let images = sequence(folder, 3);
    ["a", "b"].map(|name| {
        let out = folder.join(name);
        run(&["replay", text(&images), "--out", text(&out)]).succeeded();
        out
    })
}

/// Changes one field of one line of a features.csv; line 0 is the header.
fn change(run: &Path, line: usize, field: usize, value: &str) {
    let path = run.join("features.csv");
    let table = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<String> = table.lines().map(str::to_owned).collect();
    let mut fields: Vec<&str> = lines[line].split(',').collect();
    fields[field] = value;
    lines[line] = fields.join(",");
    fs::write(path, lines.join("\n") + "\n").unwrap();
}

#[track_caller]
fn differs(a: &Path, b: &Path, parts: &[&str]) {
    let outcome = run(&["compare", text(a), text(b)]);
    assert_eq!(outcome.code, 1, "{}{}", outcome.stdout, outcome.stderr);
    for part in parts {
        assert!(outcome.stdout.contains(part), "'{part}' is not in: {}", outcome.stdout);
    }
}

#[test]
fn equal_runs_are_equal() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = runs(folder.path());
    let outcome = run(&["compare", text(&a), text(&b)]).succeeded();
    assert!(outcome.stdout.contains("equal") && outcome.stdout.contains("3 frames"), "{}", outcome.stdout);
    run(&["compare", text(&a.join("features.csv")), text(&b)]).succeeded();
}

#[test]
fn the_first_difference_names_stage_frame_and_index() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = runs(folder.path());
    let whole = fs::read_to_string(b.join("features.csv")).unwrap();
    let first_of_second = whole.lines().position(|line| line.starts_with("100000000,")).unwrap();
    for (field, value, stage) in [
        (1, "77777", "track"),
        (2, "-500.5", "detect"),
        (4, "0.5", "normalise"),
        (6, "0.5", "velocity"),
        (9, "7", "detect"),
        (10, "1", "response"),
    ] {
        change(&b, first_of_second + 5, field, value);
        differs(&a, &b, &[&format!("stage {stage}"), "frame 1 (stamp 100000000)", "index 5", value]);
        fs::write(b.join("features.csv"), &whole).unwrap();
    }
    let u: f32 = whole.lines().nth(1).unwrap().split(',').nth(2).unwrap().parse().unwrap();
    change(&b, 1, 2, &(u + 0.001).to_string());
    differs(&a, &b, &["stage sub-pixel", "frame 0", "index 0", "u "]);
}

#[test]
fn a_differing_descriptor_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let images = sequence(folder.path(), 3);
    let params = params_file(folder.path(), &["publish_descriptors: true", "max_cnt: 20"]);
    let [a, b] = ["a", "b"].map(|name| {
        let out = folder.path().join(name);
        run(&["replay", text(&images), "--out", text(&out), "--params", text(&params)]).succeeded();
        out
    });
    let file = b.join("descriptors.bin");
    let whole = fs::read(&file).unwrap();
    assert_eq!(whole.len(), 3 * 20 * 128);
    run(&["compare", text(&a), text(&b)]).succeeded();

    let mut changed = whole.clone();
    changed[(20 + 7) * 128 + 5] ^= 1;
    fs::write(&file, &changed).unwrap();
    differs(&a, &b, &["stage descriptor", "frame 1 (stamp 100000000)", "index 7", "byte 5"]);
    fs::write(&file, &whole[..whole.len() - 1]).unwrap();
    run(&["compare", text(&a), text(&b)]).refused(&["descriptors.bin", "ends before"]);
    // A run without descriptors is compared by what it has, and leaves none of an earlier run behind.
    run(&["replay", text(&images), "--out", text(&b), "--max-frames", "3"]).succeeded();
    assert!(!file.exists());
}

#[test]
fn missing_features_and_frames_are_differences() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = runs(folder.path());
    let whole = fs::read_to_string(b.join("features.csv")).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let second = lines.iter().position(|line| line.starts_with("100000000,")).unwrap();

    let mut short = lines.clone();
    short.remove(second - 1);
    fs::write(b.join("features.csv"), short.join("\n") + "\n").unwrap();
    differs(&a, &b, &["stage detect", "frame 0", &format!("index {}", second - 2)]);

    fs::write(b.join("features.csv"), lines[..second].join("\n") + "\n").unwrap();
    differs(&a, &b, &["stage stream", "frame 0", "ends"]);
    differs(&b, &a, &["stage stream", "ends"]);
}

#[test]
fn counts_that_the_table_does_not_show_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = runs(folder.path());
    let path = b.join("summary.json");
    let text = fs::read_to_string(&path).unwrap().replace("\"refused\": {}", "\"refused\": {\"unreadable\": 1}");
    fs::write(path, text).unwrap();
    differs(&a, &b, &["stage stream", "summary.json", "refused", "unreadable"]);
}

#[test]
fn what_cannot_be_compared_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = runs(folder.path());
    run(&["compare", text(&a), "no/such"]).refused(&["no/such"]);
    fs::write(b.join("features.csv"), "u,v\n").unwrap();
    run(&["compare", text(&a), text(&b)]).refused(&["features.csv", "first line"]);
    fs::write(b.join("features.csv"), "stamp_ns,id,u,v,x,y,vx,vy,age,level,score\n1,2\n").unwrap();
    run(&["compare", text(&a), text(&b)]).refused(&["features.csv:2", "2 fields"]);
}
