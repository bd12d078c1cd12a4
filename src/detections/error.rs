//! What is refused, and why: of shapes and settings before anything runs, of values while they are read.

use super::settings::Layout;
use super::tensor::Element;

/// Why a tensor or its settings are refused; every message names the field and its value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refused {
    #[error("shape {shape:?} has {} dimensions: layout {layout} is {}", shape.len(), layout.shape())]
    Rank { shape: Vec<usize>, layout: Layout },
    #[error("shape {shape:?} is a batch of 0 images")]
    EmptyBatch { shape: Vec<usize> },
    #[error("shape {shape:?} has no anchors: layout {layout} is {}", layout.shape())]
    NoAnchors { shape: Vec<usize>, layout: Layout },
    #[error(
        "shape {shape:?} has {channels} values an anchor: layout {layout} is {} with C = {}", layout.shape(),
        wanted.map_or("1 or more".to_owned(), |classes| classes.to_string())
    )]
    Channels { shape: Vec<usize>, layout: Layout, channels: usize, wanted: Option<u32> },
    #[error(
        "shape {shape:?} as layout {layout}, which is {}, would have {channels} values for each of {anchors} anchors: \
         is it another layout, or transposed?", layout.shape()
    )]
    Transposed { shape: Vec<usize>, layout: Layout, channels: usize, anchors: usize },
    #[error("shape {shape:?} has more than {most} values")]
    TooLarge { shape: Vec<usize>, most: usize },
    #[error("data has {bytes} bytes: shape {shape:?} in {element} takes {expected}")]
    Length { bytes: usize, shape: Vec<usize>, element: Element, expected: usize },
    #[error("data has {bytes} bytes, which is shape {shape:?} in {seems}: it is said to be {element}")]
    WrongElement { bytes: usize, shape: Vec<usize>, element: Element, seems: Element },
    #[error("data is {found}: {expected} is expected")]
    OtherElement { found: Element, expected: Element },
    #[error("{name} is {value}: it must lie within 0 .. 1")]
    Threshold { name: &'static str, value: f64 },
    #[error("{name} is {value}: it must lie within 1 .. {most}")]
    Capacity { name: &'static str, value: u32, most: u32 },
    #[error("raw heads are known of layout yolov5 alone, not of {layout}")]
    HeadsOfLayout { layout: Layout },
    #[error("heads: {message}")]
    Heads { message: String },
    #[error("shape {shape:?} has {anchors} anchors: the heads make {expected}")]
    HeadAnchors { shape: Vec<usize>, anchors: usize, expected: u64 },
    #[error(
        "no square input has {anchors} anchors at strides of 8, 16 and 32: the size of the network's input is needed"
    )]
    Input { anchors: usize },
    #[error("{found} letterboxes are given for a batch of {batch}")]
    Letterboxes { found: usize, batch: usize },
    #[error("letterbox of image {image}: {message}")]
    Letterbox { image: usize, message: String },
    #[error(transparent)]
    Value(#[from] BadInput),
}

/// The first value of a tensor, in the order of its memory, that no detector puts out.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("value {value} of image {image}, anchor {anchor}, channel {channel} {}", self.what())]
pub struct BadInput {
    pub image: usize,
    pub anchor: usize,
    pub channel: usize,
    pub value: f32,
    /// Whether it should be a probability; else a coordinate, or a raw value.
    pub probability: bool,
}

impl BadInput {
    fn what(&self) -> &'static str {
        match (self.value.is_finite(), self.probability) {
            (false, _) => "is not finite",
            (true, true) => "is no probability within 0 .. 1: is it a raw head?",
            (true, false) => "is beyond 2^20",
        }
    }
}

impl Refused {
    /// The short name under which refusals are counted.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Rank { .. } | Self::NoAnchors { .. } => "shape",
            Self::EmptyBatch { .. } => "empty_batch",
            Self::Channels { .. } | Self::Transposed { .. } => "layout",
            Self::TooLarge { .. } => "too_large",
            Self::Length { .. } => "data_length",
            Self::WrongElement { .. } | Self::OtherElement { .. } => "element",
            Self::Threshold { .. } | Self::Capacity { .. } => "settings",
            Self::HeadsOfLayout { .. } | Self::Heads { .. } | Self::HeadAnchors { .. } => "heads",
            Self::Input { .. } => "input_size",
            Self::Letterboxes { .. } | Self::Letterbox { .. } => "letterbox",
            Self::Value(bad) if bad.value.is_finite() => "value_range",
            Self::Value(_) => "not_finite",
        }
    }
}
