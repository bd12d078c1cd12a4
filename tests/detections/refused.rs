//! Everything that is no detector's output, or no setting, is refused by name.

use half::f16;
use vio_frontend::detections::plain::PlainPostprocessor;
use vio_frontend::detections::{BadInput, Element, Head, Heads, Layout, Letterbox, Plan, Refused, Settings, Tensor};

use crate::cases::{Case, LIMITS};

/// The reason and the message.
#[track_caller]
fn refused(shape: &[usize], settings: &Settings, reason: &str, parts: &[&str]) {
    let error = Plan::new(shape, Element::F32, settings).unwrap_err();
    assert_eq!(error.reason(), reason, "{error}");
    for part in parts {
        assert!(error.to_string().contains(part), "'{part}' is not in: {error}");
    }
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let (v5, v8) = (Settings::new(Layout::Yolov5), Settings::new(Layout::Yolov8));
    refused(&[25200, 85], &v5, "shape", &["[25200, 85]", "2 dimensions", "[B, N, 5 + C]"]);
    refused(&[1, 3, 80, 80, 85], &v5, "shape", &["5 dimensions"]);
    refused(&[], &v5, "shape", &["0 dimensions"]);
    refused(&[0, 25200, 85], &v5, "empty_batch", &["batch of 0"]);
    refused(&[1, 0, 85], &v5, "shape", &["no anchors"]);
    refused(&[1, 84, 0], &v8, "shape", &["no anchors"]);
    refused(&[1, 100, 5], &v5, "layout", &["5 values an anchor", "C = 1 or more"]);
    refused(&[1, 4, 100], &v8, "layout", &["4 values an anchor"]);
    // The other layouts, transposed or with objectness.
    refused(&[1, 84, 8400], &v5, "layout", &["8400 values for each of 84", "transposed"]);
    refused(&[1, 25200, 85], &v8, "layout", &["25200 values for each of 85"]);
    let coco = |layout| Settings { classes: Some(80), ..Settings::new(layout) };
    refused(&[1, 8400, 84], &coco(Layout::Yolov5), "layout", &["84 values an anchor", "C = 80"]);
    refused(&[1, 8400, 85], &coco(Layout::Yolov8Rows), "layout", &["85 values"]);
    refused(&[1, 84, 100], &coco(Layout::Yolov8Rows), "layout", &["100 values"]);
    refused(&[1, 10, 5], &Settings { classes: Some(0), ..v5.clone() }, "layout", &["C = 0"]);
    refused(&[1 << 20, 1 << 10, 85], &v5, "too_large", &["more than 2147483647"]);
    refused(&[usize::MAX, 2, 85], &v5, "too_large", &[]);
    assert!(Plan::new(&[1, 3, 85], Element::F32, &v5).is_ok(), "few anchors of many classes are a detector's too");
}

#[test]
fn settings_out_of_range_are_refused() {
    let base = Settings::new(Layout::Yolov5);
    let shape = [1, 10, 85];
    for value in [-0.01, 1.01, f64::NAN, f64::INFINITY] {
        refused(&shape, &Settings { confidence: value, ..base.clone() }, "settings", &["confidence", "0 .. 1"]);
        refused(&shape, &Settings { iou: value, ..base.clone() }, "settings", &["iou", "0 .. 1"]);
    }
    for value in [0, 8193, u32::MAX] {
        refused(&shape, &Settings { max_candidates: value, ..base.clone() }, "settings", &["max_candidates", "8192"]);
        refused(&shape, &Settings { max_detections: value, ..base.clone() }, "settings", &["max_detections", "8192"]);
    }
}

#[test]
fn heads_that_do_not_fit_are_refused() {
    let with = |heads| Settings { heads: Some(heads), ..Settings::new(Layout::Yolov5) };
    let heads =
        |stride, sizes: &[[f32; 2]], input| Heads { input, heads: vec![Head { stride, sizes: sizes.to_vec() }] };
    let one: &[[f32; 2]] = &[[10.0, 10.0]];
    refused(&[1, 25200, 85], &with(Heads::yolov5([640, 480])), "heads", &["25200 anchors", "18900"]);
    assert!(Plan::new(&[1, 25200, 85], Element::F32, &with(Heads::yolov5([640, 640]))).is_ok());
    let shape = [1, 16, 6];
    refused(&shape, &with(Heads { input: [32, 32], heads: Vec::new() }), "heads", &["0 of them"]);
    refused(
        &shape,
        &with(Heads { input: [32, 32], heads: vec![Head { stride: 8, sizes: one.to_vec() }; 5] }),
        "heads",
        &["5"],
    );
    for (stride, input) in [(0, [32, 32]), (7, [32, 32]), (8, [0, 32]), (8, [32, 36]), (8, [1 << 20, 32])] {
        refused(&shape, &with(heads(stride, one, input)), "heads", &["does not divide", &format!("stride {stride}")]);
    }
    refused(&shape, &with(heads(8, &[], [32, 32])), "heads", &["0 anchors"]);
    refused(&shape, &with(heads(8, &[[1.0; 2]; 5], [32, 32])), "heads", &["5 anchors"]);
    for side in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        refused(&shape, &with(heads(8, &[[1.0, side]], [32, 32])), "heads", &["side of"]);
    }
    let v8 = Settings { heads: Some(heads(8, one, [32, 32])), ..Settings::new(Layout::Yolov8Rows) };
    refused(&shape, &v8, "heads", &["yolov8_rows"]);
}

