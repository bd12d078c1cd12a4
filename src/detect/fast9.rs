//! C4: corner strength of FAST 9/16 (Rosten, Drummond, "Machine learning for high-speed corner detection", 2006).
//!
//! V = max over the 16 arcs of nine ring pixels of max(min d, min -d), d = ring - centre. V > t is the segment test
//! at threshold t, so that one map of V serves every threshold.

use crate::image::GrayImage;

/// Radius of the ring, pixels.
pub const RADIUS: usize = 3;

/// The ring (dx, dy) clockwise from below the centre, in OpenCV's order; neighbours in the list are neighbours on it.
pub const RING: [(isize, isize); 16] = [
    (0, 3),
    (1, 3),
    (2, 2),
    (3, 1),
    (3, 0),
    (3, -1),
    (2, -2),
    (1, -3),
    (0, -3),
    (-1, -3),
    (-2, -2),
    (-3, -1),
    (-3, 0),
    (-3, 1),
    (-2, 2),
    (-1, 3),
];

/// Pixels that are worked on together: a loop over them compiles to one vector instruction.
const LANES: usize = 16;

/// V where V > `threshold_min`, else 0; 0 outside 3 ..= w - 4 and 3 ..= h - 4.
pub fn strength_map(image: &GrayImage, threshold_min: u8, map: &mut GrayImage) {
    let (width, height) = (image.width(), image.height());
    map.resize(width, height);
    for (y, out) in map.pixels_mut().chunks_exact_mut(width.max(1)).enumerate() {
        if width <= 2 * RADIUS || y < RADIUS || y + RADIUS >= height {
            out.fill(0);
            continue;
        }
        out[..RADIUS].fill(0);
        out[width - RADIUS..].fill(0);
        let inner = &mut out[RADIUS..width - RADIUS];
        let shifted = |(dx, dy): (isize, isize)| {
            &image.row(y.wrapping_add_signed(dy))[RADIUS.wrapping_add_signed(dx)..][..inner.len()]
        };
        let ring = RING.map(shifted);
        strength_row(shifted((0, 0)), ring, threshold_min, inner);
    }
}

/// V along one row; `ring[k]` is the row of the k-th ring pixels.
fn strength_row(centre: &[u8], ring: [&[u8]; 16], threshold_min: u8, out: &mut [u8]) {
    if out.len() < LANES {
        for x in 0..out.len() {
            strength_at::<1>(centre, &ring, x, threshold_min, out);
        }
        return;
    }
    for x in (0..out.len()).step_by(LANES) {
        // The last group overlaps the one before it rather than leave the row.
        strength_at::<LANES>(centre, &ring, x.min(out.len() - LANES), threshold_min, out);
    }
}

/// V of the `N` pixels from `x` on.
fn strength_at<const N: usize>(centre: &[u8], ring: &[&[u8]; 16], x: usize, threshold_min: u8, out: &mut [u8]) {
    let lanes = |row: &[u8]| {
        let mut lanes = [0; N];
        lanes.copy_from_slice(&row[x..][..N]);
        lanes
    };
    let centre = lanes(centre);
    let ring = ring.map(lanes);
    let strength = strength(centre, ring);
    for (out, v) in out[x..][..N].iter_mut().zip(strength) {
        *out = if v > threshold_min { v } else { 0 };
    }
}

/// V of `N` pixels, 0 where it is negative.
pub fn strength<const N: usize>(centre: [u8; N], ring: [[u8; N]; 16]) -> [u8; N] {
    let brighter = ring.map(|ring| zip(ring, centre, u8::saturating_sub));
    let darker = ring.map(|ring| zip(centre, ring, u8::saturating_sub));
    zip(best_arc(brighter), best_arc(darker), u8::max)
}

/// The greatest of the 16 minima over nine consecutive values.
///
/// Two arcs share their eight inner values: max(min(inner, left), min(inner, right)) = min(inner, max(left, right)).
fn best_arc<const N: usize>(d: [[u8; N]; 16]) -> [u8; N] {
    let at = |k: usize| d[k % 16];
    let two: [_; 8] = std::array::from_fn(|k| zip(at(2 * k + 1), at(2 * k + 2), u8::min));
    let four: [_; 8] = std::array::from_fn(|k| zip(two[k], two[(k + 1) % 8], u8::min));
    let arcs: [_; 8] = std::array::from_fn(|k| {
        let inner = zip(four[k], four[(k + 2) % 8], u8::min);
        zip(inner, zip(at(2 * k), at(2 * k + 9), u8::max), u8::min)
    });
    arcs.into_iter().reduce(|a, b| zip(a, b, u8::max)).unwrap_or([0; N])
}

fn zip<const N: usize>(a: [u8; N], b: [u8; N], f: impl Fn(u8, u8) -> u8) -> [u8; N] {
    std::array::from_fn(|i| f(a[i], b[i]))
}
