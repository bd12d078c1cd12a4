//! The GPU layer without a GPU: on a stub of libcuda whose launches run the emulated kernels, and with NVIDIA's
//! compilers where they are installed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

mod allocations;
mod bench;
mod cache;
mod campaign;
#[path = "../../examples/gpu_campaign/campaign/mod.rs"]
mod cases;
mod choice;
// Where they are pinned for (tools/cudaenv).
#[cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
mod compilers;
mod driver;
#[path = "../emulator/mod.rs"]
mod emulator;
#[path = "../fakecuda/mod.rs"]
mod fakecuda;
mod handed_out;
#[path = "../detect/images.rs"]
#[allow(dead_code, reason = "one kind of image is enough here")]
mod images;
mod kernels;
mod launch;
mod lent;
mod log;
#[allow(dead_code, reason = "motions of the tests of tracking")]
#[path = "../track/motion.rs"]
mod motion;
mod pipeline;
mod program;
mod slots;
#[allow(dead_code, reason = "tensors of the tests of post-processing")]
#[path = "../detections/cases.rs"]
mod tensors;
mod tool;
mod transfers;
