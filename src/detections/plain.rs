//! The reference on the CPU.

use super::decode::{Candidate, box_of, collect};
use super::error::Refused;
use super::letterbox::Letterbox;
use super::nms::{Corners, Kept};
use super::plan::Plan;
use super::tensor::{Tensor, Value};
use super::{Counts, Detection, Detections};

/// Post-processing on the CPU. Its memory is kept from one tensor to the next.
#[derive(Debug)]
pub struct PlainPostprocessor {
    plan: Plan,
    /// 16-bit values that are looked at.
    widened: Vec<f32>,
    candidates: Vec<Candidate>,
    kept: Kept,
    detections: Detections,
}

impl PlainPostprocessor {
    pub fn new(plan: Plan) -> Self {
        Self {
            plan,
            widened: Vec::new(),
            candidates: Vec::new(),
            kept: Kept::default(),
            detections: Detections::default(),
        }
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The boxes of a batch; `letterboxes` has one an image.
    ///
    /// Errors: a tensor that is not one of the plan; the first value, in the order of memory, that is not finite or
    /// out of range.
    pub fn run(&mut self, tensor: &Tensor<'_>, letterboxes: &[Letterbox]) -> Result<&Detections, Refused> {
        self.plan.check(tensor, letterboxes)?;
        self.detections.counts.clear();
        self.detections.boxes.clear();
        let values = self.plan.image_values();
        for (image, letterbox) in letterboxes.iter().enumerate() {
            let range = image * values..(image + 1) * values;
            match *tensor {
                Tensor::F32(tensor) => self.image(image, tensor.get(range).unwrap_or_default(), letterbox)?,
                Tensor::F16(tensor) => self.image(image, tensor.get(range).unwrap_or_default(), letterbox)?,
            }
        }
        Ok(&self.detections)
    }

    fn image<T: Value>(&mut self, image: usize, values: &[T], letterbox: &Letterbox) -> Result<(), Refused> {
        let plan = &self.plan;
        self.candidates.clear();
        if let Err(at) = collect(plan, values, &mut self.widened, &mut self.candidates) {
            let value = values.get(at).map_or(0.0, |value| value.wide());
            return Err(plan.bad_input(image * plan.image_values() + at, value).into());
        }
        let mut counts = Counts { candidates: self.candidates.len() as u32, ..Counts::default() };
        if self.candidates.len() > plan.max_candidates() {
            self.candidates.select_nth_unstable(plan.max_candidates());
            self.candidates.truncate(plan.max_candidates());
        }
        self.candidates.sort_unstable();
        counts.considered = self.candidates.len() as u32;

        self.kept.clear(if plan.agnostic() { 1 } else { plan.classes() });
        for candidate in &self.candidates {
            let corners = Corners::new(box_of(plan, values, candidate.anchor() as usize));
            let group = if plan.agnostic() { 0 } else { candidate.class };
            if !self.kept.offer(corners, group, plan.iou()) || self.kept.len() > plan.max_detections() {
                continue;
            }
            self.detections.boxes.push(Detection {
                x1: letterbox.restore(corners.x1, 0),
                y1: letterbox.restore(corners.y1, 1),
                x2: letterbox.restore(corners.x2, 0),
                y2: letterbox.restore(corners.y2, 1),
                score: candidate.score(),
                class: candidate.class,
                anchor: candidate.anchor(),
            });
        }
        counts.kept = self.kept.len() as u32;
        counts.written = counts.kept.min(plan.max_detections() as u32);
        self.detections.counts.push(counts);
        Ok(())
    }
}
