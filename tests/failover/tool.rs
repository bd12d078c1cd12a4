//! The offline tool with a libcuda on its path: `replay`, `compare` and `detect` as a user would run them.

use std::path::Path;
use std::process::{Command, Output};

use crate::fakecuda::FakeCuda;

fn run(fake: &FakeCuda, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vio_frontend"));
    command.args(arguments).env("LD_LIBRARY_PATH", fake.folder()).env("NO_COLOR", "1");
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code().unwrap(), String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap())
}

/// Replays `source` on the CPU and on the stub under `control`; the runs are equal. Yields the summary of the stub's.
fn replays_alike(source: &str, frames: u32, fake: &FakeCuda, params: &Path) -> serde_json::Value {
    let folder = tempfile::tempdir().unwrap();
    let [cpu, stub] = ["cpu", "stub"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    for (device, out) in [("cpu", &cpu), ("cuda", &stub)] {
        let arguments = [
            "--max-frames",
            &frames.to_string(),
            "--device",
            device,
            "--out",
            out,
            "--params",
            params.to_str().unwrap(),
        ];
        let (code, text) = run(fake, &[&["replay", source], &arguments[..]].concat());
        assert_eq!(code, 0, "{text}");
    }
    let (code, text) = run(fake, &["compare", &cpu, &stub]);
    assert!(code == 0 && text.starts_with("equal: "), "{text}");
    serde_json::from_slice(&std::fs::read(Path::new(&stub).join("summary.json")).unwrap()).unwrap()
}

fn params(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("params.yaml");
    let text = "/**:\n  ros__parameters:\n    max_cnt: 40\n    detect_cnt: 120\n    publish_descriptors: true\n";
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_replay_on_the_stub_is_that_on_the_cpu() {
    let folder = tempfile::tempdir().unwrap();
    let fake = FakeCuda::new("tx2");
    let source = "synth:room";
    let summary = replays_alike(source, 4, &fake, &params(folder.path()));
    assert_eq!((&summary["device"], &summary["gpu"]), (&"cuda".into(), &"Stub of a GPU (tx2)".into()));
    assert_eq!((&summary["fallbacks"], &summary["no_gpu"]), (&serde_json::json!([]), &serde_json::Value::Null));

    fake.control(&["profile tx2", "lose cuLaunchKernel 4 700"]);
    let summary = replays_alike(source, 4, &fake, &params(folder.path()));
    assert_eq!(summary["device"], "cpu");
    let reason = "cuStreamQuery answers 700 (CUDA_ERROR_ILLEGAL_ADDRESS)";
    assert_eq!(summary["fallbacks"], serde_json::json!([{ "frame": 3, "reason": reason }]));
    assert_eq!(summary["no_gpu"], reason);
}

#[test]
fn a_kernel_that_hangs_at_the_end_lets_the_tool_end_as_usual() {
    let folder = tempfile::tempdir().unwrap();
    let fake = FakeCuda::new("tx2");
    fake.control(&["profile tx2", "hang cuLaunchKernel 4"]);
    let summary = replays_alike("synth:room", 4, &fake, &params(folder.path()));
    assert_eq!(
        summary["fallbacks"],
        serde_json::json!([{ "frame": 3, "reason": "a launch has not ended after 100ms" }])
    );
}

#[test]
fn a_gpu_that_cannot_be_opened_is_told_of_once() {
    let fake = FakeCuda::new("tx2");
    fake.control(&["profile tx2", "fail cuCtxCreate_v2 1 2"]);
    let (code, text) = run(&fake, &["replay", "synth:room", "--max-frames", "1"]);
    let reason = "cuCtxCreate_v2 answers 2 (CUDA_ERROR_OUT_OF_MEMORY)";
    assert!(code == 0 && text.matches(reason).count() == 1, "{text}");
}

#[test]
fn doctor_says_who_will_work_on_frames() {
    let fake = FakeCuda::new("tx2");
    let (_, text) = run(&fake, &["doctor"]);
    assert!(text.contains("device    'auto' takes cuda (Stub of a GPU (tx2))\n"), "{text}");
    let (_, text) = run(&fake, &["doctor", "--device", "cpu"]);
    assert!(text.contains("device    'cpu' takes cpu\n"), "{text}");
    fake.control(&["profile tx2", "fail cuCtxCreate_v2 1 2"]);
    let (_, text) = run(&fake, &["doctor", "--device", "cuda"]);
    assert!(
        text.contains("device    problem: parameter 'device': 'cuda' cannot be had: cuCtxCreate_v2 answers 2 "),
        "{text}"
    );
}

#[test]
fn real_frames_on_the_stub_are_those_on_the_cpu() {
    let Some(data) = crate::common::test_data() else { return };
    let folder = tempfile::tempdir().unwrap();
    for (profile, sequence) in [("tx2", "euroc_micro"), ("orin", "kitti_07"), ("discrete", "tum_fr2_desk")] {
        let fake = FakeCuda::new(profile);
        let source = data.join(sequence);
        let summary = replays_alike(source.to_str().unwrap(), 4, &fake, &params(folder.path()));
        assert_eq!((&summary["device"], &summary["fallbacks"]), (&"cuda".into(), &serde_json::json!([])), "{sequence}");
    }
}

#[test]
fn detect_names_the_device() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("image.png");
    let picture = image::GrayImage::from_fn(96, 64, |x, y| image::Luma([((x / 7 * 91 + y / 5 * 57) % 251) as u8]));
    picture.save(&path).unwrap();
    let fake = FakeCuda::new("orin");
    let outputs = ["cpu", "cuda"].map(|device| {
        let (code, text) = run(&fake, &["detect", path.to_str().unwrap(), "--json", "--device", device]);
        assert_eq!(code, 0, "{text}");
        assert!(text.contains(&format!("\"device\":\"{device}\"")), "{text}");
        text.replace(device, "")
    });
    assert_eq!(outputs[0], outputs[1]);
}

#[test]
#[ignore = "minutes: make test-failover"]
fn scenes_on_the_stub_are_those_on_the_cpu() {
    let folder = tempfile::tempdir().unwrap();
    // All parameters as they are by default.
    let path = folder.path().join("params.yaml");
    std::fs::write(&path, "/**:\n  ros__parameters:\n    seed: 0\n").unwrap();
    for (profile, source) in [("tx2", "synth:corridor"), ("orin", "synth:fast_rotation"), ("discrete", "synth:outdoor")]
    {
        let fake = FakeCuda::new(profile);
        let summary = replays_alike(source, 15, &fake, &path);
        assert_eq!((&summary["device"], &summary["fallbacks"]), (&"cuda".into(), &serde_json::json!([])), "{source}");
    }
}
