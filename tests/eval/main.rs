//! `eval`: that it measures what it says, and that the detector keeps its bounds.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod bounds;
#[path = "../common/mod.rs"]
mod common;
#[path = "../detect/images.rs"]
#[allow(dead_code, reason = "shared with the tests of the detector")]
mod images;
mod measures;
mod opencv;
mod track_bounds;
mod track_truth;
mod tracks;
