//! The protocols on a detector whose errors are known: centroids of bright dots are exact whatever the sub-pixel shift.

use vio_frontend::eval::changes::{CHANGES, Effect};
use vio_frontend::eval::photos::Photos;
use vio_frontend::eval::{Answer, Descriptors, Detector, DetectorError, Distance, Figures, Keypoint, figures};
use vio_frontend::image::GrayImage;

/// Finds each bright dot at its centroid, moved by a constant.
struct Centroids {
    offset: [f64; 2],
    level: u8,
}

impl Detector for Centroids {
    fn name(&self) -> &str {
        "centroids"
    }

    fn begin(&mut self, _: &GrayImage, _: usize) {}

    fn detect(&mut self, image: &GrayImage, count: usize) -> Result<Answer, DetectorError> {
        let mut keypoints: Vec<Keypoint> = centroids(image)
            .into_iter()
            .map(|[u, v]| Keypoint { position: [u + self.offset[0], v + self.offset[1]], level: self.level })
            .collect();
        keypoints.truncate(count);
        Ok(Answer { keypoints, ..Answer::default() })
    }
}

/// Weighted centroids of the connected bright regions, in reading order.
fn centroids(image: &GrayImage) -> Vec<[f64; 2]> {
    let (width, height) = (image.width(), image.height());
    let mut seen = vec![false; width * height];
    let mut found = Vec::new();
    for start in 0..width * height {
        let (mut stack, mut sums) = (vec![start], [0.0; 3]);
        while let Some(i) = stack.pop() {
            let (x, y) = (i % width, i / width);
            if seen[i] || image.at(x, y) == 0 {
                continue;
            }
            seen[i] = true;
            let weight = f64::from(image.at(x, y));
            sums = [sums[0] + weight, sums[1] + weight * x as f64, sums[2] + weight * y as f64];
            let [left, right] = [x > 0, x + 1 < width].map(|inside| inside.then_some(()));
            stack.extend(left.map(|()| i - 1).into_iter().chain(right.map(|()| i + 1)));
            stack.extend(i.checked_sub(width).into_iter().chain((y + 1 < height).then_some(i + width)));
        }
        if sums[0] > 0.0 {
            found.push([sums[1] / sums[0], sums[2] / sums[0]]);
        }
    }
    found
}

/// Bright discs of radius 8 px, every 48 px, with smooth rims.
fn dots() -> GrayImage {
    GrayImage::from_fn(576, 432, |x, y| {
        let [dx, dy] = [x, y].map(|c| (c % 48) as f64 - 23.5);
        (255.0 * (8.5 - (dx * dx + dy * dy).sqrt()).clamp(0.0, 1.0)) as u8
    })
}

fn judge(detectors: Vec<Centroids>) -> Vec<Figures> {
    let mut detectors: Vec<Box<dyn Detector>> =
        detectors.into_iter().map(|d| Box::new(d) as Box<dyn Detector>).collect();
    let mut photos = Photos::new(detectors.len(), 1000);
    photos.add(&dots(), &mut detectors).unwrap();
    photos.figures(&detectors)
}

#[test]
fn an_exact_detector_has_no_error_at_any_level() {
    for level in 0..3 {
        let figures = &judge(vec![Centroids { offset: [0.0, 0.0], level }])[0];
        let precision = figures.precision[usize::from(level)];
        assert!(precision.pairs > 200 && precision.rms_px < 0.01, "{precision:?}");
        assert_eq!(precision.matched, 1.0);
        assert!(precision.bias_px.iter().all(|bias| bias.abs() < 0.01), "{precision:?}");
    }
}

#[test]
fn a_constant_offset_is_bias_and_no_error() {
    let figures = &judge(vec![Centroids { offset: [0.3, -0.2], level: 1 }])[0];
    let precision = figures.precision[1];
    assert!(precision.rms_px < 0.01, "{precision:?}");
    let [x, y] = precision.bias_px;
    assert!((x - 0.3).abs() < 0.01 && (y + 0.2).abs() < 0.01, "{precision:?}");
}

#[test]
fn rounding_to_whole_pixels_costs_what_theory_says() {
    struct Rounded(Centroids);
    impl Detector for Rounded {
        fn name(&self) -> &str {
            "rounded"
        }
        fn begin(&mut self, _: &GrayImage, _: usize) {}
        fn detect(&mut self, image: &GrayImage, count: usize) -> Result<Answer, DetectorError> {
            let mut answer = self.0.detect(image, count)?;
            answer.keypoints.iter_mut().for_each(|point| point.position = point.position.map(f64::round));
            Ok(answer)
        }
    }
    let mut detectors: Vec<Box<dyn Detector>> = vec![Box::new(Rounded(Centroids { offset: [0.1, 0.1], level: 0 }))];
    let mut photos = Photos::new(1, 1000);
    photos.add(&dots(), &mut detectors).unwrap();
    let precision = photos.figures(&detectors)[0].precision[0];
    // Reduced, the dots are at 7.6 and seen at 8; a third further at 7 (two thirds wrong), two thirds further at 7 (one
    // third wrong). Each axis moves in four of six moves: sqrt((2 (2/3)^2 + 2 (1/3)^2) / 6 / 2) = 0.304.
    assert!((precision.rms_px - 0.304).abs() < 0.01, "{precision:?}");
}

