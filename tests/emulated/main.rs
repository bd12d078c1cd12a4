//! kernels/detect.cu and track.cu, compiled as C++ and run on an emulated device, give the bits of the plain paths.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

#[path = "../emulator/mod.rs"]
mod emulator;
mod floor;
mod formats;
#[path = "../detect/images.rs"]
mod images;
#[path = "../track/motion.rs"]
mod motion;
mod random;
mod real;
mod roots;
mod sizes;
mod track;
mod track_twin;
mod twin;
