//! What Rust and the kernels share: the layout of structs, and kept PTX that is that of the sources.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::path::Path;

use vio_frontend::gpu::detections::abi as detections;
use vio_frontend::gpu::floor::abi as floor;
use vio_frontend::gpu::{abi, sources};

#[test]
fn the_layout_that_the_kernels_assert_is_that_of_rust() {
    let layouts = [
        ("abi_layout.cuh", abi::layout_assertions()),
        ("detections/abi_layout.cuh", detections::layout_assertions()),
        ("floor/abi_layout.cuh", floor::layout_assertions()),
    ];
    for (name, layout) in layouts {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels").join(name);
        if std::env::var_os("VIO_RENEW_GOLDEN").is_some() {
            std::fs::write(&path, &layout).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap();
        let drift = layout.lines().zip(committed.lines()).find(|(a, b)| a != b);
        assert_eq!(drift, None, "kernels/{name} is out of date: VIO_RENEW_GOLDEN=1 cargo test --test abi");
        assert_eq!(layout.len(), committed.len(), "kernels/{name} is out of date");
    }
}

#[test]
fn kept_ptx_is_that_of_the_sources() {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let read = |name: &str| std::fs::read_to_string(kernels.join(name));
    let list = read("programs.txt").unwrap();
    assert!(sources::programs(&list).count() > 0);
    for (name, files) in sources::programs(&list) {
        let text = sources::join(&files, read).unwrap();
        let stated = sources::stated_digest(&read(&format!("ptx/{name}.ptx")).unwrap());
        let digest = sources::digest(61, &text);
        assert_eq!(stated, Some(digest), "kernels/ptx/{name}.ptx is out of date: python3 tools/nvrtc.py check --renew");
    }
}
