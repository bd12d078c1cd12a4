//! Offline sources: what is recognised, in which order events come, and that no damaged frame is lost.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests fail by panicking")]

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use vio_frontend::source::{Event, Source, open};

/// A picture whose every pixel is `value`.
fn picture(path: &Path, value: u8) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    image::GrayImage::from_pixel(40, 36, image::Luma([value])).save(path).unwrap();
}

fn write(path: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn opened(folder: &Path) -> Box<dyn Source> {
    open(folder.to_str().unwrap()).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn refused(source: &str, parts: &[&str]) {
    let message = match open(source) {
        Ok(_) => panic!("{source} was opened"),
        Err(error) => error.to_string(),
    };
    for part in parts {
        assert!(message.contains(part), "'{part}' is not in: {message}");
    }
}

/// Events in short: `image stamp first-pixel`, `imu stamp`, `lost stamp`.
fn events(folder: &Path) -> Vec<String> {
    let mut source = opened(folder);
    let frames = source.frames();
    let events: Vec<_> = std::iter::from_fn(|| source.next_event())
        .map(|event| match event {
            Event::Image { stamp_ns, image } => format!("image {stamp_ns} {}", image.at(0, 0)),
            Event::Imu(sample) => format!("imu {}", sample.stamp_ns),
            Event::Unreadable { stamp_ns, .. } => format!("lost {stamp_ns}"),
        })
        .collect();
    assert_eq!(events.iter().filter(|e| !e.starts_with("imu")).count(), frames, "a frame was lost");
    events
}

/// A small EuRoC folder: three images 100 ns apart, IMU around them, a calibration.
fn euroc() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mav0 = folder.path().join("mav0");
    write(&mav0.join("cam0/data.csv"), "#timestamp [ns],filename\n100,100.png\n200,200.png\n300,300.png\n");
    for (stamp, value) in [(100, 1), (200, 2), (300, 3)] {
        picture(&mav0.join(format!("cam0/data/{stamp}.png")), value);
    }
    write(
        &mav0.join("cam0/sensor.yaml"),
        "%YAML:1.0\nsensor_type: camera\ncamera_model: pinhole\nintrinsics: [50.0, 50.0, 20.0, 18.0]\n\
         distortion_model: radial-tangential\ndistortion_coefficients: [0.0, 0.0, 0.0, 0.0]\nresolution: [40, 36]\n",
    );
    write(
        &mav0.join("imu0/data.csv"),
        "#timestamp [ns],wx,wy,wz,ax,ay,az\n50,0,0,0,0,0,9.8\n200,0,0,0,0,0,9.8\n250,0,0,0,0,0,9.8\n400,0,0,0,0,0,9.8\n",
    );
    folder
}

const WHOLE: [&str; 7] = ["imu 50", "image 100 1", "imu 200", "image 200 2", "imu 250", "image 300 3", "imu 400"];

#[test]
fn euroc_merges_images_and_imu_by_stamp() {
    let folder = euroc();
    assert_eq!(events(folder.path()), WHOLE);
    assert_eq!(events(&folder.path().join("mav0")), WHOLE);
    let source = opened(folder.path());
    let camera = source.camera().expect("sensor.yaml was read");
    assert_eq!(camera.intrinsics(), [50.0, 50.0, 20.0, 18.0]);
    assert_eq!(camera.image_size(), Some([40, 36]));
}

#[test]
fn euroc_needs_neither_imu_nor_calibration_nor_listing() {
    let folder = euroc();
    let mav0 = folder.path().join("mav0");
    fs::remove_dir_all(mav0.join("imu0")).unwrap();
    fs::remove_file(mav0.join("cam0/sensor.yaml")).unwrap();
    let images = ["image 100 1", "image 200 2", "image 300 3"];
    assert_eq!(events(folder.path()), images);
    assert!(opened(folder.path()).camera().is_none());
    fs::remove_file(mav0.join("cam0/data.csv")).unwrap();
    assert_eq!(events(folder.path()), images);
    picture(&mav0.join("cam0/data/left.png"), 9);
    assert_eq!(events(folder.path()).last().unwrap(), "lost 0");
}

#[test]
fn euroc_listings_may_be_written_any_way() {
    let folder = euroc();
    let listing = folder.path().join("mav0/cam0/data.csv");
    for text in [
        "#timestamp [ns],filename\r\n100,100.png\r\n200,200.png\r\n300,300.png\r\n",
        "timestamp,filename\n100,100.png\n\n  200 , 200.png \n# a comment\n300,300.png",
        "\u{feff}#timestamp [ns],filename\n100,100.png,more\n200,200.png\n300,300.png\n\n\n",
    ] {
        write(&listing, text);
        assert_eq!(events(folder.path()), WHOLE, "{text:?}");
    }
}

#[test]
fn damaged_euroc_frames_are_counted_where_they_stand() {
    let folder = euroc();
    let cam0 = folder.path().join("mav0/cam0");
    fs::remove_dir_all(folder.path().join("mav0/imu0")).unwrap();
    let whole = fs::read(cam0.join("data/200.png")).unwrap();
    write(&cam0.join("data/200.png"), &whole[..whole.len() / 2]);
    write(&cam0.join("data/empty.png"), "");
    write(
        &cam0.join("data.csv"),
        b"100,100.png\n200,200.png\n250,nowhere.png\n260,empty.png\n270,\n280\n29x,290.png\n\xff\xfe,a.png\n300,300.png\n30",
    );
    let expected = [
        "image 100 1",
        "lost 200",
        "lost 250",
        "lost 260",
        "lost 270",
        "lost 280",
        "lost 280",
        "lost 280",
        "image 300 3",
        "lost 30",
    ];
    assert_eq!(events(folder.path()), expected);

    let mut source = opened(folder.path());
    let messages: Vec<String> = std::iter::from_fn(|| source.next_event())
        .filter_map(|event| if let Event::Unreadable { message, .. } = event { Some(message) } else { None })
        .collect();
    for (message, part) in
        messages.iter().zip(["200.png", "nowhere.png", "empty.png", "data.csv:5", "data.csv:6", "29x"])
    {
        assert!(message.contains(part), "'{part}' is not in: {message}");
    }
}

#[test]
fn damaged_imu_rows_are_left_out() {
    let folder = euroc();
    write(
        &folder.path().join("mav0/imu0/data.csv"),
        "50,0,0,0,0,0,9.8\n60,0,0\n70,nan,0,0,0,0,0\nabc,0,0,0,0,0,0\n80,0,0,0,0\n90,0,0,0\n95,0,0,0,0,0,inf\n",
    );
    let imu: Vec<_> = events(folder.path()).into_iter().filter(|e| e.starts_with("imu")).collect();
    assert_eq!(imu, ["imu 50", "imu 90"]);
}

#[test]
fn stamps_that_go_back_keep_the_order_of_the_listing() {
    let folder = euroc();
    write(&folder.path().join("mav0/cam0/data.csv"), "300,300.png\n100,100.png\n100,100.png\n");
    let images: Vec<_> = events(folder.path()).into_iter().filter(|e| e.starts_with("image")).collect();
    assert_eq!(images, ["image 300 3", "image 100 1", "image 100 1"]);
}

#[test]
fn a_refused_calibration_is_an_error() {
    let folder = euroc();
    write(&folder.path().join("mav0/cam0/sensor.yaml"), "camera_model: pinhole\nintrinsics: [0, 50, 20, 18]\n");
    refused(folder.path().to_str().unwrap(), &["sensor.yaml", "fx"]);
}

#[test]
fn folders_of_images_are_sorted_as_people_sort() {
    let folder = tempfile::tempdir().unwrap();
    for (name, value) in [("10.png", 10), ("9.png", 9), ("1.png", 1), ("11.jpg", 11)] {
        picture(&folder.path().join(name), value);
    }
    write(&folder.path().join("notes.txt"), "no image");
    let expected = ["image 50000000 1", "image 100000000 9", "image 150000000 10", "image 200000000 11"];
    assert_eq!(events(folder.path()), expected);
}

#[test]
fn names_that_are_times_are_the_stamps() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["1403715273262142976.png", "1403715273312143104.png"] {
        picture(&folder.path().join(name), 5);
    }
    assert_eq!(events(folder.path()), ["image 1403715273262142976 5", "image 1403715273312143104 5"]);
    // One name that is no time makes them all counters.
    picture(&folder.path().join("z.png"), 6);
    assert_eq!(events(folder.path()), ["image 50000000 5", "image 100000000 5", "image 150000000 6"]);
}

