//! What a detector puts out, and what is wanted of it.

use super::error::Refused;

/// Most heads of a network.
pub const MAX_HEADS: usize = 4;
/// Most anchors of a head.
pub const MAX_ANCHORS: usize = 4;

/// How values are ordered. B images, N anchors (predictions), C classes; an anchor is x, y, w, h of a box about its
/// centre, the objectness where there is one, and a score a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// `[B, N, 5 + C]`, with objectness.
    Yolov5,
    /// `[B, 4 + C, N]`.
    Yolov8,
    /// `[B, N, 4 + C]`: the same, transposed.
    Yolov8Rows,
}

impl Layout {
    pub const ALL: [Self; 3] = [Self::Yolov5, Self::Yolov8, Self::Yolov8Rows];

    /// Its name on command lines and in parameters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Yolov5 => "yolov5",
            Self::Yolov8 => "yolov8",
            Self::Yolov8Rows => "yolov8_rows",
        }
    }

    /// Its shape in words.
    pub fn shape(self) -> &'static str {
        match self {
            Self::Yolov5 => "[B, N, 5 + C]",
            Self::Yolov8 => "[B, 4 + C, N]",
            Self::Yolov8Rows => "[B, N, 4 + C]",
        }
    }

    /// Values of an anchor before those of its classes.
    pub(crate) fn leading(self) -> usize {
        if self == Self::Yolov5 { 5 } else { 4 }
    }

    /// Whether the values of an anchor lie side by side.
    pub(crate) fn in_rows(self) -> bool {
        self != Self::Yolov8
    }
}

impl std::fmt::Display for Layout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A raw output of YOLOv5: a grid of cells with the same anchor sizes at each.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// Pixels of the network's input from one cell to the next.
    pub stride: u32,
    /// Width and height of each anchor, pixels of the network's input. At most [`MAX_ANCHORS`].
    pub sizes: Vec<[f32; 2]>,
}

/// The raw outputs of YOLOv5, one after the other along N: by head, anchor size, row, column.
#[derive(Clone, Debug, PartialEq)]
pub struct Heads {
    /// Width and height of the network's input, px.
    pub input: [u32; 2],
    /// At most [`MAX_HEADS`].
    pub heads: Vec<Head>,
}

impl Heads {
    /// The published anchors of YOLOv5 (strides 8, 16, 32) for an input of this size.
    pub fn yolov5(input: [u32; 2]) -> Self {
        let head = |stride, sizes: [[f32; 2]; 3]| Head { stride, sizes: sizes.to_vec() };
        Self {
            input,
            heads: vec![
                head(8, [[10.0, 13.0], [16.0, 30.0], [33.0, 23.0]]),
                head(16, [[30.0, 61.0], [62.0, 45.0], [59.0, 119.0]]),
                head(32, [[116.0, 90.0], [156.0, 198.0], [373.0, 326.0]]),
            ],
        }
    }

    /// Anchors of all heads.
    pub(super) fn anchors(&self) -> u64 {
        self.heads
            .iter()
            .map(|head| self.cells(head).map_or(0, |[columns, rows]| head.sizes.len() as u64 * columns * rows))
            .sum()
    }

    /// Columns and rows of a head; `None` for a stride of 0.
    fn cells(&self, head: &Head) -> Option<[u64; 2]> {
        let [width, height] = self.input;
        Some([width.checked_div(head.stride)?.into(), height.checked_div(head.stride)?.into()])
    }

    pub(super) fn check(&self) -> Result<(), Refused> {
        let refuse = |message: String| Err(Refused::Heads { message });
        let [width, height] = self.input;
        if self.heads.is_empty() || self.heads.len() > MAX_HEADS {
            return refuse(format!("there are {} of them: 1 to {MAX_HEADS} are known", self.heads.len()));
        }
        for head in &self.heads {
            let stride = head.stride;
            let divides = |side: u32| (1..=1 << 15).contains(&side) && side.checked_rem(stride) == Some(0);
            if !divides(width) || !divides(height) {
                return refuse(format!("stride {stride} does not divide an input of {width} x {height} px"));
            }
            if head.sizes.is_empty() || head.sizes.len() > MAX_ANCHORS {
                return refuse(format!(
                    "stride {stride} has {} anchors: 1 to {MAX_ANCHORS} are known",
                    head.sizes.len()
                ));
            }
            if let Some(side) = head.sizes.as_flattened().iter().find(|side| !(**side > 0.0 && **side <= 65536.0)) {
                return refuse(format!("an anchor of stride {stride} has a side of {side} px"));
            }
        }
        Ok(())
    }
}

/// What is wanted of a detector's output.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub layout: Layout,
    /// C, where it is known: then the shape must have just that. Else it follows from the shape.
    pub classes: Option<u32>,
    /// Heads whose values are raw; `None`: boxes are pixels of the network's input, scores are probabilities.
    pub heads: Option<Heads>,
    /// A box is a candidate if its score is greater. 0 to 1.
    pub confidence: f64,
    /// A box is suppressed if its overlap (intersection over union) with a kept one is greater. 0 to 1.
    pub iou: f64,
    /// Whether boxes of different classes suppress each other.
    pub agnostic: bool,
    /// Most candidates of an image among which boxes are suppressed: the best.
    pub max_candidates: u32,
    /// Most boxes of an image that are put out: the best.
    pub max_detections: u32,
}

impl Settings {
    /// The thresholds of YOLOv5, 2048 candidates, 300 boxes, by class.
    pub fn new(layout: Layout) -> Self {
        Self {
            layout,
            classes: None,
            heads: None,
            confidence: 0.25,
            iou: 0.45,
            agnostic: false,
            max_candidates: 2048,
            max_detections: 300,
        }
    }
}
