//! What is to come out, by the shortest way: sequential greedy suppression.

use vio_frontend::detections::sigmoid::sigmoid;
use vio_frontend::detections::{Counts, Detection, Layout};

use crate::cases::Case;

/// Centre, size, score, class, anchor.
type Candidate = ([f32; 4], f32, u32, u32);

/// Intersection over union, as torchvision computes it.
fn overlap(a: &[f32; 4], b: &[f32; 4]) -> f32 {
    let side = |p: &[f32; 4], axis: usize| (p[axis] - p[axis + 2] * 0.5, p[axis] + p[axis + 2] * 0.5);
    let both = |axis| (side(a, axis).1.min(side(b, axis).1) - side(a, axis).0.max(side(b, axis).0)).max(0.0);
    let area = |p| (side(p, 0).1 - side(p, 0).0) * (side(p, 1).1 - side(p, 1).0);
    let intersection = both(0) * both(1);
    intersection / (area(a) + area(b) - intersection)
}

/// Greedy suppression of candidates in order: 20 lines.
fn suppress(candidates: &[Candidate], iou: f64, agnostic: bool) -> Vec<Candidate> {
    let mut suppressed = vec![false; candidates.len()];
    let mut kept = Vec::new();
    for (i, a) in candidates.iter().enumerate() {
        if suppressed[i] {
            continue;
        }
        kept.push(*a);
        for (j, b) in candidates.iter().enumerate().skip(i + 1) {
            let same = agnostic || a.2 == b.2;
            if same && f64::from(overlap(&a.0, &b.0)) > iou {
                suppressed[j] = true;
            }
        }
    }
    kept
}

/// Counts and boxes of each image.
pub fn expected(case: &Case) -> Vec<(Counts, Vec<Detection>)> {
    let settings = &case.settings;
    let [batch, middle, last] = case.shape;
    let (anchors, channels) = if settings.layout == Layout::Yolov8 { (last, middle) } else { (middle, last) };
    let mut images = Vec::new();
    for image in 0..batch {
        let value = |anchor: usize, channel: usize| {
            let within = if settings.layout == Layout::Yolov8 { [channel, anchor] } else { [anchor, channel] };
            case.values[(image * middle + within[0]) * last + within[1]]
        };
        let mut candidates: Vec<Candidate> = Vec::new();
        for anchor in 0..anchors {
            let (with_objectness, raw) = (settings.layout == Layout::Yolov5, settings.heads.is_some());
            let leading = if with_objectness { 5 } else { 4 };
            let best =
                |best: usize, class: usize| if value(anchor, class) > value(anchor, best) { class } else { best };
            let best = (leading..channels).fold(leading, best);
            let probability = |channel| if raw { sigmoid(value(anchor, channel)) } else { value(anchor, channel) };
            let score = if with_objectness { probability(4) * probability(best) } else { probability(best) };
            let place = place(case, anchor, std::array::from_fn(|channel| value(anchor, channel)));
            if f64::from(score) > settings.confidence {
                candidates.push((place, score, (best - leading) as u32, anchor as u32));
            }
        }
        candidates.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.3.cmp(&b.3)));
        let considered = &candidates[..candidates.len().min(settings.max_candidates as usize)];
        let kept = suppress(considered, settings.iou, settings.agnostic);
        let written = kept.len().min(settings.max_detections as usize);
        let numbers = [candidates.len(), considered.len(), kept.len(), written].map(|count| count as u32);
        let [candidates, considered, kept_count, written_count] = numbers;
        let counts = Counts { candidates, considered, kept: kept_count, written: written_count };
        images.push((counts, kept[..written].iter().map(|kept| restored(case, image, kept)).collect()));
    }
    images
}

/// Centre and size, px.
fn place(case: &Case, anchor: usize, values: [f32; 4]) -> [f32; 4] {
    let Some(heads) = &case.settings.heads else { return values };
    let mut at = 0;
    for head in &heads.heads {
        for size in &head.sizes {
            for row in 0..heads.input[1] / head.stride {
                for column in 0..heads.input[0] / head.stride {
                    if at == anchor {
                        let s = values.map(sigmoid);
                        let centre = |s: f32, cell: u32| (2.0 * s - 0.5 + cell as f32) * head.stride as f32;
                        let side = |s: f32, size: f32| (2.0 * s) * (2.0 * s) * size;
                        let [width, height] = *size;
                        return [centre(s[0], column), centre(s[1], row), side(s[2], width), side(s[3], height)];
                    }
                    at += 1;
                }
            }
        }
    }
    panic!("anchor {anchor} of {at}");
}

fn restored(case: &Case, image: usize, &([x, y, w, h], score, class, anchor): &Candidate) -> Detection {
    let letterbox = &case.letterboxes[image];
    let [x1, y1, x2, y2] = [(x - w * 0.5, 0), (y - h * 0.5, 1), (x + w * 0.5, 0), (y + h * 0.5, 1)]
        .map(|(at, axis)| ((at - letterbox.pad[axis]) / letterbox.scale).clamp(0.0, letterbox.size[axis]));
    Detection { x1, y1, x2, y2, score, class, anchor }
}
