//! Boxes as a mask.

use vio_frontend::detections::Detection;
use vio_frontend::detections::objects::{COCO, MOVING, UnknownClass, classes, exclude};
use vio_frontend::mask::Mask;

fn detection(class: u32, [x1, y1, x2, y2]: [f32; 4]) -> Detection {
    Detection { x1, y1, x2, y2, score: 0.5, class, anchor: 0 }
}

#[test]
fn classes_are_those_of_coco_and_a_misspelt_one_is_named() {
    assert_eq!(classes(&MOVING, &COCO), Ok(vec![0, 1, 2, 3, 5, 7]));
    assert_eq!(classes(&["toothbrush"], &COCO), Ok(vec![79]));
    let error = classes(&["person", "motorbike"], &COCO).unwrap_err();
    assert_eq!(error.to_string(), "class 'motorbike' is unknown; did you mean 'motorcycle'?");
    let error = classes(&["xyz"], &["robot"]).unwrap_err();
    assert_eq!(error, UnknownClass { name: "xyz".to_owned(), nearest: None });
}

#[test]
fn a_pixel_is_excluded_where_a_wider_box_touches_it() {
    let boxes = [
        detection(0, [10.25, 5.0, 20.0, 8.5]),
        detection(4, [0.0, 0.0, 40.0, 30.0]),
        detection(2, [38.0, -3.0, 60.0, 2.0]),
        // Outside, clipped to the border.
        detection(0, [0.0, 30.0, 40.0, 30.0]),
        detection(0, [f32::NAN, 0.0, 40.0, 30.0]),
    ];
    for dilate in [0.0, 1.5, 100.0] {
        let mut mask = Mask::all(40, 30);
        exclude(&mut mask, &boxes, &[0, 2], dilate);
        for (y, x) in (0..30).flat_map(|y| (0..40).map(move |x| (y, x))) {
            let (left, top) = (x as f32, y as f32);
            let touches = |b: &Detection| {
                left + 1.0 > b.x1 - dilate && left < b.x2 + dilate && top + 1.0 > b.y1 - dilate && top < b.y2 + dilate
            };
            let excluded = touches(&boxes[0]) || touches(&boxes[2]);
            assert_eq!(mask.allows(x, y), !excluded, "{x}, {y}, dilated by {dilate}");
        }
    }
}
