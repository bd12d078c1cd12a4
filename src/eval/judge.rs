//! What both protocols do with the answers of one detector.

use super::figures::{Figures, ImageSums, Mean, PrecisionSums, Repeatability};
use super::matching::Matches;
use super::pairs::{Expected, inside, mutual};
use super::{Answer, Detector, DetectorError, Keypoint, LEVELS};
use crate::image::GrayImage;

/// Greatest distance of a pair in the precision protocol, pixels of the level.
const PAIR_RADIUS: f64 = 1.5;
/// Greatest distance of a point found again, level-0 pixels.
const REPEAT_RADIUS: f64 = 3.0;
/// Asks for all that an image offers.
const ALL: usize = 100_000;

/// Numbers of points by level.
pub(super) type Quotas = [usize; LEVELS];

pub(super) fn quotas(keypoints: &[Keypoint]) -> Quotas {
    let mut quotas = Quotas::default();
    for point in keypoints {
        if let Some(quota) = quotas.get_mut(usize::from(point.level)) {
            *quota += 1;
        }
    }
    quotas
}

/// The first points of each level, at most the quota; points of other levels go.
fn best_of_levels(keypoints: &[Keypoint], mut left: Quotas) -> Vec<Keypoint> {
    let within = |point: &&Keypoint| match left.get_mut(usize::from(point.level)) {
        Some(left @ 1..) => {
            *left -= 1;
            true
        }
        _ => false,
    };
    keypoints.iter().filter(within).copied().collect()
}

/// The answers of all detectors to one image, with as many points at each level as the first detector gives when
/// asked for `wanted`.
pub(super) fn level_answers(
    detectors: &mut [Box<dyn Detector>],
    image: &GrayImage,
    wanted: usize,
) -> Result<Vec<Vec<Keypoint>>, DetectorError> {
    let mut of_first = None;
    let mut answers = Vec::new();
    for detector in detectors {
        let count = if of_first.is_none() { wanted } else { ALL };
        let keypoints = detector.detect(image, count)?.keypoints;
        let quotas = *of_first.get_or_insert_with(|| quotas(&keypoints));
        answers.push(best_of_levels(&keypoints, quotas));
    }
    Ok(answers)
}

/// Sums of one detector.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    images: ImageSums,
    precision: PrecisionSums,
    /// By change, in order of first use.
    shares: Vec<(String, Mean)>,
    /// By kind of change.
    matches: Vec<(String, Matches)>,
}

impl Sums {
    pub fn add_image(&mut self, answer: &Answer, image: &GrayImage) {
        self.images.add(answer, image);
    }

    /// Precision at one level between two images of the same size.
    pub fn add_pairs(
        &mut self,
        level: usize,
        [first, second]: [&[Keypoint]; 2],
        size: [usize; 2],
        expected: impl Fn([f64; 2]) -> Expected,
    ) {
        let (first, expected) = visible(first, level, size, expected);
        let pairs = mutual(&first, &expected, second, true, |point| PAIR_RADIUS * point.level_pixel());
        let difference = |&(i, j): &(usize, usize)| {
            let [u, v] = expected[i].unwrap_or(second[j].position);
            [second[j].position[0] - u, second[j].position[1] - v]
        };
        self.precision.add(level, first.len(), pairs.iter().map(difference));
    }

    /// Bias between an image of this size and the turned one.
    pub fn add_turned(&mut self, [first, turned]: [&[Keypoint]; 2], [width, height]: [usize; 2]) {
        let far = |[u, v]: [f64; 2]| [width as f64 - 1.0 - u, height as f64 - 1.0 - v];
        let back: Vec<Keypoint> =
            turned.iter().map(|point| Keypoint { position: far(point.position), ..*point }).collect();
        let expected: Vec<Expected> = first.iter().map(|point| Some(point.position)).collect();
        for (i, j) in mutual(first, &expected, &back, true, |point| PAIR_RADIUS * point.level_pixel()) {
            let [a, b] = [first[i].position, back[j].position];
            self.precision.add_turned(usize::from(first[i].level), [a[0] - b[0], a[1] - b[1]]);
        }
    }

    /// The share of the points of the first image that are found again in the second under `change`, and how well their
    /// descriptors match, summed up under `kind`.
    pub fn add_repeats(
        &mut self,
        [change, kind]: [&str; 2],
        [first, second]: [&Answer; 2],
        size: [usize; 2],
        expected: impl Fn([f64; 2]) -> Expected,
    ) {
        let [width, height] = size;
        let shown = |point: &Keypoint| expected(point.position).filter(|&at| inside(at, point.level, width, height));
        let expected: Vec<Expected> = first.keypoints.iter().map(shown).collect();
        let visible = expected.iter().flatten().count();
        if visible == 0 {
            return;
        }
        let found = mutual(&first.keypoints, &expected, &second.keypoints, false, |_| REPEAT_RADIUS).len();
        entry(&mut self.shares, change).add(found as f64 / visible as f64);
        entry(&mut self.matches, kind).add(first, &expected, second, found, REPEAT_RADIUS);
    }

    pub fn figures(&self, detector: &str, wanted: usize) -> Figures {
        let repeatability = |(change, mean): &(String, Mean)| Repeatability {
            change: change.clone(),
            share: mean.value(),
            radius_px: REPEAT_RADIUS,
        };
        Figures {
            detector: detector.to_owned(),
            count: self.images.count(wanted),
            spread: self.images.spread(),
            precision: self.precision.figures(),
            repeatability: self.shares.iter().map(repeatability).collect(),
            matching: self.matches.iter().filter_map(|(kind, matches)| matches.figures(kind)).collect(),
        }
    }
}

/// The entry of this name, a new one at the end if there is none.
fn entry<'a, T: Default>(entries: &'a mut Vec<(String, T)>, name: &str) -> &'a mut T {
    let at = entries.iter().position(|(known, _)| known == name).unwrap_or(entries.len());
    if at == entries.len() {
        entries.push((name.to_owned(), T::default()));
    }
    &mut entries[at].1
}

/// The points of one level that the other image shows, and where.
fn visible(
    keypoints: &[Keypoint],
    level: usize,
    [width, height]: [usize; 2],
    expected: impl Fn([f64; 2]) -> Expected,
) -> (Vec<Keypoint>, Vec<Expected>) {
    let of_level = keypoints.iter().filter(|point| usize::from(point.level) == level);
    let shown = of_level.filter_map(|point| {
        let there = expected(point.position).filter(|&there| inside(there, point.level, width, height))?;
        Some((*point, Some(there)))
    });
    shown.unzip()
}
