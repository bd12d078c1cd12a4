//! What is printed, and what is said of capacities.

use serde::Serialize;
use vio_frontend::detections::{Counts, Detection, Detections};
use vio_frontend::telemetry::Percentiles;

/// The JSON document. Corners are pixels of the image, pixel edges at integers.
#[derive(Debug, Serialize)]
pub struct Document {
    pub layout: &'static str,
    pub shape: Vec<usize>,
    pub element: String,
    /// Width and height; `null` where nothing says it.
    pub input: Option<[u32; 2]>,
    pub device: &'static str,
    /// Why it was not the GPU, where `auto` tried it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    pub images: Vec<ImageDocument>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_us: Option<Percentiles>,
}

#[derive(Debug, Serialize)]
pub struct ImageDocument {
    /// Anchors above the confidence; how many of them were considered, kept, printed.
    pub candidates: u32,
    pub considered: u32,
    pub kept: u32,
    pub written: u32,
    pub boxes: Vec<BoxDocument>,
}

#[derive(Debug, Serialize)]
pub struct BoxDocument {
    pub x1: f32,
    pub y1: f32,
    pub x2: f32,
    pub y2: f32,
    pub score: f32,
    pub class: u32,
    pub anchor: u32,
}

/// Counts and boxes of each image.
pub fn images(detections: &Detections) -> Vec<ImageDocument> {
    let images = detections.counts.iter().zip(detections.images());
    let document = |(counts, boxes): (&Counts, &[Detection])| {
        let boxes = boxes.iter().map(|&detection| {
            let Detection { x1, y1, x2, y2, score, class, anchor } = detection;
            BoxDocument { x1, y1, x2, y2, score, class, anchor }
        });
        ImageDocument {
            candidates: counts.candidates,
            considered: counts.considered,
            kept: counts.kept,
            written: counts.written,
            boxes: boxes.collect(),
        }
    };
    images.map(document).collect()
}

/// Says what a capacity left out.
pub fn warn_of_overflow(detections: &Detections) {
    for (image, counts) in detections.counts.iter().enumerate() {
        if counts.not_considered() > 0 {
            let (left, of) = (counts.not_considered(), counts.candidates);
            tracing::warn!(
                "image {image}: {left} of {of} candidates were not considered: raise --max-candidates or --conf"
            );
        }
        if counts.not_written() > 0 {
            let (left, of) = (counts.not_written(), counts.kept);
            tracing::warn!("image {image}: {left} of {of} boxes are not printed: raise --max-detections");
        }
    }
}
