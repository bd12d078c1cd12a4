//! Which anchors are candidates, and their boxes.

use super::plan::{MAX_VALUE, Plan};
use super::settings::{Heads, Layout};
use super::sigmoid::sigmoid;
use super::tensor::Value;

/// An anchor whose score is above the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    /// The order: complement of the score's bits, then the anchor. Scores are above 0, so that their bits are ordered.
    key: u64,
    pub class: u32,
}

impl Candidate {
    fn new(score: f32, anchor: usize, class: usize) -> Self {
        Self { key: u64::from(!score.to_bits()) << 32 | anchor as u64, class: class as u32 }
    }

    pub fn score(&self) -> f32 {
        f32::from_bits(!((self.key >> 32) as u32))
    }

    pub fn anchor(&self) -> u32 {
        self.key as u32
    }
}

/// Anchors that are looked at together in layout `Yolov8`: their best scores stay in the first-level cache.
const BLOCK: usize = 256;
/// Anchors that are widened together in the other layouts.
const ROWS: usize = 32;
/// Values that are compared at once.
const LANES: usize = 8;

fn is_coordinate(value: f32) -> bool {
    (-MAX_VALUE..=MAX_VALUE).contains(&value)
}

fn is_probability(value: f32) -> bool {
    (0.0..=1.0).contains(&value)
}

fn all(values: &[f32], admitted: impl Fn(f32) -> bool) -> bool {
    // Without a branch a value, so that it can be vectorised.
    values.iter().fold(true, |all, &value| all & admitted(value))
}

/// Appends the candidates of an image. `room` is for values that are widened, whatever its length.
///
/// Errors: the index within `values` of the first that is refused.
pub(super) fn collect<T: Value>(
    plan: &Plan,
    values: &[T],
    room: &mut Vec<f32>,
    candidates: &mut Vec<Candidate>,
) -> Result<(), usize> {
    if plan.layout() == Layout::Yolov8 {
        room.resize(BLOCK, 0.0);
        return planes(plan, values, room, candidates);
    }
    let channels = plan.channels();
    room.resize(ROWS * channels, 0.0);
    for (block, values) in values.chunks(ROWS * channels).enumerate() {
        let first = block * ROWS;
        rows(plan, T::widened(values, room), first, candidates).map_err(|at| first * channels + at)?;
    }
    Ok(())
}

/// Anchors from `first` on.
fn rows(plan: &Plan, values: &[f32], first: usize, candidates: &mut Vec<Candidate>) -> Result<(), usize> {
    let (raw, confidence, leading) = (plan.heads().is_some(), plan.confidence(), plan.layout().leading());
    for (i, row) in values.chunks_exact(plan.channels()).enumerate() {
        let (head, classes) = row.split_at(leading);
        let (corners, objectness) = head.split_at(4);
        let sound = all(corners, is_coordinate)
            & if raw {
                all(objectness, is_coordinate) & all(classes, is_coordinate)
            } else {
                all(objectness, is_probability) & all(classes, is_probability)
            };
        if !sound {
            return Err(i * plan.channels() + first_refused(row, raw));
        }
        let probability = |value: f32| if raw { sigmoid(value) } else { value };
        // No score exceeds the objectness.
        let objectness = objectness.first().map(|&value| probability(value));
        if objectness.is_some_and(|objectness| objectness <= confidence) {
            continue;
        }
        let greatest = greatest(classes);
        let of_class = probability(greatest);
        let score = objectness.map_or(of_class, |objectness| objectness * of_class);
        if score > confidence {
            let class = classes.iter().position(|&value| value == greatest).unwrap_or(0);
            candidates.push(Candidate::new(score, first + i, class));
        }
    }
    Ok(())
}

/// Index of the first value of an anchor that is refused; the anchor's length if none is.
fn first_refused(row: &[f32], raw: bool) -> usize {
    let refused = |(channel, &value): (usize, &f32)| {
        !(if raw || channel < 4 { is_coordinate(value) } else { is_probability(value) })
    };
    row.iter().enumerate().position(|(channel, value)| refused((channel, value))).unwrap_or(row.len())
}

fn greatest(values: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let raise = |lane: &mut f32, value: f32| *lane = if *lane < value { value } else { *lane };
    let mut chunks = values.chunks_exact(LANES);
    for chunk in &mut chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, &value)| raise(lane, value));
    }
    lanes.iter_mut().zip(chunks.remainder()).for_each(|(lane, &value)| raise(lane, value));
    let mut greatest = f32::NEG_INFINITY;
    lanes.iter().for_each(|&lane| raise(&mut greatest, lane));
    greatest
}

fn planes<T: Value>(plan: &Plan, values: &[T], room: &mut [f32], candidates: &mut Vec<Candidate>) -> Result<(), usize> {
    let anchors = plan.anchors();
    let (corners, classes) = values.split_at(4 * anchors);
    if !corners.chunks(BLOCK).fold(true, |sound, block| sound & all(T::widened(block, room), is_coordinate)) {
        return Err(corners.iter().position(|value| !is_coordinate(value.wide())).unwrap_or(0));
    }
    let mut sound = true;
    for first in (0..anchors).step_by(BLOCK) {
        let (mut best, mut class_of) = ([f32::NEG_INFINITY; BLOCK], [0u32; BLOCK]);
        for (class, plane) in classes.chunks_exact(anchors).enumerate() {
            let plane = T::widened(plane.get(first..anchors.min(first + BLOCK)).unwrap_or_default(), room);
            sound &= all(plane, is_probability);
            for ((best, class_of), &value) in best.iter_mut().zip(&mut class_of).zip(plane) {
                *class_of = if *best < value { class as u32 } else { *class_of };
                *best = if *best < value { value } else { *best };
            }
        }
        for (i, (&score, &class)) in best.iter().zip(&class_of).enumerate().take(anchors - first) {
            if score > plan.confidence() {
                candidates.push(Candidate::new(score, first + i, class as usize));
            }
        }
    }
    if sound {
        return Ok(());
    }
    Err(4 * anchors + classes.iter().position(|value| !is_probability(value.wide())).unwrap_or(0))
}

/// Centre, width and height of an anchor's box in the network's input, px.
pub(super) fn box_of<T: Value>(plan: &Plan, values: &[T], anchor: usize) -> [f32; 4] {
    let (first, step) = if plan.layout().in_rows() { (anchor * plan.channels(), 1) } else { (anchor, plan.anchors()) };
    let value = |channel: usize| values.get(first + channel * step).map_or(0.0, |value| value.wide());
    let raw = [value(0), value(1), value(2), value(3)];
    plan.heads().map_or(raw, |heads| from_raw(heads, raw, anchor).unwrap_or(raw))
}

/// The box that raw values say at an anchor of the heads; `None` beyond their last.
fn from_raw(heads: &Heads, raw: [f32; 4], anchor: usize) -> Option<[f32; 4]> {
    let mut within = anchor;
    for head in &heads.heads {
        let stride = head.stride as usize;
        let columns = heads.input[0] as usize / stride;
        let cells = columns * (heads.input[1] as usize / stride);
        let anchors = head.sizes.len() * cells;
        if within >= anchors {
            within -= anchors;
            continue;
        }
        let [width, height] = *head.sizes.get(within / cells)?;
        let (column, row) = (within % cells % columns, within % cells / columns);
        let [x, y, w, h] = raw.map(|value| 2.0 * sigmoid(value));
        let stride = stride as f32;
        return Some([
            ((x - 0.5) + column as f32) * stride,
            ((y - 0.5) + row as f32) * stride,
            (w * w) * width,
            (h * h) * height,
        ]);
    }
    None
}
