//! A layout, a shape and settings that fit each other.

use super::error::{BadInput, Refused};
use super::letterbox::Letterbox;
use super::settings::{Heads, Layout, Settings};
use super::tensor::{Element, Tensor, check_length};

/// Most candidates of an image among which boxes can be suppressed: their matrix of overlaps then has 8 MiB.
pub const MAX_CANDIDATES: u32 = 8192;
/// Most values of a tensor: their indices are 32-bit on the device.
pub const MAX_ELEMENTS: usize = (1 << 31) - 1;
/// Greatest magnitude of a coordinate, and of a raw value: so nothing overflows.
pub(crate) const MAX_VALUE: f32 = 1_048_576.0;
/// More values an anchor than this, and than anchors, without C being known: it is taken for another layout.
const PLAUSIBLE_CHANNELS: usize = 300;

/// What is done with tensors of one shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    shape: [usize; 3],
    element: Element,
    layout: Layout,
    heads: Option<Heads>,
    confidence: f32,
    iou: f32,
    agnostic: bool,
    max_candidates: u32,
    max_detections: u32,
}

/// The largest f32 that is not above `value`, so that v > value is v > floor_f32(value) for every f32 v.
fn floor_f32(value: f64) -> f32 {
    let nearest = value as f32;
    if f64::from(nearest) > value { nearest.next_down() } else { nearest }
}

impl Plan {
    /// For tensors of `shape` with values of `element`.
    ///
    /// Errors: whatever does not fit; the message says what and why.
    pub fn new(shape: &[usize], element: Element, settings: &Settings) -> Result<Self, Refused> {
        let layout = settings.layout;
        let shape = dimensions(shape, settings)?;
        let threshold = |name, value: f64| {
            let within = (0.0..=1.0).contains(&value);
            if within { Ok(floor_f32(value)) } else { Err(Refused::Threshold { name, value }) }
        };
        let capacity = |name, value, most| {
            let within = (1..=most).contains(&value);
            if within { Ok(value) } else { Err(Refused::Capacity { name, value, most }) }
        };
        let plan = Self {
            shape,
            element,
            layout,
            heads: settings.heads.clone(),
            confidence: threshold("confidence", settings.confidence)?,
            iou: threshold("iou", settings.iou)?,
            agnostic: settings.agnostic,
            max_candidates: capacity("max_candidates", settings.max_candidates, MAX_CANDIDATES)?,
            max_detections: capacity("max_detections", settings.max_detections, MAX_CANDIDATES)?,
        };
        if let Some(heads) = &settings.heads {
            if layout != Layout::Yolov5 {
                return Err(Refused::HeadsOfLayout { layout });
            }
            heads.check()?;
            if heads.anchors() != plan.anchors() as u64 {
                let (anchors, expected) = (plan.anchors(), heads.anchors());
                return Err(Refused::HeadAnchors { shape: shape.to_vec(), anchors, expected });
            }
        }
        Ok(plan)
    }

    /// B.
    pub fn batch(&self) -> usize {
        self.shape[0]
    }

    /// N.
    pub fn anchors(&self) -> usize {
        self.shape[if self.layout.in_rows() { 1 } else { 2 }]
    }

    /// Values of an anchor.
    pub fn channels(&self) -> usize {
        self.shape[if self.layout.in_rows() { 2 } else { 1 }]
    }

    /// C.
    pub fn classes(&self) -> usize {
        self.channels() - self.layout.leading()
    }

    pub fn layout(&self) -> Layout {
        self.layout
    }

    pub fn element(&self) -> Element {
        self.element
    }

    pub fn heads(&self) -> Option<&Heads> {
        self.heads.as_ref()
    }

    /// The largest f32 not above the threshold.
    pub fn confidence(&self) -> f32 {
        self.confidence
    }

    /// The largest f32 not above the threshold.
    pub fn iou(&self) -> f32 {
        self.iou
    }

    pub fn agnostic(&self) -> bool {
        self.agnostic
    }

    /// At most N: more there cannot be.
    pub fn max_candidates(&self) -> usize {
        (self.max_candidates as usize).min(self.anchors())
    }

    /// At most [`Plan::max_candidates`].
    pub fn max_detections(&self) -> usize {
        (self.max_detections as usize).min(self.max_candidates())
    }

    /// Values of an image.
    pub(crate) fn image_values(&self) -> usize {
        self.shape[1] * self.shape[2]
    }

    /// Size of a tensor, bytes.
    pub fn tensor_bytes(&self) -> usize {
        self.batch() * self.image_values() * self.element.bytes()
    }

    /// Whether a tensor and letterboxes are those of this plan.
    pub fn check(&self, tensor: &Tensor<'_>, letterboxes: &[Letterbox]) -> Result<(), Refused> {
        self.check_bytes(tensor.bytes().len(), tensor.element())?;
        self.check_letterboxes(letterboxes)
    }

    pub(crate) fn check_letterboxes(&self, letterboxes: &[Letterbox]) -> Result<(), Refused> {
        if letterboxes.len() != self.batch() {
            return Err(Refused::Letterboxes { found: letterboxes.len(), batch: self.batch() });
        }
        letterboxes.iter().enumerate().try_for_each(|(image, letterbox)| letterbox.check(image))
    }

    /// Whether so many bytes said to be of this type are a tensor of this plan.
    pub fn check_bytes(&self, bytes: usize, element: Element) -> Result<(), Refused> {
        check_length(bytes, &self.shape, element)?;
        if element == self.element {
            return Ok(());
        }
        Err(Refused::OtherElement { found: element, expected: self.element })
    }

    /// What the value at `index` of the whole tensor is, for a message.
    pub(crate) fn bad_input(&self, index: usize, value: f32) -> BadInput {
        let (image, within) = (index / self.image_values(), index % self.image_values());
        let (major, minor) = (within / self.shape[2], within % self.shape[2]);
        let (anchor, channel) = if self.layout.in_rows() { (major, minor) } else { (minor, major) };
        BadInput { image, anchor, channel, value, probability: self.heads.is_none() && channel >= 4 }
    }
}

/// The shape, if it is one of the layout.
fn dimensions(shape: &[usize], settings: &Settings) -> Result<[usize; 3], Refused> {
    let (layout, given) = (settings.layout, shape.to_vec());
    let Ok(shape) = <[usize; 3]>::try_from(shape) else { return Err(Refused::Rank { shape: given, layout }) };
    let [batch, middle, last] = shape;
    let (anchors, channels) = if layout.in_rows() { (middle, last) } else { (last, middle) };
    if batch == 0 {
        return Err(Refused::EmptyBatch { shape: given });
    }
    if anchors == 0 {
        return Err(Refused::NoAnchors { shape: given, layout });
    }
    let wanted = settings.classes;
    let fits = match wanted {
        Some(classes) => classes > 0 && channels == layout.leading() + classes as usize,
        None => channels > layout.leading(),
    };
    if !fits {
        return Err(Refused::Channels { shape: given, layout, channels, wanted });
    }
    if wanted.is_none() && channels > anchors && channels > PLAUSIBLE_CHANNELS {
        return Err(Refused::Transposed { shape: given, layout, channels, anchors });
    }
    let values = shape.iter().try_fold(1usize, |product, &side| product.checked_mul(side));
    if values.is_none_or(|values| values > MAX_ELEMENTS) {
        return Err(Refused::TooLarge { shape: given, most: MAX_ELEMENTS });
    }
    Ok(shape)
}
