//! What one launch of `detections` needs for a [`Plan`]: buffers and arguments.

use bytemuck::Zeroable;

use super::abi::{DetectionCounts, DetectionRecord, DetectionsArgs, DetectionsHeader, HeadRecord, LetterboxRecord};
use crate::detections::{Element, Heads, Layout, MAX_HEADS, Plan};
use crate::gpu::plan::{Buffer, buffer};

/// Boxes of a word of overlaps.
const WORD_BOXES: usize = 32;

/// What has to be zero before the first launch; each leaves it so.
pub const ZERO_AT_FIRST: [&str; 3] = ["barrier", "bad", "candidate_counts"];

/// Blocks that the first stage, which reads the tensor, keeps busy: `ROW_TILE` or `PLANE_TILE` anchors each
/// (`kernels/detections/decode.cuh`). More would only meet at the barriers.
pub fn blocks(plan: &Plan) -> u32 {
    let tile = if plan.layout() == Layout::Yolov8 { 32 } else { 64 };
    (plan.batch() * plan.anchors().div_ceil(tile)) as u32
}

/// Every buffer. Of the host: letterboxes, records, counts and header; the tensor where it is not on the device already.
pub fn buffers(plan: &Plan) -> Vec<Buffer> {
    let (word, key) = (size_of::<u32>(), size_of::<u64>());
    let (batch, anchors) = (plan.batch(), plan.anchors());
    let boxes = batch * plan.max_candidates();
    vec![
        buffer!(DetectionsArgs.tensor, plan.tensor_bytes(), true),
        buffer!(DetectionsArgs.letterboxes, batch * size_of::<LetterboxRecord>(), true),
        buffer!(DetectionsArgs.records, batch * plan.max_detections() * size_of::<DetectionRecord>(), true),
        buffer!(DetectionsArgs.counts, batch * size_of::<DetectionCounts>(), true),
        buffer!(DetectionsArgs.header, size_of::<DetectionsHeader>(), true),
        buffer!(DetectionsArgs.barrier, 2 * word, false),
        buffer!(DetectionsArgs.bad, word, false),
        buffer!(DetectionsArgs.candidate_counts, batch * word, false),
        buffer!(DetectionsArgs.keys, batch * anchors * key, false),
        buffer!(DetectionsArgs.key_classes, batch * anchors * word, false),
        buffer!(DetectionsArgs.boxes, boxes * 4 * size_of::<f32>(), false),
        buffer!(DetectionsArgs.box_keys, boxes * key, false),
        buffer!(DetectionsArgs.box_classes, boxes * word, false),
        buffer!(DetectionsArgs.overlaps, boxes * plan.max_candidates().div_ceil(WORD_BOXES) * word, false),
    ]
}

/// The arguments of launch number `frame`, all pointers still 0.
pub fn arguments(plan: &Plan, frame: u64) -> DetectionsArgs {
    DetectionsArgs {
        frame,
        batch: plan.batch() as u32,
        anchors: plan.anchors() as u32,
        channels: plan.channels() as u32,
        layout: match plan.layout() {
            Layout::Yolov5 => 0,
            Layout::Yolov8 => 1,
            Layout::Yolov8Rows => 2,
        },
        half_floats: (plan.element() == Element::F16).into(),
        head_count: plan.heads().map_or(0, |heads| heads.heads.len() as u32),
        agnostic: plan.agnostic().into(),
        max_candidates: plan.max_candidates() as u32,
        max_detections: plan.max_detections() as u32,
        confidence: plan.confidence(),
        iou: plan.iou(),
        heads: plan.heads().map_or([HeadRecord::zeroed(); MAX_HEADS], head_records),
        ..DetectionsArgs::zeroed()
    }
}

fn head_records(heads: &Heads) -> [HeadRecord; MAX_HEADS] {
    let mut records = [HeadRecord::zeroed(); MAX_HEADS];
    let mut first = 0;
    for (record, head) in records.iter_mut().zip(&heads.heads) {
        let [columns, rows] = heads.input.map(|side| side.checked_div(head.stride).unwrap_or(0));
        *record = HeadRecord { first, columns, cells: columns * rows, stride: head.stride as f32, ..*record };
        for (i, [width, height]) in head.sizes.iter().enumerate() {
            if let (Some(to_width), Some(to_height)) = (record.widths.get_mut(i), record.heights.get_mut(i)) {
                (*to_width, *to_height) = (*width, *height);
            }
        }
        first += head.sizes.len() as u32 * record.cells;
    }
    records
}
