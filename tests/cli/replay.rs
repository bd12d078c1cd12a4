use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::process::Stdio;

use crate::{finish, params_file, run, sequence, summary, text, tool};

#[test]
fn writes_features_and_a_summary_that_agree() {
    let folder = tempfile::tempdir().unwrap();
    let (images, out) = (sequence(folder.path(), 3), folder.path().join("out"));
    let outcome = run(&["replay", text(&images), "--out", text(&out)]).succeeded();
    assert!(outcome.stdout.contains("3 frames") && outcome.stdout.contains("features.csv"), "{}", outcome.stdout);

    let table = fs::read_to_string(out.join("features.csv")).unwrap();
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("stamp_ns,id,u,v,x,y,vx,vy,age,level,score"));
    let mut counts = BTreeMap::<i64, u64>::new();
    let mut ages = BTreeMap::<u64, u32>::new();
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let (stamp, id): (i64, u64) = (fields[0].parse().unwrap(), fields[1].parse().unwrap());
        *counts.entry(stamp).or_default() += 1;
        let age: u32 = fields[8].parse().unwrap();
        assert_eq!(age, ages.insert(id, age).map_or(0, |before| before + 1), "{line}");
        let (u, v): (f32, f32) = (fields[2].parse().unwrap(), fields[3].parse().unwrap());
        assert!((0.0..160.0).contains(&u) && (0.0..120.0).contains(&v), "{line}");
        assert_eq!(fields[4..8], ["0.000000000"; 4], "uncalibrated");
    }
    assert_eq!(counts.keys().copied().collect::<Vec<_>>(), [50_000_000, 100_000_000, 150_000_000]);

    assert!(ages.values().filter(|&&age| age == 2).count() > 10, "{ages:?}");

    let summary = summary(&out);
    let features: Vec<u64> = counts.into_values().collect();
    assert_eq!(summary["frames"], 3);
    assert_eq!(summary["processed"], 3);
    assert_eq!(summary["features_min"], *features.iter().min().unwrap());
    assert_eq!(summary["features_max"], *features.iter().max().unwrap());
    assert_eq!(summary["features_mean"], features.iter().sum::<u64>() as f64 / 3.0);
    assert_eq!(summary["refused"], serde_json::json!({}));
    assert_eq!(summary["fallbacks"], serde_json::json!([]));
    assert_eq!((&summary["restarts"], &summary["device"]), (&0.into(), &"cpu".into()));
    assert!(summary["latency_us"]["total"]["p99"].as_f64().unwrap() > 0.0);
    assert_eq!(summary["tracks_alive_mean"], summary["features_mean"]);
}

#[test]
fn the_summary_counts_the_tracks_of_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    // Without re-acquisition a track that is missing from a frame has ended.
    let params = params_file(folder.path(), &["reacquire_frames: 0", "max_cnt: 80"]);
    let arguments = ["replay", "synth:corridor?frames=25", "--params", text(&params), "--out", text(&out)];
    run(&arguments).succeeded();
    let table = fs::read_to_string(out.join("features.csv")).unwrap();
    let (mut ages, mut frames) = (BTreeMap::<u64, u32>::new(), BTreeMap::<i64, u64>::new());
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        ages.insert(fields[1].parse().unwrap(), fields[8].parse().unwrap());
        *frames.entry(fields[0].parse().unwrap()).or_default() += 1;
    }
    let summary = summary(&out);
    let alive = frames.values().sum::<u64>() as f64 / frames.len() as f64;
    assert_eq!((frames.len(), &summary["tracks_alive_mean"]), (25, &alive.into()));
    let mut lengths: Vec<u32> = ages.values().copied().collect();
    lengths.sort_unstable();
    assert_eq!(summary["track_length_median"], lengths[lengths.len().div_ceil(2) - 1]);
    assert_eq!((&summary["tracks_born"], &summary["tracks_reacquired"]), (&ages.len().into(), &0.into()));
    let lost: u64 = summary["tracks_lost"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(lost, ages.len() as u64 - frames.values().last().unwrap());
    assert!(lost > 0 && summary["tracks_lost"]["restart"].is_null(), "{}", summary["tracks_lost"]);
    assert_eq!(summary["frames_predicted"], 24, "all but the first");
}

#[test]
fn equal_runs_write_equal_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let images = sequence(folder.path(), 4);
    let runs = ["a", "b"].map(|name| {
        let out = folder.path().join(name);
        run(&["replay", text(&images), "--out", text(&out), "--overlay"]).succeeded();
        let mut files = BTreeMap::new();
        files.insert("features.csv".to_owned(), fs::read(out.join("features.csv")).unwrap());
        for entry in fs::read_dir(out.join("overlay")).unwrap() {
            let path = entry.unwrap().path();
            files.insert(path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap());
        }
        files
    });
    assert_eq!(runs[0].len(), 5);
    assert!(runs[0] == runs[1], "two runs differ");
}

