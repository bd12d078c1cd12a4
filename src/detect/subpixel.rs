//! C9: sub-pixel position, the vertex of a parabola through S at a corner and its two neighbours, per axis.

use super::Candidate;
use super::response::ResponseMap;
use crate::feature::Feature;

/// The feature that a candidate becomes; `response` is that of its level, before any sum of C6.
pub fn refine(candidate: &Candidate, response: &ResponseMap) -> Feature {
    let corner = &candidate.corner;
    let (x, y) = corner.level_pixel();
    let s = |x: usize, y: usize| i32::from(response.at(x, y));
    let here = s(x, y);
    Feature {
        u: position(x, offset(s(x - 1, y), here, s(x + 1, y)), corner.level),
        v: position(y, offset(s(x, y - 1), here, s(x, y + 1)), corner.level),
        half_x: corner.half_x,
        half_y: corner.half_y,
        level: corner.level,
        class: candidate.class,
        threshold: candidate.threshold,
        score: corner.score,
    }
}

/// off = (S+ - S-) / (2 * (2 * S0 - S+ - S-)), within +-0.5; 0 where the denominator is not positive.
fn offset(before: i32, here: i32, after: i32) -> f32 {
    let denominator = 2 * (2 * here - after - before);
    if denominator <= 0 {
        return 0.0;
    }
    let offset = (after - before) as f32 / denominator as f32;
    let offset = if offset < -0.5 { -0.5 } else { offset };
    if 0.5 < offset { 0.5 } else { offset }
}

/// u = ((x + off) + 0.5) * 2^l - 0.5, in that order.
fn position(x: usize, offset: f32, level: u8) -> f32 {
    ((x as f32 + offset) + 0.5) * (1_u32 << level) as f32 - 0.5
}
