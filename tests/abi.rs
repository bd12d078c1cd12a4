//! The structs that Rust and the kernels share have one layout.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::path::Path;

use vio_frontend::gpu::abi;

#[test]
fn the_layout_that_the_kernels_assert_is_that_of_rust() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/abi_layout.cuh");
    let layout = abi::layout_assertions();
    if std::env::var_os("VIO_RENEW_GOLDEN").is_some() {
        std::fs::write(&path, &layout).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap();
    let drift = layout.lines().zip(committed.lines()).find(|(a, b)| a != b);
    assert_eq!(drift, None, "kernels/abi_layout.cuh is out of date: VIO_RENEW_GOLDEN=1 cargo test --test abi");
    assert_eq!(layout.len(), committed.len(), "kernels/abi_layout.cuh is out of date");
}
