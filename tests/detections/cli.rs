//! `vio_frontend detections` as its users meet it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use vio_frontend::detections::plain::PlainPostprocessor;
use vio_frontend::detections::{Element, Letterbox};

use crate::cases::{Case, LIMITS, Limits};
use crate::fakecuda::FakeCuda;

/// Exit status, standard output and error.
fn run(file: &Path, options: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vio_frontend"));
    command.args(["detections", file.to_str().unwrap()]).args(options).env("NO_COLOR", "1");
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

#[track_caller]
fn document(file: &Path, options: &[&str]) -> serde_json::Value {
    let (code, out, err) = run(file, options);
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

#[track_caller]
fn refused(file: &Path, options: &[&str], parts: &[&str]) {
    let (code, out, err) = run(file, options);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    for part in parts {
        assert!(err.contains(part), "'{part}' is not in: {err}");
    }
    assert!(!err.contains("panicked"), "{err}");
}

/// A .npy file, version 1.0.
fn npy(kind: &str, order: &str, shape: &[usize], data: &[u8]) -> Vec<u8> {
    let sides: String = shape.iter().map(|side| format!("{side}, ")).collect();
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': ({sides}), }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    [b"\x93NUMPY\x01\x00", (header.len() as u16).to_le_bytes().as_slice(), header.as_bytes(), data].concat()
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// A case without heads as a file, and its options.
fn saved(folder: &Path, seed: u64, limits: Limits) -> (Case, PathBuf, Vec<String>) {
    let case = (seed..).map(|seed| Case::random(seed, limits)).find(|case| case.settings.heads.is_none()).unwrap();
    let kind = if case.element == Element::F32 { "<f4" } else { "<f2" };
    let file = write(folder, "tensor.npy", &npy(kind, "False", &case.shape, case.tensor().bytes()));
    let settings = &case.settings;
    let mut options = vec!["--layout".to_owned(), settings.layout.name().to_owned()];
    for (name, value) in [
        ("--conf", settings.confidence.to_string()),
        ("--iou", settings.iou.to_string()),
        ("--max-candidates", settings.max_candidates.to_string()),
        ("--max-detections", settings.max_detections.to_string()),
        ("--input", "320x320".to_owned()),
        ("--image", "640x480".to_owned()),
    ] {
        options.extend([name.to_owned(), value]);
    }
    options.extend(settings.agnostic.then(|| "--agnostic".to_owned()));
    (case, file, options)
}

#[test]
fn a_file_gives_the_boxes_of_the_library_on_cpu_and_gpu() {
    let (folder, fake) = (tempfile::tempdir().unwrap(), FakeCuda::new("orin"));
    let library = fake.library();
    for seed in [0, 20, 40, 60, 80] {
        let (mut case, file, options) = saved(folder.path(), seed, LIMITS);
        case.letterboxes.fill(Letterbox::fit([640, 480], [320, 320]));
        let mut plain = PlainPostprocessor::new(case.plan());
        let expected = plain.run(&case.tensor(), &case.letterboxes).unwrap();
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let cpu = document(&file, &[&options[..], &["--device", "cpu"]].concat());
        let gpu = [
            "--device",
            "cuda",
            "--libcuda",
            library.to_str().unwrap(),
            "--libnvrtc",
            "/nowhere",
            "--cache-dir",
            "off",
        ];
        let gpu = document(&file, &[&options[..], &gpu].concat());
        assert_eq!((&cpu["device"], &gpu["device"]), (&"cpu".into(), &"cuda".into()));
        assert_eq!(cpu["images"], gpu["images"]);
        let images = cpu["images"].as_array().unwrap();
        assert_eq!(images.len(), expected.counts.len());
        for ((image, counts), boxes) in images.iter().zip(&expected.counts).zip(expected.images()) {
            let count = |name: &str| image[name].as_u64().unwrap() as u32;
            let found = ["candidates", "considered", "kept", "written"].map(count);
            assert_eq!(found, [counts.candidates, counts.considered, counts.kept, counts.written]);
            let found = image["boxes"].as_array().unwrap();
            assert_eq!(found.len(), boxes.len());
            for (found, expected) in found.iter().zip(boxes) {
                let number = |name: &str| found[name].as_f64().unwrap() as f32;
                let (e, corners) = (expected, ["x1", "y1", "x2", "y2", "score"].map(number));
                assert_eq!(corners, [e.x1, e.y1, e.x2, e.y2, e.score]);
                assert_eq!((&found["class"], &found["anchor"]), (&e.class.into(), &e.anchor.into()));
            }
        }
    }
}

/// Three boxes, the last without overlap.
fn small(folder: &Path, kind: &str, bytes: impl Fn(f32) -> Vec<u8>) -> PathBuf {
    let values = [
        100.0, 100.0, 50.0, 50.0, 0.75, 0.875, 101.0, 100.0, 50.0, 50.0, 0.75, 0.75, 300.0, 100.0, 50.0, 50.0, 0.5, 1.0,
    ];
    let data: Vec<u8> = values.into_iter().flat_map(bytes).collect();
    write(folder, "small.npy", &npy(kind, "False", &[1, 3, 6], &data))
}

#[test]
fn either_byte_order_and_width_is_read_and_time_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        small(folder.path(), "<f4", |value| value.to_le_bytes().to_vec()),
        small(folder.path(), ">f4", |value| value.to_be_bytes().to_vec()),
        small(folder.path(), "<f2", |value| half::f16::from_f32(value).to_le_bytes().to_vec()),
    ];
    for file in files {
        let found = document(&file, &["--layout", "yolov5", "--device", "cpu", "--repeat", "3"]);
        let keys: Vec<&String> = found.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["device", "element", "images", "input", "latency_us", "layout", "shape"]);
        assert!(found["input"].is_null() && found["latency_us"]["p50"].as_f64().unwrap() > 0.0);
        let image = &found["images"][0];
        assert_eq!((&image["candidates"], &image["written"]), (&3.into(), &2.into()));
        let expected = serde_json::json!({"x1": 75.0, "y1": 75.0, "x2": 125.0, "y2": 125.0, "score": 0.65625, "class": 0, "anchor": 0});
        assert_eq!(image["boxes"][0], expected);
    }
}

