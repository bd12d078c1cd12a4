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
    let centre = lanes(centre, x);
    let (mut brighter, mut darker) = ([[0; N]; 16], [[0; N]; 16]);
    for (row, (brighter, darker)) in ring.iter().zip(brighter.iter_mut().zip(&mut darker)) {
        let ring = lanes(row, x);
        *brighter = zip(ring, centre, u8::saturating_sub);
        *darker = zip(centre, ring, u8::saturating_sub);
    }
    // Differences of the other sign count as 0: V can only be positive where it is used.
    let strength = zip(best_arc(&brighter), best_arc(&darker), u8::max);
    for (out, v) in out[x..][..N].iter_mut().zip(strength) {
        *out = if v > threshold_min { v } else { 0 };
    }
}

/// The greatest of the 16 minima over nine consecutive values.
///
/// Arcs that begin at 2k and 2k + 1 share the eight values from 2k + 1 on:
/// max(min(first, shared), min(shared, last)) = min(shared, max(first, last)).
fn best_arc<const N: usize>(d: &[[u8; N]; 16]) -> [u8; N] {
    let mut two = [[0; N]; 8];
    let mut four = [[0; N]; 8];
    let mut best = [0; N];
    for (k, two) in two.iter_mut().enumerate() {
        *two = zip(d[2 * k + 1], d[(2 * k + 2) % 16], u8::min);
    }
    for (k, four) in four.iter_mut().enumerate() {
        *four = zip(two[k], two[(k + 1) % 8], u8::min);
    }
    for k in 0..8 {
        let shared = zip(four[k], four[(k + 2) % 8], u8::min);
        let either = zip(d[2 * k], d[(2 * k + 9) % 16], u8::max);
        best = zip(best, zip(shared, either, u8::min), u8::max);
    }
    best
}

/// The pixels from `x` on.
fn lanes<const N: usize>(row: &[u8], x: usize) -> [u8; N] {
    let mut lanes = [0; N];
    lanes.copy_from_slice(&row[x..][..N]);
    lanes
}

/// `f` lane by lane. A plain loop: the adapters of arrays are not always inlined, which costs a factor of six.
#[inline(always)]
fn zip<const N: usize>(mut a: [u8; N], b: [u8; N], f: impl Fn(u8, u8) -> u8) -> [u8; N] {
    for (a, b) in a.iter_mut().zip(b) {
        *a = f(*a, b);
    }
    a
}
