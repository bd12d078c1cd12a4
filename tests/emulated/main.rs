//! kernels/detect.cu, compiled as C++ and run on an emulated device, gives the bits of the plain path.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

#[path = "../emulator/mod.rs"]
mod emulator;
mod formats;
#[path = "../detect/images.rs"]
mod images;
mod random;
mod real;
mod sizes;
mod twin;
