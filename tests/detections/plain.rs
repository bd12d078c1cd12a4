//! The plain path gives what sequential suppression gives.

use vio_frontend::detections::plain::PlainPostprocessor;
use vio_frontend::detections::{Counts, Detection, Detections, Element, Layout, Letterbox, Settings};

use crate::cases::{Case, LIMITS};
use crate::oracle::expected;

const CASES: u64 = 10_000;

/// In bits, but that of a zero's sign, which no comparison shows.
fn bits(detection: &Detection) -> [u32; 7] {
    let Detection { x1, y1, x2, y2, score, class, anchor } = *detection;
    let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(|value| (value + 0.0).to_bits());
    [x1, y1, x2, y2, score.to_bits(), class, anchor]
}

#[test]
fn ten_thousand_tensors_give_what_sequential_suppression_gives() {
    let (mut overflows, mut empty, mut suppressed, mut boxes) = ([0; 2], 0, 0, 0);
    for seed in 0..CASES {
        let case = Case::random(seed, LIMITS);
        let mut plain = PlainPostprocessor::new(case.plan());
        let found = plain.run(&case.tensor(), &case.letterboxes).unwrap();
        let expected = expected(&case);
        assert_eq!(found.counts.len(), expected.len());
        for (image, (own, (counts, boxes))) in found.images().zip(&expected).enumerate() {
            assert_eq!(found.counts[image], *counts, "seed {seed}, image {image}: {:?}", case.settings);
            let (own, boxes): (Vec<_>, Vec<_>) = (own.iter().map(bits).collect(), boxes.iter().map(bits).collect());
            assert_eq!(own, boxes, "seed {seed}, image {image}: {:?}", case.settings);
        }
        for counts in &found.counts {
            overflows[0] += u32::from(counts.not_considered() > 0);
            overflows[1] += u32::from(counts.not_written() > 0);
            empty += u32::from(counts.candidates == 0);
            suppressed += counts.considered - counts.kept;
            boxes += counts.written;
        }
    }
    // The cases are not all of one kind.
    let counted = [overflows[0], overflows[1], empty, suppressed / 100, boxes / 100];
    assert!(counted.iter().all(|&count| count > 1000), "{counted:?}");
}

/// One image of layout `Yolov8Rows`: boxes by centre and size, scores by class.
fn rows(boxes: &[([f32; 4], &[f32])], settings: Settings) -> (Vec<Counts>, Vec<Detection>) {
    let values: Vec<f32> = boxes.iter().flat_map(|(corners, scores)| corners.iter().chain(*scores)).copied().collect();
    let shape = [1, boxes.len(), values.len() / boxes.len()];
    let case = Case::new(settings, shape, Element::F32, values, vec![Letterbox::identity(1000, 1000)]);
    let Detections { counts, boxes } =
        PlainPostprocessor::new(case.plan()).run(&case.tensor(), &case.letterboxes).unwrap().clone();
    (counts, boxes)
}

fn settings(iou: f64) -> Settings {
    Settings { iou, ..Settings::new(Layout::Yolov8Rows) }
}

#[test]
fn a_box_that_was_suppressed_suppresses_none() {
    let at = |x: f32| [x, 100.0, 60.0, 60.0];
    let boxes: [([f32; 4], &[f32]); 3] = [(at(100.0), &[0.9]), (at(130.0), &[0.8]), (at(160.0), &[0.7])];
    let (counts, kept) = rows(&boxes, settings(0.3));
    assert_eq!(kept.iter().map(|kept| kept.anchor).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(counts, [Counts { candidates: 3, considered: 3, kept: 2, written: 2 }]);
}

#[test]
fn an_overlap_of_just_the_threshold_suppresses_none() {
    // 32 of 96 columns are common: 1 / 3 rounded to f32 is above 1 / 3 in f64, and 0.5 is 0.5.
    let boxes = |step: f32| -> [([f32; 4], &'static [f32]); 2] {
        [([100.0, 100.0, 64.0, 64.0], &[0.9]), ([100.0 + step, 100.0, 64.0, 64.0], &[0.8])]
    };
    let kept = |step: f32, iou: f64| rows(&boxes(step), settings(iou)).1.len();
    let third = f64::from(1.0f32 / 3.0f32);
    assert_eq!([kept(32.0, third), kept(32.0, third.next_down()), kept(32.0, 1.0 / 3.0)], [2, 1, 1]);
    assert_eq!([kept(0.0, 1.0), kept(0.0, 1f64.next_down())], [2, 1], "the same box overlaps itself by 1");
}

#[test]
fn ties_go_to_the_lower_class_and_the_lower_anchor() {
    let place = [100.0, 100.0, 50.0, 50.0];
    let boxes: [([f32; 4], &[f32]); 3] =
        [(place, &[0.3, 0.6, 0.6]), (place, &[0.6, 0.6, 0.6]), (place, &[0.0, 0.6, 0.0])];
    let named = |kept: Vec<Detection>| kept.iter().map(|kept| (kept.anchor, kept.class)).collect::<Vec<_>>();
    assert_eq!(named(rows(&boxes, settings(0.5)).1), [(0, 1), (1, 0)]);
    assert_eq!(named(rows(&boxes, Settings { agnostic: true, ..settings(0.5) }).1), [(0, 1)]);
}

#[test]
fn boxes_are_clipped_after_suppression_and_restored_to_the_image() {
    // 1280 x 720 in 640 x 640: half the size, 140 px above and below.
    let letterbox = Letterbox::fit([1280, 720], [640, 640]);
    assert_eq!(letterbox, Letterbox { scale: 0.5, pad: [0.0, 140.0], size: [1280.0, 720.0] });
    // Beyond the left edge the clipped boxes would be the same; before it they overlap little.
    let values = vec![-20.0, 320.0, 100.0, 100.0, 0.9, 0.0, 320.0, 60.0, 100.0, 0.8];
    let case = Case::new(settings(0.7), [1, 2, 5], Element::F32, values, vec![letterbox]);
    let mut plain = PlainPostprocessor::new(case.plan());
    let found = plain.run(&case.tensor(), &case.letterboxes).unwrap();
    let corners = |anchor| Detection {
        x1: 0.0,
        y1: 260.0,
        x2: 60.0,
        y2: 460.0,
        score: [0.9, 0.8][anchor as usize],
        class: 0,
        anchor,
    };
    assert_eq!(found.boxes, [corners(0), corners(1)]);
}

#[test]
fn memory_is_kept_from_one_tensor_to_the_next() {
    let case = Case::random(4, LIMITS);
    let mut plain = PlainPostprocessor::new(case.plan());
    let first = plain.run(&case.tensor(), &case.letterboxes).unwrap().clone();
    for _ in 0..3 {
        assert_eq!(*plain.run(&case.tensor(), &case.letterboxes).unwrap(), first);
    }
}
