//! Features drawn over their image, tracks with their tails.

mod canvas;
mod trails;

pub use trails::Trails;

use crate::frontend::OutputPoint;
use crate::image::GrayImage;
use crate::mask::Mask;
use crate::random::SplitMix64;
use canvas::Canvas;

/// Byte order of a colour pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PixelOrder {
    Rgb,
    Bgr,
}

/// Frames after which a track counts as old: the window over which VINS-Mono colours its tracks.
const OLD: f32 = 20.0;

/// Draws the image in grey, darker and reddish where `mask` excludes features, and every point as a circle, the size of the
/// FAST ring at the point's level.
///
/// With `trails` the points are tracks: coloured by age, blue when new to red from 20 frames on, as VINS-Mono shows
/// them, each with the line that it came along. Without, the hue is a hash of level and whole-pixel position, so that
/// a feature that stays keeps its colour.
///
/// `out` becomes width x height x 3 bytes, rows tight; its allocation is used again. Equal inputs give equal bytes.
pub fn draw(
    image: &GrayImage,
    mask: Option<&Mask>,
    points: &[OutputPoint],
    trails: Option<&Trails>,
    order: PixelOrder,
    out: &mut Vec<u8>,
) {
    let mut canvas = Canvas::over(image, out);
    if let Some(mask) = mask {
        canvas.shade(mask, order);
    }
    for point in points {
        let mut colour = if trails.is_some() { colour_of_age(point.age) } else { colour_of_place(point) };
        if order == PixelOrder::Bgr {
            colour.reverse();
        }
        if let Some(tail) = trails.map(|trails| trails.tail(point.id)) {
            for (&from, &to) in tail.clone().zip(tail.skip(1)) {
                canvas.line(from, to, colour);
            }
        }
        canvas.circle([point.feature.u, point.feature.v], 3 << point.feature.level.min(8), colour);
    }
}

/// r g b.
fn colour_of_age(age: u32) -> [u8; 3] {
    let red = (255.0 * (age as f32 / OLD).min(1.0)) as u8;
    [red, 0, 255 - red]
}

/// A bright colour, r g b, whose hue is a hash.
fn colour_of_place(point: &OutputPoint) -> [u8; 3] {
    let feature = &point.feature;
    let hash = SplitMix64::new(
        (u64::from(feature.level) << 56) ^ (u64::from(feature.half_y as u32) << 28) ^ u64::from(feature.half_x as u32),
    )
    .next();
    let (sector, rise) = ((hash >> 8) % 6, hash as u8);
    let fall = 255 - rise;
    match sector {
        0 => [255, rise, 0],
        1 => [fall, 255, 0],
        2 => [0, 255, rise],
        3 => [0, fall, 255],
        4 => [rise, 0, 255],
        _ => [255, 0, fall],
    }
}
