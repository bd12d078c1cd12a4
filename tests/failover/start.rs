//! What can be wrong when the front end starts: `auto` works on the CPU, `cuda` says what is missing.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use vio_frontend::fallback::{Backoff, State};
use vio_frontend::frontend::{Backend, Frontend};
use vio_frontend::gpu::driver::SYMBOLS;
use vio_frontend::gpu::engine::EngineOptions;
use vio_frontend::image::GrayImage;
use vio_frontend::params::Device;

use crate::fakecuda::FakeCuda;
use crate::{AT_ONCE, images, on_the_cpu, on_the_stub, options, params, process, results};

const SIZE: (usize, usize) = (64, 32);

/// The CPU does the work with `auto`, and the reason, which `cuda` names too, holds `words`.
fn assert_falls_back(options: &EngineOptions, words: &str) {
    let start = |device| Frontend::with_gpu(params(device), None, options.clone(), AT_ONCE);
    let refused = start(Device::Cuda).unwrap_err().to_string();
    assert!(refused.starts_with("parameter 'device': 'cuda' cannot be had: ") && refused.contains(words), "{refused}");
    let images = images(SIZE, 2);
    let expected = on_the_cpu(&params(Device::Auto), &images);
    let mut frontend = start(Device::Auto).unwrap();
    let why_not = frontend.gpu_report().why_not.unwrap();
    assert!(why_not.contains(words), "'{words}' is not in: {why_not}");
    for (k, (image, expected)) in images.iter().zip(&expected).enumerate() {
        let output = process(&mut frontend, k, image);
        assert_eq!((&results(&frontend, &output), output.backend), (expected, Backend::Cpu));
        assert_eq!(output.fallback, None, "no GPU had begun it");
    }
}

#[test]
fn a_library_that_is_missing_empty_or_incomplete_means_the_cpu() {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("libcuda.so.1");
    let with = |library: &Path| EngineOptions {
        libcuda: Some(library.to_owned()),
        ..EngineOptions::from(&params(Device::Auto))
    };
    assert_falls_back(&with(&library), "libcuda.so.1");
    fs::write(&library, "").unwrap();
    assert_falls_back(&with(&library), "cannot be loaded (");
    for symbol in SYMBOLS {
        let fake = FakeCuda::new("tx2");
        fake.hide(symbol);
        assert_falls_back(&with(&fake.library()), &format!("has no symbol {symbol}"));
    }
}

#[test]
fn folders_that_cannot_be_used_are_named_or_done_without() {
    let fake = FakeCuda::new("orin");
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing").to_str().unwrap().to_owned();
    assert_falls_back(&EngineOptions { kernels_dir: missing, ..options(&fake) }, "missing");
    let writable = folder.path().join("writable");
    fs::create_dir(&writable).unwrap();
    fs::set_permissions(&writable, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let kernels_dir = writable.to_str().unwrap().to_owned();
    assert_falls_back(&EngineOptions { kernels_dir, ..options(&fake) }, "writable");
    fs::set_permissions(&writable, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let list = writable.join("programs.txt");
    fs::write(&list, "detect detect.cu\n").unwrap();
    fs::set_permissions(&list, std::os::unix::fs::PermissionsExt::from_mode(0o666)).unwrap();
    let kernels_dir = writable.to_str().unwrap().to_owned();
    assert_falls_back(&EngineOptions { kernels_dir, ..options(&fake) }, "programs.txt: kernels from there could be");
    // A cache is worth time, not a GPU.
    let cache_dir = "/dev/null/cache".to_owned();
    let options = EngineOptions { cache_dir, ..options(&fake) };
    let frontend = Frontend::with_gpu(params(Device::Cuda), None, options, Backoff::default()).unwrap();
    assert_eq!(frontend.backend(), Backend::Cuda);
}

#[test]
fn cpu_never_looks_for_a_gpu() {
    let fake = FakeCuda::new("tx2");
    let mut frontend = on_the_stub(&fake, params(Device::Cpu));
    process(&mut frontend, 0, &images(SIZE, 1)[0]);
    assert_eq!((frontend.gpu_report().state, frontend.gpu_report().why_not), (State::Unwanted, None));
    assert_eq!(fake.calls(), Vec::new());
}

#[test]
fn a_gpu_that_is_late_at_start_takes_over_in_mid_stream() {
    let images = images(SIZE, 6);
    let params = params(Device::Auto);
    let expected = on_the_cpu(&params, &images);
    let fake = FakeCuda::new("tx2");
    fake.control(&["profile tx2", "fail cuCtxCreate_v2 1 2"]);
    let mut frontend = on_the_stub(&fake, params);
    assert!(matches!(frontend.gpu_report().state, State::Resting { .. }));
    for (k, (image, expected)) in images.iter().zip(&expected).enumerate() {
        if k == 3 {
            frontend.await_gpu(Duration::from_secs(10));
        }
        let output = process(&mut frontend, k, image);
        assert_eq!((&results(&frontend, &output), output.fallback), (expected, None), "frame {k}");
        assert!(k < 3 || output.backend == Backend::Cuda, "frame {k}");
    }
}

#[test]
fn two_front_ends_share_a_gpu_and_sizes_may_change() {
    let fake = FakeCuda::new("discrete");
    let params = params(Device::Cuda);
    let mut pair = [on_the_stub(&fake, params.clone()), on_the_stub(&fake, params.clone())];
    let images: Vec<GrayImage> =
        [SIZE, (75, 49), (49, 75), SIZE].into_iter().flat_map(|size| images(size, 3)).collect();
    let expected = on_the_cpu(&params, &images);
    for (k, (image, expected)) in images.iter().zip(&expected).enumerate() {
        for frontend in &mut pair {
            let output = process(frontend, k, image);
            assert_eq!((&results(frontend, &output), output.backend), (expected, Backend::Cuda), "frame {k}");
        }
    }
    drop(pair);
    assert_eq!(fake.leaks(), Vec::<String>::new());
}

#[test]
fn a_front_end_ends_soon_even_with_a_kernel_that_hangs() {
    let fake = FakeCuda::new("tx2");
    let mut frontend = on_the_stub(&fake, params(Device::Auto));
    fake.control(&["profile tx2", "hang cuLaunchCooperativeKernel 1"]);
    let output = process(&mut frontend, 0, &images(SIZE, 1)[0]);
    assert_eq!(output.fallback.as_deref(), Some("a launch has not ended after 60ms"));
    let start = Instant::now();
    drop(frontend);
    // What hangs is given up after two seconds; the thread that waits for it must not outlive the process.
    assert!(start.elapsed() < Duration::from_secs(3));
}

#[test]
fn nvrtc_that_is_hidden_means_kept_kernels() {
    let fake = FakeCuda::new("tx2");
    let hidden = EngineOptions { libnvrtc: Some(PathBuf::from("/nowhere/libnvrtc.so")), ..options(&fake) };
    let frontend = Frontend::with_gpu(params(Device::Cuda), None, hidden, AT_ONCE).unwrap();
    assert_eq!(
        (frontend.backend(), frontend.gpu_report().name.as_deref()),
        (Backend::Cuda, Some("Stub of a GPU (tx2)"))
    );
}
