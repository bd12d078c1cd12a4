//! `vio_frontend bench` on the stub: every way is there, and each case has the bits of the plain path.

use std::process::Command;

use serde_json::Value;

use crate::fakecuda::FakeCuda;

fn run(fake: &FakeCuda, more: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vio_frontend"));
    command.args(["bench", "--frames", "2", "--plain-frames", "0", "--buffers", "2", "--size", "97x75", "--max-cnt"]);
    command.args(["30", "--tracks", "5", "--libnvrtc", "/nowhere/libnvrtc.so", "--cache-dir", "/nowhere/cache"]);
    command.args(["--upload-threads", "2"]);
    command.arg("--libcuda").arg(fake.library()).args(more).env("NO_COLOR", "1");
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn every_way_is_measured_beside_its_floor() {
    let fake = FakeCuda::new("discrete");
    let (code, out, words) = run(&fake, &["--device", "cuda", "--json"]);
    assert_eq!(code, 0, "{words}");
    let report: Value = serde_json::from_str(&out).unwrap();
    let gpu = &report["machine"]["gpu"];
    assert_eq!((&gpu["name"], &gpu["cuda"]), (&"Stub of a GPU (discrete)".into(), &"12.9".into()));
    assert!(gpu["kernels"].as_str().unwrap().contains("kept in this program"), "{gpu}");
    let cases = report["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 3);
    for case in cases {
        let gpu = &case["gpu"];
        assert_eq!((&case["features_mean"], &gpu["equal_frames"]), (&30.0.into(), &2.into()));
        let p50 = |figures: &Value, stage: &str| figures["latency_us"][stage]["p50"].as_f64().unwrap();
        let named = |way: &Value| (way["memory"].clone(), way["upload_threads"].clone());
        let ways = gpu["ways"].as_array().unwrap();
        let expected = [("ordinary", 0), ("page_locked", 0), ("ordinary", 2), ("page_locked", 2)];
        assert_eq!(ways.len(), expected.len());
        for (way, (memory, threads)) in ways.iter().zip(expected) {
            assert_eq!(named(way), (memory.into(), threads.into()));
            let floor = &way["floor"];
            for stage in ["load", "queue", "detect", "results", "track", "read"] {
                assert!(p50(way, stage) <= p50(way, "total"), "{way}");
            }
            let ratio = p50(way, "total") / p50(floor, "total");
            assert!((way["over_floor"].as_f64().unwrap() / ratio - 1.0).abs() < 1e-9, "{way}");
            let tail = way["tail_us"].as_f64().unwrap() - floor["tail_us"].as_f64().unwrap();
            assert!((way["tail_over_floor_us"].as_f64().unwrap() - tail).abs() < 1e-6, "{way}");
        }
        assert!(p50(&gpu["floor_frame"], "total") > 0.0);
    }
    assert_eq!(fake.leaks(), Vec::<String>::new());
    // Two buffers a case, and three memories for the results of each way, to be compared and to be measured.
    assert_eq!(fake.count("cuMemHostRegister_v2"), 3 * (2 + 2 * 4 * 3));
    let (code, out, _) = run(&fake, &[]);
    assert_eq!(code, 0);
    for part in ["GPU, page-locked memory, +2 threads", "floor: copy, flag", "ordinary memory, 2 threads help: load"] {
        assert!(out.contains(part), "'{part}' is not in: {out}");
    }
}

#[test]
fn a_gpu_that_fails_is_an_error_with_its_words() {
    let fake = FakeCuda::new("tx2");
    fake.control(&["profile tx2", "fail cuLaunchCooperativeKernel 9 2"]);
    let (code, _, words) = run(&fake, &[]);
    assert!(code == 2 && words.contains("cuLaunchCooperativeKernel answers 2 (CUDA_ERROR_OUT_OF_MEMORY)"), "{words}");
    fake.control(&["profile tx2", "fail cuCtxCreate_v2 1 2"]);
    let (code, _, words) = run(&fake, &["--device", "cuda"]);
    assert!(code == 2 && words.contains("device 'cuda' is wanted: cuCtxCreate_v2 answers 2"), "{words}");
}

/// Pipelines of one context: none may free memory while the kernel of another hangs.
#[test]
fn a_kernel_that_hangs_ends_it_with_an_error() {
    let fake = FakeCuda::new("discrete");
    for launch in [2, 4, 9] {
        fake.control(&["profile discrete", &format!("hang cuLaunchCooperativeKernel {launch}")]);
        let (code, out, words) = run(&fake, &["--device", "cuda", "--json"]);
        assert_eq!((code, out.as_str()), (2, ""), "launch {launch}: {words}");
        assert!(words.contains("error: "), "launch {launch}: {words}");
    }
}
