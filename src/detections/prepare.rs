//! What parameters ask of a tensor.

use super::objects::COCO;
use super::{Element, Heads, Layout, Letterbox, Plan, Refused, Settings};
use crate::params::{DetectorLayout, Params};

/// The square input that makes this number of anchors at strides 8, 16 and 32: 21 / 1024 a pixel and anchor size.
pub fn square_input(layout: Layout, anchors: usize) -> Option<[u32; 2]> {
    let sizes = if layout == Layout::Yolov5 { 3 } else { 1 };
    let side = (1..=1024u32).map(|i| 32 * i).find(|&side| sizes * 21 * (side as usize / 32).pow(2) == anchors)?;
    Some([side; 2])
}

impl From<DetectorLayout> for Layout {
    fn from(layout: DetectorLayout) -> Self {
        match layout {
            DetectorLayout::Yolov5 => Self::Yolov5,
            DetectorLayout::Yolov8 => Self::Yolov8,
            DetectorLayout::Yolov8Rows => Self::Yolov8Rows,
        }
    }
}

/// The parameters `detector.*` for a float32 tensor of `shape`, and how an image of `image` (width, height) was fitted into
/// the network's input.
///
/// Errors: a shape that does not fit them; an input size that is not given and does not follow from the shape.
pub fn prepare(params: &Params, shape: &[usize], image: [u32; 2]) -> Result<(Plan, Letterbox), Refused> {
    let layout = Layout::from(params.detector_layout);
    let classes = if params.detector_class_names.is_empty() { COCO.len() } else { params.detector_class_names.len() };
    let settings = Settings {
        classes: Some(classes as u32),
        confidence: params.detector_conf,
        iou: params.detector_iou,
        agnostic: params.detector_agnostic,
        max_candidates: params.detector_max_candidates,
        max_detections: params.detector_max_detections,
        ..Settings::new(layout)
    };
    let plan = Plan::new(shape, Element::F32, &settings)?;
    let input = match *params.detector_input_size.as_slice() {
        [width, height] => [width, height].map(|side| side.clamp(1, 32768) as u32),
        _ => square_input(layout, plan.anchors()).ok_or(Refused::Input { anchors: plan.anchors() })?,
    };
    let plan = match params.detector_raw {
        true => Plan::new(shape, Element::F32, &Settings { heads: Some(Heads::yolov5(input)), ..settings })?,
        false => plan,
    };
    Ok((plan, Letterbox::fit(image, input)))
}
