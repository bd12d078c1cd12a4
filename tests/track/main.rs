//! The tracker against its contract (C11): a naive second implementation, properties, golden digests.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod golden;
#[path = "../detect/images.rs"]
#[allow(dead_code, reason = "each test binary uses its own part")]
mod images;
mod motion;
mod naive;
mod properties;
mod scenes;
mod walk;