#[test]
fn what_a_capacity_leaves_out_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = small(folder.path(), "<f4", |value| value.to_le_bytes().to_vec());
    let (code, _, err) = run(&file, &["--layout", "yolov5", "--device", "cpu", "--max-candidates", "2"]);
    assert_eq!(code, 0);
    assert!(err.contains("WARN image 0: 1 of 3 candidates were not considered"), "{err}");
    let (_, _, err) = run(&file, &["--layout", "yolov5", "--device", "cpu", "--max-detections", "1"]);
    assert!(err.contains("WARN image 0: 1 of 2 boxes are not printed"), "{err}");
    let (_, _, err) = run(&file, &["--layout", "yolov5", "--device", "cpu"]);
    assert_eq!(err, "");
}

#[test]
fn bad_files_and_options_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let good = [0.5f32; 18].map(f32::to_le_bytes).concat();
    let v5 = ["--layout", "yolov5", "--device", "cpu"];
    let file = |bytes: &[u8]| write(path, "bad.npy", bytes);
    refused(&path.join("absent.npy"), &v5, &["absent.npy", "No such file"]);
    refused(path, &v5, &["error: "]);
    for bytes in [&b""[..], b"x", b"\x93NUMPY\x01\x00", b"\x93NUMPY\x01\x00\x10\x00{'descr': '<f4'", &[0x93; 300]] {
        refused(&file(bytes), &v5, &["bad.npy", "no NumPy array"]);
    }
    refused(&file(&npy("<f8", "False", &[1, 3, 6], &[0; 144])), &v5, &["'<f8'", "float32 or float16"]);
    refused(&file(&npy("|i1", "False", &[1, 3, 6], &[0; 18])), &v5, &["'|i1'"]);
    refused(&file(&npy("<f4", "True", &[1, 3, 6], &good)), &v5, &["Fortran order", "ascontiguousarray"]);
    refused(&file(&npy("<f4", "False", &[1, 3, 6], &good[..71])), &v5, &["71 bytes", "float32"]);
    refused(&file(&npy("<f4", "False", &[1, 3, 6], &good[..36])), &v5, &["36 bytes"]);
    refused(&file(&npy("<f4", "False", &[1 << 40, 1 << 40, 6], &good)), &v5, &["no NumPy array"]);
    refused(&file(&npy("<f4", "False", &[1 << 40, 1 << 40, 0], &good)), &v5, &["no NumPy array"]);
    refused(&file(&npy("<f4", "False", &[1 << 40, 1 << 10, 6], &good)), &v5, &["bytes after the header"]);
    refused(&file(&npy("<f4", "False", &[3, 6], &good)), &v5, &["[3, 6]", "2 dimensions"]);
    refused(&file(&npy("<f4", "False", &[0, 3, 6], &[])), &v5, &["batch of 0"]);
    let whole = file(&npy("<f4", "False", &[1, 3, 6], &good));
    refused(&whole, &["--layout", "yolov4"], &["yolov4", "yolov8_rows"]);
    refused(&whole, &["--layout", "yolov8", "--classes", "80"], &["C = 80"]);
    refused(&whole, &[&v5[..], &["--conf", "1.5"]].concat(), &["confidence is 1.5"]);
    refused(&whole, &[&v5[..], &["--iou", "NaN"]].concat(), &["iou is NaN"]);
    refused(&whole, &[&v5[..], &["--max-candidates", "9000"]].concat(), &["max_candidates is 9000", "8192"]);
    refused(&whole, &[&v5[..], &["--input", "640"]].concat(), &["WIDTHxHEIGHT"]);
    refused(&whole, &[&v5[..], &["--raw"]].concat(), &["--raw needs --input"]);
    refused(&whole, &[&v5[..], &["--raw", "--input", "64x64"]].concat(), &["3 anchors", "the heads make 252"]);
    refused(&whole, &[&v5[..], &["--image", "640x480"]].concat(), &["--image needs --input"]);
    let cuda = ["--layout", "yolov5", "--device", "cuda", "--libcuda", "/nowhere/libcuda.so.1"];
    refused(&whole, &cuda, &["libcuda"]);
    let nan = [&good[..32], &f32::NAN.to_le_bytes(), &good[36..]].concat();
    let nan = file(&npy("<f4", "False", &[1, 3, 6], &nan));
    refused(&nan, &v5, &["value NaN of image 0, anchor 1, channel 2 is not finite"]);
}