#[test]
fn calibration_gives_normalised_coordinates() {
    let folder = tempfile::tempdir().unwrap();
    let (images, out) = (sequence(folder.path(), 1), folder.path().join("out"));
    let params = params_file(folder.path(), &["intrinsics: [100, 200, 80, 60]"]);
    run(&["replay", text(&images), "--params", text(&params), "--out", text(&out)]).succeeded();
    let table = fs::read_to_string(out.join("features.csv")).unwrap();
    for line in table.lines().skip(1) {
        let n: Vec<f64> = line.split(',').map(|field| field.parse().unwrap()).collect();
        assert!((n[4] - (n[2] - 80.0) / 100.0).abs() < 1e-6 && (n[5] - (n[3] - 60.0) / 200.0).abs() < 1e-6, "{line}");
    }
    assert_eq!(summary(&out)["calibrated"], true);
}

#[test]
fn overlay_without_out_goes_to_out_and_leaves_other_files() {
    let folder = tempfile::tempdir().unwrap();
    sequence(folder.path(), 3);
    let overlay = folder.path().join("out/overlay");
    fs::create_dir_all(&overlay).unwrap();
    for name in ["000007_123.png", "mine.png"] {
        fs::write(overlay.join(name), "old").unwrap();
    }
    finish(tool(&["replay", "images", "--overlay", "--max-frames", "2"]).current_dir(folder.path())).succeeded();
    let mut names: Vec<_> = fs::read_dir(&overlay).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["000000_50000000.png", "000001_100000000.png", "mine.png"]);
    let drawn = image::open(overlay.join("000000_50000000.png")).unwrap().into_rgb8();
    assert_eq!(drawn.dimensions(), (160, 120));
    assert!(drawn.pixels().any(|p| p.0 == [0, 0, 255]), "no new track");
    assert_eq!(summary(&folder.path().join("out"))["frames"], 2);
}

#[test]
fn report_is_one_page_that_needs_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (images, out) = (sequence(folder.path(), 9), folder.path().join("out"));
    run(&["replay", text(&images), "--out", text(&out), "--report"]).succeeded();
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert_eq!(page.matches("<svg").count(), 3, "latency, features, track lengths");
    assert!(page.contains("<th>tracks</th>") && page.contains("frames tracked over"));
    assert_eq!(page.matches("data:image/png;base64,").count(), 3, "9 frames, every third");
    for outside in ["src=\"http", "href=", "<script", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.trim_end().ends_with("</html>"));
}

#[test]
fn writes_nothing_unless_asked() {
    let folder = tempfile::tempdir().unwrap();
    sequence(folder.path(), 1);
    finish(tool(&["replay", "images"]).current_dir(folder.path())).succeeded();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn freq_throttles_publishing_and_trigger_throttles_processing() {
    let folder = tempfile::tempdir().unwrap();
    let (images, out) = (sequence(folder.path(), 8), folder.path().join("out"));
    // 20 images a second.
    let params = params_file(folder.path(), &["freq: 10"]);
    run(&["replay", text(&images), "--params", text(&params), "--out", text(&out)]).succeeded();
    let found = summary(&out);
    assert_eq!((&found["processed"], &found["published"]), (&8.into(), &4.into()));

    let mav0 = folder.path().join("seq/mav0");
    fs::create_dir_all(mav0.join("cam0")).unwrap();
    fs::rename(&images, mav0.join("cam0/data")).unwrap();
    let rows: String = (0..8).map(|k| format!("{},{k}.png\n", 50_000_000 * (k + 1))).collect();
    fs::write(mav0.join("cam0/data.csv"), rows).unwrap();
    fs::create_dir_all(mav0.join("imu0")).unwrap();
    let rows: String = (0..100).map(|k| format!("{},0,0,0\n", 5_000_000 * (k + 1))).collect();
    fs::write(mav0.join("imu0/data.csv"), rows).unwrap();
    let params = params_file(folder.path(), &["trigger: imu_interval", "trigger_hz: 10"]);
    let source = folder.path().join("seq");
    run(&["replay", text(&source), "--params", text(&params), "--out", text(&out)]).succeeded();
    let found = summary(&out);
    assert_eq!((&found["processed"], &found["skipped"], &found["frames"]), (&4.into(), &4.into(), &8.into()));
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let images = sequence(folder.path(), 1);
    let image = images.join("0.png");
    for arguments in [&["detect", text(&image)][..], &["params", "print"], &["doctor"], &["replay", text(&images)]] {
        let mut child = tool(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert!(!stderr.contains("panicked") && !stderr.contains("roken pipe"), "{stderr}");
        child.wait().unwrap();
    }
}

#[test]
fn real_sequences_are_processed_whole() {
    let data = std::env::var_os("VIO_TEST_DATA").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
        std::path::PathBuf::from,
    );
    if !data.is_dir() {
        println!("skipped: no test data at {}", data.display());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (name, frames) in [("aria_gen2_front", 9), ("tum_fr2_desk", 14), ("scenery_hut_long", 20)] {
        let out = folder.path().join(name);
        run(&["replay", text(&data.join(name)), "--out", text(&out)]).succeeded();
        assert_eq!(summary(&out)["processed"], frames, "{name}");
    }
}
