//! The ROS 2 shell: convert, call the front end, publish. Nothing here computes.
//!
//! What needs no ROS 2 (arguments, queueing, byte layouts) is compiled and tested without it; the rest needs the feature
//! `ros2`. One thread spins and only stores what arrives, a worker processes frames, a third draws the
//! overlay while somebody looks at it, a fourth reports once a second, a fifth makes boxes of a detector's output.

pub mod arguments;
pub mod boxes;
pub mod inbox;
pub mod points;
pub mod predictions;
pub mod respawn;

#[cfg(feature = "ros2")]
mod complaints;
#[cfg(feature = "ros2")]
mod convert;
#[cfg(feature = "ros2")]
mod detector;
#[cfg(feature = "ros2")]
mod diagnostics;
#[cfg(feature = "ros2")]
mod log;
#[cfg(feature = "ros2")]
mod node;
#[cfg(feature = "ros2")]
mod painter;
#[cfg(feature = "ros2")]
mod parameters;
#[cfg(feature = "ros2")]
mod publish;
#[cfg(feature = "ros2")]
mod tracks;
#[cfg(feature = "ros2")]
mod worker;

#[cfg(feature = "ros2")]
pub use node::{NodeError, run};
