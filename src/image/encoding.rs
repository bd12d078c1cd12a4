//! The pixel encodings of `sensor_msgs/image_encodings` that are understood.

use crate::error::Refusal;

/// Layout of one pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Mono8,
    /// 16 bits a pixel in the message's byte order.
    Mono16,
    Rgb8,
    Bgr8,
    Rgba8,
    Bgra8,
    /// One colour sample a pixel; the pattern's phase does not matter (see [`to_gray`](super::ImageView::to_gray)).
    Bayer8,
    /// Chroma first: U Y V Y.
    Uyvy,
    /// Luma first: Y U Y V.
    Yuyv,
}

/// Message names in the order in which errors list them. Several names may mean one layout.
const NAMES: [(&str, Encoding); 17] = [
    ("mono8", Encoding::Mono8),
    ("8UC1", Encoding::Mono8),
    ("mono16", Encoding::Mono16),
    ("16UC1", Encoding::Mono16),
    ("rgb8", Encoding::Rgb8),
    ("bgr8", Encoding::Bgr8),
    ("8UC3", Encoding::Bgr8),
    ("rgba8", Encoding::Rgba8),
    ("bgra8", Encoding::Bgra8),
    ("bayer_rggb8", Encoding::Bayer8),
    ("bayer_bggr8", Encoding::Bayer8),
    ("bayer_gbrg8", Encoding::Bayer8),
    ("bayer_grbg8", Encoding::Bayer8),
    ("yuv422", Encoding::Uyvy),
    ("uyvy", Encoding::Uyvy),
    ("yuv422_yuy2", Encoding::Yuyv),
    ("yuyv", Encoding::Yuyv),
];

impl Encoding {
    /// The layout that a message's `encoding` names.
    pub fn from_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, encoding)| *encoding)
    }

    /// Every name understood.
    pub fn names() -> Vec<&'static str> {
        NAMES.iter().map(|(name, _)| *name).collect()
    }

    /// The first name of the layout.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, encoding)| *encoding == self).map_or("", |(name, _)| name)
    }

    /// The refusal of an encoding of this name.
    pub(super) fn unknown(name: &str) -> Refusal {
        Refusal::UnknownEncoding { encoding: name.to_owned(), supported: Self::names().join(", ") }
    }

    pub fn bytes_per_pixel(self) -> usize {
        match self {
            Encoding::Mono8 | Encoding::Bayer8 => 1,
            Encoding::Mono16 | Encoding::Uyvy | Encoding::Yuyv => 2,
            Encoding::Rgb8 | Encoding::Bgr8 => 3,
            Encoding::Rgba8 | Encoding::Bgra8 => 4,
        }
    }

    /// Bytes of one sample: a row must start on a whole one.
    pub fn bytes_per_sample(self) -> usize {
        if self == Encoding::Mono16 { 2 } else { 1 }
    }
}
