//! C10: the descriptor, gradient orientations in 4 x 4 cells around a corner, at the corner's own level.
//!
//! Upright, because a back end predicts the turn between frames from the IMU. Square roots of the shares, as in
//! RootSIFT (Arandjelovic, Zisserman, "Three things everyone should know", CVPR 2012): they take the light's strength
//! out and make the Euclidean distance the Hellinger distance of the histograms.

use super::Corner;
use crate::feature::Descriptor;
use crate::image::GrayImage;

/// Side of the described square, level pixels.
const SIDE: usize = 16;
/// The square begins this far before the centre, level pixels.
const BEFORE: usize = 8;
/// Side of a cell, level pixels.
const CELL: usize = 4;
/// The square with one neighbour at each side.
type Patch = [[u8; SIDE + 2]; SIDE + 2];

/// The descriptor of a corner; `image` is its level.
pub fn describe(corner: &Corner, image: &GrayImage) -> Descriptor {
    let (x, y) = corner.level_pixel();
    let patch = patch(image, x, y);
    let mut bins = [0_u32; Descriptor::LEN];
    for row in 0..SIDE {
        let (weights, octants) = gradients(&patch[row], &patch[row + 1], &patch[row + 2]);
        let cells = &mut bins[row / CELL * 32..][..32];
        for (column, (weight, octant)) in weights.into_iter().zip(octants).enumerate() {
            cells[column / CELL * 8 + usize::from(octant & 7)] += u32::from(weight);
        }
    }
    quantise(&bins)
}

/// The pixels about (x, y); those beyond the level's edge repeat it.
fn patch(image: &GrayImage, x: usize, y: usize) -> Patch {
    let mut patch = [[0; SIDE + 2]; SIDE + 2];
    let clamped = |i: usize, offset: usize, size: usize| (i + offset).saturating_sub(BEFORE + 1).min(size - 1);
    let inside = x > BEFORE && x - BEFORE - 1 + SIDE + 2 <= image.width();
    for (j, out) in patch.iter_mut().enumerate() {
        let row = image.row(clamped(y, j, image.height()));
        if inside {
            out.copy_from_slice(&row[x - BEFORE - 1..][..SIDE + 2]);
        } else {
            for (i, out) in out.iter_mut().enumerate() {
                *out = row[clamped(x, i, row.len())];
            }
        }
    }
    patch
}

/// |gx| + |gy| and the octant of (gx, gy) along one row, from it and the rows above and below.
///
/// Octants count by 45 degrees from +x towards +y. Without branches, so that it compiles to vector instructions.
fn gradients(above: &[u8; 18], here: &[u8; 18], below: &[u8; 18]) -> ([u16; SIDE], [u8; SIDE]) {
    let (mut weights, mut octants) = ([0; SIDE], [0; SIDE]);
    for i in 0..SIDE {
        let (left, right, up, down) = (here[i], here[i + 2], above[i + 1], below[i + 1]);
        let (across, along) = (left.abs_diff(right), up.abs_diff(down));
        let (leftward, upward, steep) = (u8::from(right < left), u8::from(down < up), u8::from(across < along));
        weights[i] = u16::from(across) + u16::from(along);
        let turned = leftward ^ upward;
        octants[i] = upward << 2 | turned << 1 | (steep ^ turned);
    }
    (weights, octants)
}

/// For each bin v the greatest q with q * q * sum <= 65025 * v; all 0 where the sum is.
fn quantise(bins: &[u32; Descriptor::LEN]) -> Descriptor {
    let sum = bins.iter().sum::<u32>();
    let mut bytes = [0; Descriptor::LEN];
    if sum == 0 {
        return Descriptor(bytes);
    }
    // (65025 v + 1/2) / sum is no integer and at least 1/2 / sum > 2^-19 from any, where rounding errs by less than
    // 2^-35: the truncated root is the integer one.
    let scale = 1.0 / f64::from(sum);
    for (byte, &v) in bytes.iter_mut().zip(bins) {
        *byte = ((65025.0 * f64::from(v) + 0.5) * scale).sqrt() as u8;
    }
    Descriptor(bytes)
}
