//! Names of classes.

use vio_frontend::detections::objects::{COCO, MOVING, UnknownClass, classes};

#[test]
fn classes_are_those_of_coco_and_a_misspelt_one_is_named() {
    assert_eq!(classes(&MOVING, &COCO), Ok(vec![0, 1, 2, 3, 5, 7]));
    assert_eq!(classes(&["toothbrush"], &COCO), Ok(vec![79]));
    let error = classes(&["person", "motorbike"], &COCO).unwrap_err();
    assert_eq!(error.to_string(), "class 'motorbike' is unknown; did you mean 'motorcycle'?");
    let error = classes(&["xyz"], &["robot"]).unwrap_err();
    assert_eq!(error, UnknownClass { name: "xyz".to_owned(), nearest: None });
}
