//! Post-processing of YOLO detectors: from what the network puts out to boxes in the image.
//!
//! A [`Plan`] is a layout and settings that fit each other; [`plain::PlainPostprocessor`] turns tensors into
//! [`Detections`] on the CPU, and is the reference that `kernels/detections.cu` equals bit for bit. Formulas and the
//! order of operations: `kernels/DETECTIONS.md`.

pub mod anywhere;
mod decode;
pub mod error;
mod letterbox;
mod nms;
pub mod objects;
pub mod plain;
mod plan;
pub mod prepare;
mod settings;
pub mod sigmoid;
mod tensor;

pub use error::{BadInput, Refused};
pub use letterbox::Letterbox;
pub use plan::{MAX_CANDIDATES, MAX_ELEMENTS, Plan};
pub use settings::{Head, Heads, Layout, MAX_ANCHORS, MAX_HEADS, Settings};
pub use tensor::{Element, Tensor};

/// One box that was kept.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Detection {
    /// Left, top, right, bottom edge in pixels of the image, clipped to it.
    pub x1: f32,
    pub y1: f32,
    pub x2: f32,
    pub y2: f32,
    /// Above the confidence threshold, at most 1.
    pub score: f32,
    /// Index of the class.
    pub class: u32,
    /// Index of the anchor (prediction) within its image of the tensor.
    pub anchor: u32,
}

/// How many boxes of an image there were, stage by stage; what a capacity left out is the difference of two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Anchors with a score above the confidence threshold.
    pub candidates: u32,
    /// Those among which boxes were suppressed: the first [`Settings::max_candidates`] by score.
    pub considered: u32,
    /// Those of them that no other suppressed.
    pub kept: u32,
    /// Those of them that were put out: the first [`Settings::max_detections`].
    pub written: u32,
}

impl Counts {
    /// Candidates left out for want of capacity. The boxes put out are the first of those that all would give.
    pub fn not_considered(&self) -> u32 {
        self.candidates.saturating_sub(self.considered)
    }

    /// Kept boxes left out for want of capacity.
    pub fn not_written(&self) -> u32 {
        self.kept.saturating_sub(self.written)
    }
}

/// The boxes of a batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Detections {
    /// By image.
    pub counts: Vec<Counts>,
    /// Image after image, each by score descending, then by anchor.
    pub boxes: Vec<Detection>,
}

impl Detections {
    /// The boxes of each image.
    pub fn images(&self) -> impl Iterator<Item = &[Detection]> {
        let mut rest = self.boxes.as_slice();
        self.counts.iter().map(move |counts| {
            let (own, others) = rest.split_at_checked(counts.written as usize).unwrap_or((rest, &[]));
            rest = others;
            own
        })
    }
}
