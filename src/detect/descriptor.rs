//! C10: the descriptor, gradient directions in 4 x 4 cells around a corner, at the corner's own level.
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
/// Cells along each axis.
const CELLS: usize = 4;
/// Directions, 45 degrees apart, from +x towards +y.
const OCTANTS: usize = 8;
/// The share of each row (or column) of the square in each row (or column) of cells, eighths: bilinear between the
/// middles of the cells.
const SHARES: [[u16; SIDE]; CELLS] = shares();
/// The square with one neighbour at each side.
type Patch = [[u8; SIDE + 2]; SIDE + 2];

const fn shares() -> [[u16; SIDE]; CELLS] {
    let mut shares = [[0; SIDE]; CELLS];
    let mut i = 0;
    while i < SIDE * CELLS {
        let (cell, pixel) = (i / SIDE, i % SIDE);
        shares[cell][pixel] = 8_u16.saturating_sub((2 * pixel + 1).abs_diff(8 * cell + 4) as u16);
        i += 1;
    }
    shares
}

/// The descriptor of a corner; `image` is its level.
pub fn describe(corner: &Corner, image: &GrayImage) -> Descriptor {
    let (x, y) = corner.level_pixel();
    let patch = patch(image, x, y);
    // By row of cells, octant and column of the square; at most 32 * 2 * 255.
    let mut columns = [[[0_u16; SIDE]; OCTANTS]; CELLS];
    let mut across = [[0; SIDE]; SIDE + 2];
    for (smoothed, row) in across.iter_mut().zip(&patch) {
        *smoothed = smooth_across(row);
    }
    for y in 0..SIDE {
        let here = smooth_down(&patch[y], &patch[y + 1], &patch[y + 2]);
        let directions = directions(&here, &across[y], &across[y + 2]);
        for (columns, shares) in columns.iter_mut().zip(&SHARES).filter(|(_, shares)| shares[y] > 0) {
            for (octant, (columns, part)) in columns.iter_mut().zip(&directions).enumerate() {
                let weight = shares[y] << (octant % 2);
                for (sum, &part) in columns.iter_mut().zip(part) {
                    *sum += weight * u16::from(part);
                }
            }
        }
    }
    let mut bins = [0; Descriptor::LEN];
    for (row, columns) in columns.iter().enumerate() {
        for (column, shares) in SHARES.iter().enumerate() {
            for (octant, columns) in columns.iter().enumerate() {
                let parts = columns.iter().zip(shares).map(|(&sum, &share)| u32::from(sum) * u32::from(share));
                bins[(row * CELLS + column) * OCTANTS + octant] = parts.sum();
            }
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

/// A row smoothed along itself; the first value is that of its second pixel.
fn smooth_across(row: &[u8; SIDE + 2]) -> [u8; SIDE] {
    let mut smoothed = [0; SIDE];
    for (i, smoothed) in smoothed.iter_mut().enumerate() {
        *smoothed = smooth(row[i], row[i + 1], row[i + 2]);
    }
    smoothed
}

/// A row smoothed with the rows above and below.
fn smooth_down(above: &[u8; SIDE + 2], here: &[u8; SIDE + 2], below: &[u8; SIDE + 2]) -> [u8; SIDE + 2] {
    let mut smoothed = [0; SIDE + 2];
    for (i, smoothed) in smoothed.iter_mut().enumerate() {
        *smoothed = smooth(above[i], here[i], below[i]);
    }
    smoothed
}

fn smooth(a: u8, b: u8, c: u8) -> u8 {
    ((u16::from(a) + 2 * u16::from(b) + u16::from(c) + 2) >> 2) as u8
}

/// Each gradient of a row as a sum of its nearest axis (even octants) and diagonal (odd octants): the parts along
/// them, those of the diagonals halved, from the row and the ones above and below, each smoothed along the other axis.
///
/// Without branches and in bytes, so that it compiles to vector instructions.
fn directions(here: &[u8; SIDE + 2], above: &[u8; SIDE], below: &[u8; SIDE]) -> [[u8; SIDE]; OCTANTS] {
    let mut parts = [[0; SIDE]; OCTANTS];
    for i in 0..SIDE {
        let (left, right, up, down) = (here[i], here[i + 2], above[i], below[i]);
        let (rightward, leftward) = (right.saturating_sub(left), left.saturating_sub(right));
        let (downward, upward) = (down.saturating_sub(up), up.saturating_sub(down));
        let (across, along) = (rightward | leftward, downward | upward);
        parts[0][i] = rightward.saturating_sub(along);
        parts[1][i] = rightward.min(downward);
        parts[2][i] = downward.saturating_sub(across);
        parts[3][i] = leftward.min(downward);
        parts[4][i] = leftward.saturating_sub(along);
        parts[5][i] = leftward.min(upward);
        parts[6][i] = upward.saturating_sub(across);
        parts[7][i] = rightward.min(upward);
    }
    parts
}

/// For each bin v the greatest q with q * q * sum <= 65025 * v; all 0 where the sum is.
fn quantise(bins: &[u32; Descriptor::LEN]) -> Descriptor {
    let sum = bins.iter().sum::<u32>();
    let mut bytes = [0; Descriptor::LEN];
    if sum == 0 {
        return Descriptor(bytes);
    }
    // (65025 v + 1/2) / sum is no integer and at least 1/2 / sum > 2^-24 from any, where rounding errs by less than
    // 2^-35: the truncated root is the integer one.
    let scale = 1.0 / f64::from(sum);
    for (byte, &v) in bytes.iter_mut().zip(bins) {
        *byte = ((65025.0 * f64::from(v) + 0.5) * scale).sqrt() as u8;
    }
    Descriptor(bytes)
}