#[test]
fn a_gpu_that_fails_leaves_the_boxes_to_the_cpu_unless_it_is_insisted_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = small(folder.path(), "<f4", |value| value.to_le_bytes().to_vec());
    let fake = FakeCuda::new("tx2");
    let library = fake.library();
    let options = ["--layout", "yolov5", "--libcuda", library.to_str().unwrap(), "--libnvrtc", "/nowhere"];
    let with = |device| [&options[..], &["--cache-dir", "off", "--device", device]].concat();
    let cpu = document(&file, &with("cpu"));
    fake.control(&["profile tx2", "lose cuLaunchCooperativeKernel 1 700"]);
    let (code, out, err) = run(&file, &with("auto"));
    assert_eq!((code, err.contains("WARN boxes are made on the CPU")), (0, true), "{err}");
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&found["device"], &found["images"]), (&"cpu".into(), &cpu["images"]));
    assert!(found["fallback"].as_str().unwrap().contains("700"), "{found}");
    fake.control(&["profile tx2", "lose cuLaunchCooperativeKernel 1 700"]);
    refused(&file, &with("cuda"), &["700"]);
}

#[test]
fn without_a_gpu_auto_is_the_cpu_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let file = small(folder.path(), "<f4", |value| value.to_le_bytes().to_vec());
    let found = document(&file, &["--layout", "yolov5", "--libcuda", "/nowhere/libcuda.so.1"]);
    assert_eq!(found["device"], "cpu");
    assert!(found["fallback"].as_str().unwrap().contains("/nowhere/libcuda.so.1"));
}
