//! Offline inputs behind one trait: recorded sequences, folders of images, and the simulator.

use crate::camera::Camera;
use crate::frame::{ImuSample, StampNs};
use crate::image::GrayImage;

/// What a source yields, in the order of arrival.
#[derive(Clone, Debug)]
pub enum Event {
    Image {
        stamp_ns: StampNs,
        image: GrayImage,
    },
    Imu(ImuSample),
    /// A frame that could not be read; it is counted as refused.
    Unreadable {
        stamp_ns: StampNs,
        message: String,
    },
}

/// A finite stream of images and IMU samples.
pub trait Source {
    /// Number of frames, readable or not.
    fn frames(&self) -> usize;
    /// The calibration that comes with the data.
    fn camera(&self) -> Option<&Camera>;
    /// The next event; `None` at the end.
    fn next_event(&mut self) -> Option<Event>;
}
