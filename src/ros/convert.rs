//! Messages to the vocabulary, without copying pixels.

use ros_env::sensor_msgs::msg::rmw::{CameraInfo as CameraInfoMsg, CompressedImage, Image, Imu};
use ros_env::std_msgs::msg::rmw::Header;

use crate::camera::CameraInfo;
use crate::error::Refusal;
use crate::frame::{ImuSample, StampNs};
use crate::image::{GrayImage, ImageView};

/// A stamp in nanoseconds.
pub(super) fn stamp_ns(header: &Header) -> StampNs {
    StampNs::from(header.stamp.sec) * 1_000_000_000 + StampNs::from(header.stamp.nanosec)
}

/// An image as it was received.
#[derive(Debug)]
pub(super) enum Received {
    Raw(Image),
    Compressed(CompressedImage),
}

impl Received {
    pub(super) fn header(&self) -> &Header {
        match self {
            Received::Raw(image) => &image.header,
            Received::Compressed(image) => &image.header,
        }
    }

    /// Calls `use_image` with the image; a compressed one is decoded into `decoded` first.
    pub(super) fn with_view<R>(
        &self,
        decoded: &mut GrayImage,
        use_image: impl FnOnce(ImageView<'_>) -> Result<R, Refusal>,
    ) -> Result<R, Refusal> {
        match self {
            Received::Raw(image) => use_image(view(image)?),
            Received::Compressed(image) => {
                *decoded =
                    GrayImage::decode(image.data.as_slice()).map_err(|message| Refusal::Unreadable { message })?;
                use_image(decoded.checked_view()?)
            }
        }
    }
}

/// The image in a message, checked.
pub(super) fn view(image: &Image) -> Result<ImageView<'_>, Refusal> {
    ImageView::new(
        image.width,
        image.height,
        image.step,
        &image.encoding.to_string(),
        image.is_bigendian != 0,
        image.data.as_slice(),
    )
}

/// The sample in a message. By convention a covariance that begins with -1 marks a missing quantity.
pub(super) fn imu_sample(imu: &Imu) -> ImuSample {
    let (gyro, accel) = (&imu.angular_velocity, &imu.linear_acceleration);
    ImuSample {
        stamp_ns: stamp_ns(&imu.header),
        gyro: [gyro.x, gyro.y, gyro.z],
        accel: (imu.linear_acceleration_covariance[0] != -1.0).then_some([accel.x, accel.y, accel.z]),
    }
}

pub(super) fn camera_info(info: &CameraInfoMsg) -> CameraInfo {
    CameraInfo {
        width: info.width,
        height: info.height,
        distortion_model: info.distortion_model.to_string(),
        d: info.d.to_vec(),
        k: info.k,
    }
}
