//! A network's raw output in a `std_msgs/Float32MultiArray`, and what its labels say of it.
//!
//! The dimensions are those of the tensor. The message has no stamp, so a label, usually that of the first dimension, may
//! hold words of the form `key=value`:
//!
//! | word | |
//! |---|---|
//! | `stamp=SECONDS.NANOSECONDS` | of the image that the network saw, nine digits after the point |
//! | `image=WIDTHxHEIGHT` | its size, px |

use crate::frame::StampNs;

/// A dimension as it was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimension {
    pub label: String,
    pub size: u32,
    /// Values from one item of the dimension before to the next; 0 says nothing.
    pub stride: u32,
}

/// A tensor and the image that it belongs to, as far as that is said.
#[derive(Clone, Debug, PartialEq)]
pub struct Predictions<'a> {
    pub shape: Vec<usize>,
    pub values: &'a [f32],
    pub stamp_ns: Option<StampNs>,
    /// Width and height, px.
    pub image: Option<[u32; 2]>,
}

/// Why a message is no tensor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPredictions {
    #[error("layout.dim is empty: the shape of the tensor is not known")]
    NoShape,
    #[error("layout.dim[{index}].stride is {stride}: a tensor without gaps has {expected}")]
    Stride { index: usize, stride: u32, expected: u64 },
    #[error("layout.data_offset is {offset}, data has {len} values")]
    Offset { offset: u32, len: usize },
    #[error("layout.dim[{index}].label has '{word}': {expected} is expected")]
    Word { index: usize, word: String, expected: &'static str },
    #[error("shape {shape:?} is a batch of {batch} images: one is expected")]
    Batch { shape: Vec<usize>, batch: usize },
    #[error("there was no image yet whose stamp or size predictions without stamp= and image= could have")]
    NoImage,
}

impl BadPredictions {
    /// The short name under which refusals are counted.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::NoShape => "shape",
            Self::Stride { .. } | Self::Offset { .. } => "stride",
            Self::Word { .. } => "label",
            Self::Batch { .. } => "batch",
            Self::NoImage => "no_image",
        }
    }
}

/// Reads the layout of a message whose values are `data`. How many values there must be is left to what reads the tensor.
pub fn read<'a>(
    dimensions: &[Dimension],
    data_offset: u32,
    data: &'a [f32],
) -> Result<Predictions<'a>, BadPredictions> {
    if dimensions.is_empty() {
        return Err(BadPredictions::NoShape);
    }
    let mut expected = 1u64;
    for (index, Dimension { size, stride, .. }) in dimensions.iter().enumerate().rev() {
        expected = expected.saturating_mul(u64::from(*size));
        if *stride != 0 && u64::from(*stride) != expected {
            return Err(BadPredictions::Stride { index, stride: *stride, expected });
        }
    }
    let offset = BadPredictions::Offset { offset: data_offset, len: data.len() };
    let values = data.get(data_offset as usize..).ok_or(offset)?;
    let shape: Vec<usize> = dimensions.iter().map(|dimension| dimension.size as usize).collect();
    let (mut stamp_ns, mut image) = (None, None);
    for (index, dimension) in dimensions.iter().enumerate() {
        for word in dimension.label.split_whitespace() {
            let refused = |expected| BadPredictions::Word { index, word: word.to_owned(), expected };
            match word.split_once('=') {
                Some(("stamp", text)) => {
                    stamp_ns = Some(stamp(text).ok_or_else(|| refused("stamp=SECONDS.NANOSECONDS, nine digits"))?);
                }
                Some(("image", text)) => image = Some(size(text).ok_or_else(|| refused("image=WIDTHxHEIGHT"))?),
                _ => {}
            }
        }
    }
    Ok(Predictions { shape, values, stamp_ns, image })
}

/// Nanoseconds of `1700000000.050000000`.
fn stamp(text: &str) -> Option<StampNs> {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (seconds, nanoseconds) = text.split_once('.').filter(|(_, rest)| rest.len() == 9 && digits(rest))?;
    let seconds: StampNs = Some(seconds).filter(|seconds| digits(seconds))?.parse().ok()?;
    seconds.checked_mul(1_000_000_000)?.checked_add(nanoseconds.parse().ok()?)
}

/// `640x480`, each at least 1.
fn size(text: &str) -> Option<[u32; 2]> {
    let (width, height) = text.split_once('x')?;
    let side = |text: &str| text.parse().ok().filter(|side| (1..=32768).contains(side));
    Some([side(width)?, side(height)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dimensions(label: &str, sizes: &[u32]) -> Vec<Dimension> {
        let strides = (0..sizes.len()).map(|i| sizes[i..].iter().product());
        let mut dimensions: Vec<_> =
            sizes.iter().zip(strides).map(|(&size, stride)| Dimension { label: String::new(), size, stride }).collect();
        if let Some(first) = dimensions.first_mut() {
            first.label = label.to_owned();
        }
        dimensions
    }

    #[test]
    fn labels_say_when_and_of_what_size_the_image_was() {
        let data = [0.0f32; 10];
        let read = |label: &str| read(&dimensions(label, &[1, 2, 4]), 2, &data);
        let found = read("batch stamp=1700000000.050000001 image=752x480").unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((found.shape.as_slice(), found.values.len()), ([1, 2, 4].as_slice(), 8));
        assert_eq!((found.stamp_ns, found.image), (Some(1_700_000_000_050_000_001), Some([752, 480])));
        let found = read("images").unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((found.stamp_ns, found.image), (None, None));
        for word in
            ["stamp=1.5", "stamp=1", "stamp=-1.000000000", "stamp=99999999999.000000000", "image=0x3", "image=3"]
        {
            assert_eq!(read(word).map(|_| ()).map_err(|error| error.reason()), Err("label"), "{word}");
        }
    }

    #[test]
    fn a_layout_that_is_none_is_named() {
        let data = [0.0f32; 8];
        let mut gaps = dimensions("", &[1, 2, 4]);
        gaps[1].stride = 16;
        let gap = BadPredictions::Stride { index: 1, stride: 16, expected: 8 };
        assert_eq!(read(&gaps, 0, &data).map(|_| ()), Err(gap));
        gaps[1].stride = 0;
        assert!(read(&gaps, 0, &data).is_ok());
        assert_eq!(read(&[], 0, &data).map(|_| ()), Err(BadPredictions::NoShape));
        assert_eq!(read(&gaps, 9, &data).map(|_| ()), Err(BadPredictions::Offset { offset: 9, len: 8 }));
        let endless = dimensions("", &[0; 3]);
        assert!(read(&endless, 0, &data).is_ok(), "what shapes mean is said elsewhere");
    }
}
