//! Images whose features are known beforehand, and sequences under changing light.

use vio_frontend::detect::plain::PlainDetector;
use vio_frontend::detect::{DetectSettings, Detection, Gain};
use vio_frontend::feature::Feature;
use vio_frontend::image::GrayImage;
use vio_frontend::mask::Mask;
use vio_frontend::params::Params;

use crate::images::{Kind, image};
use crate::naive;

fn settings(target: u32) -> DetectSettings {
    DetectSettings { target, ..DetectSettings::from(&Params::default()) }
}

fn detect(image: &GrayImage, target: u32) -> Detection {
    PlainDetector::new().detect(image, None, &settings(target), &mut Gain::default())
}

#[test]
fn flat_images_have_no_features_and_open_the_gain() {
    for kind in [Kind::Black, Kind::White] {
        let image = image(kind, 67, 43, 0);
        let mut gain = Gain::default();
        for _ in 0..100 {
            assert_eq!(PlainDetector::new().detect(&image, None, &settings(100), &mut gain), Detection::default());
        }
        assert_eq!(gain, Gain::LEAST);
    }
}

/// All tile borders and the last centres of an odd size among the positions.
#[test]
fn one_bright_pixel_is_one_feature_exactly_there() {
    let (width, height) = (67, 65);
    for y in [0, 3, 4, 5, 30, 31, 32, 33, 60, 61, 62] {
        for x in 0..width {
            let mut image = image(Kind::Black, width, height, 0);
            image.pixels_mut()[y * width + x] = 255;
            let detection = detect(&image, 10);
            let is_centre = (4..width - 4).contains(&x) && (4..height - 4).contains(&y);
            let positions: Vec<_> = detection.features.iter().map(|f| (f.u, f.v, f.level)).collect();
            let expected = if is_centre { vec![(x as f32, y as f32, 0)] } else { Vec::new() };
            assert_eq!(positions, expected, "bright pixel at ({x}, {y})");
        }
    }
}

#[test]
fn corners_of_squares_on_tile_borders_are_found() {
    for shift in 0..3 {
        let (near, far) = (31 + shift, 63 + shift);
        let square = near..far;
        let inside = |x, y| square.contains(&x) && square.contains(&y);
        let image = GrayImage::from_fn(96, 96, |x, y| if inside(x, y) { 200 } else { 50 });
        let features = detect(&image, 100).features;
        for (x, y) in [(near, near), (far - 1, near), (near, far - 1), (far - 1, far - 1)] {
            // A perfect corner is as strong at every level, so that a coarser one may stand for it (C6).
            let there = |f: &Feature| {
                let reach = 1.5 * f32::from(1_u8 << f.level);
                (f.u - x as f32).abs() < reach && (f.v - y as f32).abs() < reach
            };
            assert!(features.iter().any(there), "corner ({x}, {y}) of the square {near}..{far}");
        }
    }
}

/// The large sizes of the contract; the small ones are among the properties.
#[test]
fn large_odd_images_equal_the_naive_contract() {
    for (kind, width, height) in [(Kind::Texture, 641, 479), (Kind::Blocks, 752, 480), (Kind::CoarseNoise, 641, 131)] {
        let image = image(kind, width, height, 7);
        let settings = DetectSettings { describe: true, ..settings(1000) };
        let naive = naive::detect(&image, None, &settings, Gain::default());
        let mut detector = PlainDetector::new();
        let detection = detector.detect(&image, None, &settings, &mut Gain::default());
        assert!(detector.stages().survivors == naive.survivors, "survivors of {kind:?}");
        assert!(detector.stages().candidates == naive.candidates, "candidates of {kind:?}");
        assert!(detection.features == naive.features, "features of {kind:?}");
        assert!(detection.descriptors == naive.descriptors, "descriptors of {kind:?}");
        assert_eq!(detection.features.len() as u32, detection.offered.min(1000));
    }
}

#[test]
fn checkerboards_of_every_pitch_keep_the_order() {
    for side in 1..20 {
        let features = detect(&image(Kind::Checkerboard(side), 97, 61, 0), 65535).features;
        assert!(features.windows(2).all(|pair| pair[0].order_key() < pair[1].order_key()), "side {side}");
    }
}

#[test]
fn black_mask_and_mask_of_another_size_exclude() {
    let image = image(Kind::Texture, 160, 120, 3);
    let detect = |mask: &Mask| PlainDetector::new().detect(&image, Some(mask), &settings(500), &mut Gain::default());
    let mut black = Mask::all(160, 120);
    (0..160 * 120).for_each(|i| black.exclude(i % 160, i / 160));
    assert_eq!(detect(&black), Detection::default());
    let small = detect(&Mask::all(80, 60)).features;
    assert!(!small.is_empty() && small.iter().all(|f| f.half_x < 160 && f.half_y < 120));
}

#[test]
fn images_below_the_least_size_yield_nothing() {
    for (width, height) in [(0, 0), (1, 1), (0, 40), (31, 17), (31, 640), (640, 31)] {
        let mut gain = Gain::default();
        let image = image(Kind::Noise, width, height, 1);
        assert_eq!(PlainDetector::new().detect(&image, None, &settings(500), &mut gain), Detection::default());
        assert_eq!(gain, Gain::default());
    }
}

/// C3: class 0 comes to lie between once and twice the target, and stays there through steps of light. Thresholds are
/// whole grey levels, so that it swings about one and a half times the target rather than rest there.
#[test]
fn gain_converges_and_survives_steps_of_light() {
    let image = image(Kind::Texture, 640, 480, 5);
    let darker = GrayImage::from_fn(640, 480, |x, y| image.at(x, y) / 2);
    let target = 600;
    let settings = DetectSettings { ratio_q8: 512, ..settings(target) };
    let (mut detector, mut gain) = (PlainDetector::new(), Gain(4 << 16));
    let mut run = |image: &GrayImage, frames: usize| {
        (0..frames).map(|_| detector.detect(image, None, &settings, &mut gain)).collect::<Vec<_>>()
    };
    let between = |detection: &Detection| (target..=2 * target).contains(&detection.offered_class0);
    let approach = run(&image, 60);
    assert!(approach[30..].iter().all(between), "{:?}", approach.iter().map(|d| d.offered_class0).collect::<Vec<_>>());
    for detection in approach.iter().chain(&run(&darker, 20)).chain(&run(&image, 20)) {
        assert_eq!(detection.features.len() as u32, target);
    }
    let after_steps = run(&darker, 20);
    assert!(after_steps.iter().all(between), "{:?}", after_steps.iter().map(|d| d.offered_class0).collect::<Vec<_>>());
}
