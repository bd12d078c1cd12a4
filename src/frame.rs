//! What arrives: an image with its stamp, an IMU sample with its stamp.

use crate::image::ImageView;

/// Time of a measurement, nanoseconds of the clock that stamps images and IMU samples.
pub type StampNs = i64;

/// One image as it came from the driver, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    pub stamp_ns: StampNs,
    pub image: ImageView<'a>,
}

/// One IMU sample in the IMU's own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImuSample {
    pub stamp_ns: StampNs,
    /// Angular velocity, rad/s.
    pub gyro: [f64; 3],
    /// Specific force, m/s^2; `None` where the source has none.
    pub accel: Option<[f64; 3]>,
}
