//! C9: sub-pixel position, one Newton step to the maximum of S from a corner's pixel.

use super::Candidate;
use super::response::ResponseMap;
use crate::feature::Feature;

/// The feature that a candidate becomes; `response` is that of its level, before any sum of C6.
pub fn refine(candidate: &Candidate, response: &ResponseMap) -> Feature {
    let corner = &candidate.corner;
    let (x, y) = corner.level_pixel();
    let [off_x, off_y] = offset(response, x, y);
    Feature {
        u: position(x, off_x, corner.level),
        v: position(y, off_y, corner.level),
        half_x: corner.half_x,
        half_y: corner.half_y,
        level: corner.level,
        class: candidate.class,
        threshold: candidate.threshold,
        score: corner.score,
    }
}

/// -H^-1 g with gradient g and Hessian H of S by central differences over 3 x 3 pixels, within +-0.5 along each axis;
/// none where H is not negative definite. Both are whole numbers until the division: g halved, H's mixed term quartered.
fn offset(response: &ResponseMap, x: usize, y: usize) -> [f32; 2] {
    let [above, here, below] = [y - 1, y, y + 1].map(|y| &response.row(y)[x - 1..x + 2]);
    let s = |row: &[u16], i: usize| i32::from(row[i]);
    let gx = s(here, 2) - s(here, 0);
    let gy = s(below, 1) - s(above, 1);
    let hxx = s(here, 2) + s(here, 0) - 2 * s(here, 1);
    let hyy = s(below, 1) + s(above, 1) - 2 * s(here, 1);
    let hxy = s(below, 2) + s(above, 0) - s(above, 2) - s(below, 0);
    let determinant = 16 * hxx * hyy - hxy * hxy;
    if determinant <= 0 || hxx >= 0 {
        return [0.0; 2];
    }
    [2 * hxy * gy - 8 * hyy * gx, 2 * hxy * gx - 8 * hxx * gy].map(|step| {
        let offset = step as f32 / determinant as f32;
        let offset = if offset < -0.5 { -0.5 } else { offset };
        if 0.5 < offset { 0.5 } else { offset }
    })
}

/// u = ((x + off) + 0.5) * 2^l - 0.5, in that order.
fn position(x: usize, offset: f32, level: u8) -> f32 {
    ((x as f32 + offset) + 0.5) * (1_u32 << level) as f32 - 0.5
}
