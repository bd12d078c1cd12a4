//! Matching by descriptors: how precise it is at a given recall.

use serde::Serialize;

use super::pairs::Expected;
use super::{Answer, Descriptors, Keypoint};

/// Recalls that precision is given at.
pub const RECALLS: [f64; 3] = [0.5, 0.7, 0.8];

/// Precision of descriptor matching, pairs of images pooled by change.
///
/// Each point is matched to the nearest descriptor of the other image, ranked by the ratio of the nearest distance to
/// the second nearest. A match is right within the radius of [`super::Repeatability`] about the true place. Recall is
/// the number of right matches over that of points found again.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Matching {
    pub change: String,
    /// Points found again.
    pub found_again: usize,
    /// Precision at the recalls of [`RECALLS`]; `None` where that recall is not reached.
    pub precision: [Option<f64>; RECALLS.len()],
}

/// Ranked matches of one change.
#[derive(Clone, Debug, Default)]
pub(super) struct Matches {
    /// Ratio of distances, and whether the match is right.
    ranked: Vec<(f64, bool)>,
    found_again: usize,
}

impl Matches {
    /// Matches `answer`'s points that the second image shows at `expected` to all of the second image.
    pub fn add(&mut self, answer: &Answer, expected: &[Expected], second: &Answer, found_again: usize, radius: f64) {
        self.found_again += found_again;
        let (Some(ours), Some(theirs)) = (&answer.descriptors, &second.descriptors) else { return };
        for (i, expected) in expected.iter().enumerate() {
            let Some(expected) = expected else { continue };
            let Some((nearest, ratio)) = ours.nearest(i, theirs) else { continue };
            let right = second.keypoints.get(nearest).is_some_and(|point| within(point, *expected, radius));
            self.ranked.push((ratio, right));
        }
    }

    /// `None` if there was nothing to match.
    pub fn figures(&self, change: &str) -> Option<Matching> {
        if self.ranked.is_empty() {
            return None;
        }
        let mut ranked = self.ranked.clone();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut precision = [None; RECALLS.len()];
        let mut right = 0;
        for (matched, (_, is_right)) in ranked.iter().enumerate() {
            right += usize::from(*is_right);
            let recall = right as f64 / self.found_again.max(1) as f64;
            for (precision, wanted) in precision.iter_mut().zip(RECALLS) {
                if precision.is_none() && recall >= wanted {
                    *precision = Some(right as f64 / (matched + 1) as f64);
                }
            }
        }
        Some(Matching { change: change.to_owned(), found_again: self.found_again, precision })
    }
}

fn within(point: &Keypoint, [u, v]: [f64; 2], radius: f64) -> bool {
    let [du, dv] = [point.position[0] - u, point.position[1] - v];
    du * du + dv * dv <= radius * radius
}

impl Descriptors {
    /// The nearest of `others` to descriptor `i`, and its distance over that of the second nearest.
    fn nearest(&self, i: usize, others: &Descriptors) -> Option<(usize, f64)> {
        let own = self.bytes.get(i)?;
        let (mut best, mut second, mut nearest) = (f64::INFINITY, f64::INFINITY, None);
        for (j, other) in others.bytes.iter().enumerate() {
            let distance = self.distance.between(own, other);
            if distance < best {
                (second, best, nearest) = (best, distance, Some(j));
            } else if distance < second {
                second = distance;
            }
        }
        let ratio = if second > 0.0 { best / second } else { 1.0 };
        Some((nearest?, ratio))
    }
}