#[test]
fn what_is_not_there_again_is_not_matched() {
    // Asked for half of the dots, in reading order: the turned image shows the other half.
    let mut detectors: Vec<Box<dyn Detector>> = vec![Box::new(Centroids { offset: [0.0, 0.0], level: 0 })];
    let mut photos = Photos::new(1, 40);
    photos.add(&dots(), &mut detectors).unwrap();
    let figures = &photos.figures(&detectors)[0];
    assert_eq!((figures.count.wanted, figures.count.got), (40, 40.0));
    assert!(figures.spread.cells_served < 0.5, "{:?}", figures.spread);
}

#[test]
fn points_move_as_the_image_does() {
    let photo = dots();
    for change in CHANGES.iter().filter(|change| matches!(change.effect, Effect::View(_))) {
        let there = centroids(&change.apply(&photo));
        let inside = |p: &[f64; 2]| p[0] > 20.0 && p[0] < 556.0 && p[1] > 20.0 && p[1] < 412.0;
        let moved = centroids(&photo).into_iter().filter_map(|point| change.move_point(point, &photo)).filter(inside);
        let mut count = 0;
        for [u, v] in moved {
            // A disc seen at a slant is not centred on its centre: a tenth of a pixel at most here.
            let near = there.iter().any(|p| (p[0] - u).abs() < 0.1 && (p[1] - v).abs() < 0.1);
            assert!(near, "{}: nothing at {u:.2}, {v:.2}", change.name);
            count += 1;
        }
        assert!(count > 50, "{}: {count}", change.name);
    }
}

#[test]
fn repeatability_of_an_exact_detector_is_full_under_views() {
    let figures = &judge(vec![Centroids { offset: [0.0, 0.0], level: 0 }])[0];
    for (found, change) in figures.repeatability.iter().zip(&CHANGES) {
        assert_eq!(found.change, change.name);
        if matches!(change.effect, Effect::View(_) | Effect::Light(_) | Effect::Square | Effect::Root) {
            assert_eq!(found.share, 1.0, "{}", change.name);
        }
    }
}

#[test]
fn spread_is_full_where_every_cell_holds_the_same() {
    let lattice = |n: usize, width: f64, height: f64| -> Vec<Keypoint> {
        let at = |i: usize| [(i % 8) as f64 * width / 8.0 + 3.0, (i / 8) as f64 * height / 6.0 + 3.0];
        (0..n).map(|i| Keypoint { position: at(i), level: 0 }).collect()
    };
    let even = figures::spread(&lattice(48, 640.0, 480.0), 640, 480);
    assert!((even.entropy - 1.0).abs() < 1e-12 && even.cells_served == 1.0, "{even:?}");
    let half = figures::spread(&lattice(24, 640.0, 480.0), 640, 480);
    assert!((half.entropy - 24_f64.ln() / 48_f64.ln()).abs() < 1e-12 && half.cells_served == 0.5, "{half:?}");
    let none = figures::spread(&[], 640, 480);
    assert_eq!((none.entropy, none.cells_served), (0.0, 0.0));
}

/// Dots described by their number, or all alike.
struct Described {
    numbered: bool,
}

impl Detector for Described {
    fn name(&self) -> &str {
        "described"
    }

    fn begin(&mut self, _: &GrayImage, _: usize) {}

    fn detect(&mut self, image: &GrayImage, count: usize) -> Result<Answer, DetectorError> {
        let mut answer = Centroids { offset: [0.0, 0.0], level: 0 }.detect(image, count)?;
        let bytes = (0..answer.keypoints.len()).map(|i| vec![if self.numbered { i as u8 } else { 7 }]).collect();
        answer.descriptors = Some(Descriptors { distance: Distance::Euclidean, bytes });
        Ok(answer)
    }
}

#[test]
fn matching_is_right_where_descriptors_tell_points_apart() {
    for numbered in [true, false] {
        let mut detectors: Vec<Box<dyn Detector>> = vec![Box::new(Described { numbered })];
        let mut photos = Photos::new(1, 1000);
        photos.add(&dots(), &mut detectors).unwrap();
        let figures = photos.figures(&detectors).swap_remove(0);
        let light = figures.matching.iter().find(|matching| matching.change == "light").unwrap();
        // 12 x 9 dots under four changes of light.
        assert_eq!(light.found_again, 432);
        assert_eq!(light.precision, [numbered.then_some(1.0); 3]);
    }
}

#[test]
fn distances_are_those_of_the_bytes() {
    assert_eq!(Distance::Euclidean.between(&[0, 10, 255], &[3, 14, 255]), 5.0);
    assert_eq!(Distance::Hamming.between(&[0b1010, 0xff], &[0b0110, 0xfe]), 3.0);
}