#[test]
fn damaged_images_of_a_folder_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    picture(&folder.path().join("1.png"), 1);
    write(&folder.path().join("2.png"), "no picture");
    picture(&folder.path().join("3.png"), 3);
    assert_eq!(events(folder.path()), ["image 50000000 1", "lost 100000000", "image 150000000 3"]);
}

#[test]
fn tum_folders_are_read_by_their_listing() {
    let folder = tempfile::tempdir().unwrap();
    picture(&folder.path().join("rgb/a.png"), 7);
    write(
        &folder.path().join("rgb.txt"),
        "# color images\n# timestamp filename\n1311868169.163498 rgb/a.png\r\n1311868169.2 rgb/b.png\nlater rgb/a.png\n",
    );
    assert_eq!(events(folder.path()), ["image 1311868169163498000 7", "lost 1311868169200000000", "lost 0"]);
}

#[test]
fn what_is_no_source_says_what_was_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    refused(folder.path().to_str().unwrap(), &["mav0/cam0", "rgb.txt", "*.png"]);
    refused("no/such/folder", &["no/such/folder", "no such file", "synth:NAME"]);
    let file = folder.path().join("a.png");
    picture(&file, 1);
    refused(file.to_str().unwrap(), &["a.png", "folder is needed", "detect"]);
    write(&folder.path().join("seq/mav0/cam0/data.csv"), "#timestamp [ns],filename\n");
    refused(folder.path().join("seq").to_str().unwrap(), &["no images"]);
    fs::create_dir_all(folder.path().join("bare/mav0/cam0")).unwrap();
    refused(folder.path().join("bare").to_str().unwrap(), &["cam0", "data"]);
}

#[test]
fn shared_sequences_open_whole() {
    let data = std::env::var_os("VIO_TEST_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), Into::into);
    if !data.is_dir() {
        println!("skipped: no test data at {}", data.display());
        return;
    }
    for (name, frames, imu) in
        [("euroc_micro", 60, true), ("aria_gen2_front", 9, true), ("kitti_07", 40, false), ("tum_fr2_desk", 14, false)]
    {
        let mut source = opened(&data.join(name));
        assert_eq!(source.frames(), frames, "{name}");
        let events: Vec<_> = std::iter::from_fn(|| source.next_event()).collect();
        assert!(!events.iter().any(|e| matches!(e, Event::Unreadable { .. })), "{name}");
        assert_eq!(events.iter().any(|e| matches!(e, Event::Imu(_))), imu, "{name}");
    }
}
