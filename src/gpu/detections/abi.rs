//! Structs shared with `detections.cu`: the twins of `kernels/detections/abi.cuh`, field by field.

use bytemuck::{Pod, Zeroable};

use crate::detections::{Detection, Letterbox, MAX_ANCHORS, MAX_HEADS};
use crate::gpu::abi::{DevicePointer, abi};

/// `bad_index` where no value was refused.
pub const NO_INDEX: u32 = u32::MAX;

const LAYOUT_HEADER: &str = "\
// The layout that Rust gives the structs of detections/abi.cuh. Made by `VIO_RENEW_GOLDEN=1 cargo test --test abi`.
";

abi! {
    /// The layout of every struct as C++ assertions: the text of `kernels/detections/abi_layout.cuh`.
    fn layout_assertions after LAYOUT_HEADER;

    /// A [`Detection`]; see there for the units.
    pub struct DetectionRecord {
        pub x1: f32,
        pub y1: f32,
        pub x2: f32,
        pub y2: f32,
        pub score: f32,
        pub class_index: u32,
        pub anchor: u32,
        pub reserved: u32,
    }

    /// The [`Counts`](crate::detections::Counts) of an image.
    pub struct DetectionCounts {
        pub candidates: u32,
        pub considered: u32,
        pub kept: u32,
        pub written: u32,
    }

    /// A [`Letterbox`]; see there for the units.
    pub struct LetterboxRecord {
        pub scale: f32,
        pub pad_x: f32,
        pub pad_y: f32,
        pub width: f32,
        pub height: f32,
    }

    /// A [`Head`](crate::detections::Head) whose values are raw.
    pub struct HeadRecord {
        pub first: u32,
        pub columns: u32,
        pub cells: u32,
        pub stride: f32,
        pub widths: [f32; MAX_ANCHORS],
        pub heights: [f32; MAX_ANCHORS],
    }

    /// What the host waits for: `frame` is written last.
    pub struct DetectionsHeader {
        pub frame: u64,
        /// Of the first value that was refused, [`NO_INDEX`] for none.
        pub bad_index: u32,
        pub bad_value: f32,
    }

    /// The argument of `detections`; what each buffer holds is said in `kernels/detections/abi.cuh`, its size by
    /// [`buffers`](super::plan::buffers).
    pub struct DetectionsArgs {
        pub tensor: DevicePointer,
        pub letterboxes: DevicePointer,
        pub records: DevicePointer,
        pub counts: DevicePointer,
        pub header: DevicePointer,
        pub barrier: DevicePointer,
        pub bad: DevicePointer,
        pub candidate_counts: DevicePointer,
        pub keys: DevicePointer,
        pub key_classes: DevicePointer,
        pub boxes: DevicePointer,
        pub box_keys: DevicePointer,
        pub box_classes: DevicePointer,
        pub overlaps: DevicePointer,
        pub frame: u64,
        pub batch: u32,
        pub anchors: u32,
        pub channels: u32,
        pub layout: u32,
        pub half_floats: u32,
        pub head_count: u32,
        pub agnostic: u32,
        pub max_candidates: u32,
        pub max_detections: u32,
        pub confidence: f32,
        pub iou: f32,
        pub reserved: u32,
        pub heads: [HeadRecord; MAX_HEADS],
    }
}

impl From<&Letterbox> for LetterboxRecord {
    fn from(letterbox: &Letterbox) -> Self {
        let Letterbox { scale, pad: [pad_x, pad_y], size: [width, height] } = *letterbox;
        Self { scale, pad_x, pad_y, width, height }
    }
}

impl From<&DetectionRecord> for Detection {
    fn from(record: &DetectionRecord) -> Self {
        let DetectionRecord { x1, y1, x2, y2, score, class_index: class, anchor, .. } = *record;
        Self { x1, y1, x2, y2, score, class, anchor }
    }
}

impl From<&DetectionCounts> for crate::detections::Counts {
    fn from(counts: &DetectionCounts) -> Self {
        let DetectionCounts { candidates, considered, kept, written } = *counts;
        Self { candidates, considered, kept, written }
    }
}
