//! The visual-inertial front end: grey images and an IMU in, feature tracks out.
//!
//! A frame travels through [`frontend::Frontend::process`], the one function that names every stage in order. The
//! modules below are declared in the direction of the data; imports point upwards in this list, never down.

// Vocabulary: plain data.
pub mod error;
pub mod feature;
pub mod frame;
pub mod image;
mod pages;
pub mod params;
mod random;
pub mod results;
// What a camera and an IMU know.
pub mod camera;
pub mod imu;
// Which frames are processed, and when.
pub mod stamps;
pub mod trigger;
// The stages of a frame.
pub mod detect;
pub mod detections;
pub mod mask;
pub mod track;
pub mod tracks;
pub mod verify;
// The same on a GPU, and without it when it fails.
pub mod fallback;
pub mod gpu;
// All stages in order.
pub mod frontend;
// Around the frame: where it comes from, what leaves it.
pub mod output;
pub mod source;
pub mod telemetry;
// Measuring all that.
pub mod eval;
// The shell: ROS 2 messages in and out.
pub mod ros;
