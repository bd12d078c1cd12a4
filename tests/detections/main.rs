//! Post-processing of detectors: the plain path beside a sequential one of 20 lines, and what is refused.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

mod cases;
mod cli;
mod emulated;
#[path = "../emulator/mod.rs"]
mod emulator;
#[path = "../fakecuda/mod.rs"]
mod fakecuda;
mod objects;
mod oracle;
mod plain;
mod refused;
mod sigmoid;
mod stub;