#[test]
fn data_of_another_length_or_type_is_refused() {
    let plan = |element| Plan::new(&[1, 4, 6], element, &Settings::new(Layout::Yolov5)).unwrap();
    let letterbox = [Letterbox::identity(32, 32)];
    let run = |element, tensor: Tensor<'_>| {
        PlainPostprocessor::new(plan(element)).run(&tensor, &letterbox).map(|_| ()).unwrap_err()
    };
    let error = run(Element::F32, Tensor::F32(&[0.5; 23]));
    assert_eq!(
        (error.reason(), error.to_string().contains("92 bytes: shape [1, 4, 6] in float32 takes 96")),
        ("data_length", true),
        "{error}"
    );
    // Sixteen bits said to be, or read as, thirty-two.
    let error = run(Element::F32, Tensor::F32(&[0.5; 12]));
    assert_eq!(
        (error.reason(), error.to_string().contains("in float16: it is said to be float32")),
        ("element", true),
        "{error}"
    );
    let error = run(Element::F16, Tensor::F16(&[f16::ONE; 48]));
    assert!(matches!(error, Refused::WrongElement { seems: Element::F32, .. }), "{error}");
    let error = run(Element::F32, Tensor::F16(&[f16::ONE; 24]));
    assert_eq!(error, Refused::OtherElement { found: Element::F16, expected: Element::F32 });
}

#[test]
fn letterboxes_that_are_none_are_refused() {
    let plan = Plan::new(&[2, 4, 6], Element::F32, &Settings::new(Layout::Yolov5)).unwrap();
    let good = Letterbox::identity(32, 32);
    let run = |letterboxes: &[Letterbox]| {
        PlainPostprocessor::new(plan.clone()).run(&Tensor::F32(&[0.5; 48]), letterboxes).map(|_| ()).unwrap_err()
    };
    assert_eq!(run(&[good]), Refused::Letterboxes { found: 1, batch: 2 });
    for bad in [
        Letterbox { scale: 0.0, ..good },
        Letterbox { scale: f32::NAN, ..good },
        Letterbox { scale: f32::INFINITY, ..good },
        Letterbox { pad: [0.0, f32::NAN], ..good },
        Letterbox { size: [0.0, 5.0], ..good },
        Letterbox { size: [5.0, f32::INFINITY], ..good },
    ] {
        assert!(matches!(run(&[good, bad]), Refused::Letterbox { image: 1, .. }), "{bad:?}");
    }
}

#[test]
fn the_first_value_that_is_none_is_named_wherever_it_is() {
    let mut refusals = 0;
    for seed in 0..600 {
        let case = Case::random(seed, LIMITS);
        let [_, middle, last] = case.shape;
        let index = (seed as usize * 7919) % case.values.len();
        let (major, minor) = (index / last % middle, index % last);
        let (anchor, channel) = if case.settings.layout == Layout::Yolov8 { (minor, major) } else { (major, minor) };
        let probability = case.settings.heads.is_none() && channel >= 4;
        let many = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, 1.01, 3e38];
        let value = many[seed as usize % many.len()];
        // A second one, later.
        let later = index + (case.values.len() - index) / 2;
        let case = case.with(later, f32::NAN).with(index, value);
        let value = case.values[index];
        let is_bad =
            if probability { !(0.0..=1.0).contains(&value) } else { !(-1_048_576.0..=1_048_576.0).contains(&value) };
        let outcome = PlainPostprocessor::new(case.plan()).run(&case.tensor(), &case.letterboxes).map(|_| ());
        if !is_bad {
            assert!(later == index || outcome.is_err());
            continue;
        }
        let Err(Refused::Value(bad)) = outcome else { panic!("seed {seed}: {outcome:?}") };
        let expected = BadInput { image: index / (middle * last), anchor, channel, value, probability };
        assert_eq!(format!("{bad:?}"), format!("{expected:?}"), "seed {seed}");
        let reason = if value.is_finite() { "value_range" } else { "not_finite" };
        assert_eq!(Refused::Value(bad).reason(), reason);
        refusals += 1;
    }
    assert!(refusals > 400, "{refusals}");
}

#[test]
fn a_raw_head_taken_for_probabilities_is_told() {
    let settings = Settings::new(Layout::Yolov5);
    let values = vec![0.3, -0.2, 0.1, 0.4, -7.5, -3.0];
    let case = Case::new(settings, [1, 1, 6], Element::F32, values, vec![Letterbox::identity(32, 32)]);
    let error = PlainPostprocessor::new(case.plan()).run(&case.tensor(), &case.letterboxes).map(|_| ()).unwrap_err();
    let text = "value -7.5 of image 0, anchor 0, channel 4 is no probability within 0 .. 1: is it a raw head?";
    assert_eq!(error.to_string(), text);
}
