//! Things that may move on their own: their boxes in time, and what they exclude in a frame.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

mod boxes;
mod frames;
mod scene;
