//! Loading libcuda: what is missing is named, whatever it is.

use std::fs;

use vio_frontend::gpu::device::{Device, MemorySystem};
use vio_frontend::gpu::driver::{Driver, SYMBOLS};
use vio_frontend::gpu::{GpuError, LibraryError, Severity};

use crate::fakecuda::{FakeCuda, exports_of_10_2, modelled};

fn device(fake: &FakeCuda) -> Result<Device, GpuError> {
    Device::open(&Driver::load(Some(&fake.library()))?, 0)
}

#[test]
fn each_profile_is_told_apart() {
    let expected = [
        ("tx2", (10, 2), (6, 2), MemorySystem::Uncached),
        ("orin", (12, 6), (8, 7), MemorySystem::Coherent),
        ("discrete", (12, 9), (8, 6), MemorySystem::Discrete),
    ];
    for (profile, version, capability, memory) in expected {
        let found = device(&FakeCuda::new(profile)).unwrap();
        assert_eq!((found.driver().version(), found.capability, found.memory), (version, capability, memory));
    }
}

#[test]
fn a_missing_library_is_named_with_all_that_was_tried() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("libcuda.so.1");
    let error = Driver::load(Some(&path)).unwrap_err();
    assert!(matches!(&error, GpuError::Library(LibraryError::Missing { .. })), "{error}");
    assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
}

#[test]
fn an_empty_file_in_its_place_is_named_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("libcuda.so.1");
    for content in ["", "not a library"] {
        fs::write(&path, content).unwrap();
        let error = Driver::load(Some(&path)).unwrap_err();
        let GpuError::Library(LibraryError::Missing { tried, .. }) = &error else { panic!("{error}") };
        assert_eq!(tried.unusable.len(), 1, "{error}");
        assert!(error.to_string().contains(&format!("{} cannot be loaded (", path.display())), "{error}");
    }
}

#[test]
fn each_missing_symbol_is_named() {
    for symbol in SYMBOLS {
        let fake = FakeCuda::new("tx2");
        fake.hide(symbol);
        let error = Driver::load(Some(&fake.library())).unwrap_err();
        let GpuError::Library(LibraryError::Symbol { symbol: named, .. }) = &error else { panic!("{symbol}: {error}") };
        assert_eq!(named, symbol);
        assert!(error.to_string().contains(&format!("libcuda.so.1 has no symbol {symbol}")), "{error}");
    }
}

#[test]
fn nothing_outside_cuda_10_2_is_asked_for() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fakecuda");
    let modelled = modelled(&folder);
    for symbol in SYMBOLS {
        assert!(modelled.iter().any(|name| name == symbol), "the stub lacks {symbol}");
    }
    let Some(exports) = exports_of_10_2() else {
        println!("skipped: the list of CUDA 10.2's exports is not at hand");
        return;
    };
    for name in modelled.iter().map(String::as_str).chain(SYMBOLS.iter().copied()) {
        assert!(exports.iter().any(|export| export == name), "CUDA 10.2 has no {name}");
    }
}

#[test]
fn errors_keep_call_code_and_name() {
    for (line, call, code, name, severity) in [
        ("fail cuInit 1 100", "cuInit", 100, "CUDA_ERROR_NO_DEVICE", Severity::Transient),
        ("fail cuInit 1 999", "cuInit", 999, "CUDA_ERROR_UNKNOWN", Severity::Sticky),
        ("fail cuDeviceGetName 1 801", "cuDeviceGetName", 801, "CUDA_ERROR_NOT_SUPPORTED", Severity::Permanent),
        ("fail cuDeviceGet 1 4711", "cuDeviceGet", 4711, "a code that the driver has no name for", Severity::Permanent),
    ] {
        let fake = FakeCuda::new("tx2");
        fake.control(&["profile tx2", line]);
        let error = device(&fake).unwrap_err();
        let GpuError::Cuda(cuda) = &error else { panic!("{error}") };
        assert_eq!((cuda.call, cuda.code, cuda.name.as_str(), cuda.severity()), (call, code, name, severity));
        assert_eq!(error.to_string(), format!("{call} answers {code} ({name})"));
    }
}

#[test]
fn a_device_that_will_not_do_is_refused_by_what_it_lacks() {
    let fake = FakeCuda::new("tx2");
    for (lines, words) in [
        (["attribute 19 0", ""], "lacks mapped host memory"),
        (["attribute 95 0", ""], "lacks cooperative launches"),
        (["attribute 95 refused", ""], "cuDeviceGetAttribute answers 1 (CUDA_ERROR_INVALID_VALUE)"),
        (["driver 10010", ""], "the CUDA driver 10.1 is older than 10.2"),
    ] {
        fake.control(&[&["profile tx2"], &lines[..]].concat());
        let error = device(&fake).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    fake.control(&["profile tx2"]);
    let driver = Driver::load(Some(&fake.library())).unwrap();
    assert!(matches!(Device::open(&driver, 1), Err(GpuError::NoDevice { ordinal: 1, count: 1 })));
}
