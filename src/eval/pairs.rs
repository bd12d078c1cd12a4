//! Points of two images brought together by their known motion.

use super::Keypoint;

/// Where a point of the first image must be in the second, or `None` where the second image does not show it.
pub type Expected = Option<[f64; 2]>;

/// Indices (first, second) of the points that are each other's nearest within `radius(first point)` pixels.
///
/// `same_level` admits pairs of one level only.
pub fn mutual(
    first: &[Keypoint],
    expected: &[Expected],
    second: &[Keypoint],
    same_level: bool,
    radius: impl Fn(&Keypoint) -> f64,
) -> Vec<(usize, usize)> {
    let mut forward = vec![(f64::INFINITY, usize::MAX); first.len()];
    let mut backward = vec![(f64::INFINITY, usize::MAX); second.len()];
    for (i, (point, expected)) in first.iter().zip(expected).enumerate() {
        let Some([u, v]) = expected else { continue };
        for (j, candidate) in second.iter().enumerate() {
            if same_level && candidate.level != point.level {
                continue;
            }
            let [du, dv] = [candidate.position[0] - u, candidate.position[1] - v];
            let squared = du * du + dv * dv;
            if squared < forward[i].0 {
                forward[i] = (squared, j);
            }
            if squared < backward[j].0 {
                backward[j] = (squared, i);
            }
        }
    }
    let near = |i: usize, squared: f64| squared <= radius(&first[i]) * radius(&first[i]);
    let pairs = forward.iter().enumerate().filter(|&(i, &(squared, j))| {
        j != usize::MAX && near(i, squared) && backward.get(j).is_some_and(|&(_, back)| back == i)
    });
    pairs.map(|(i, &(_, j))| (i, j)).collect()
}

/// Whether a detector may be held to find a point of this level at `position`: six pixels of the level off the border.
pub fn inside(position: [f64; 2], level: u8, width: usize, height: usize) -> bool {
    let margin = 6.0 * f64::from(1_u32 << level);
    let within = |c: f64, size: usize| margin <= c && c <= size as f64 - 1.0 - margin;
    within(position[0], width) && within(position[1], height)
}
