//! C1, C2: the FAST threshold of each tile from the median gradient around it.
//!
//! The median is that of the *current* frame, so that a jump of light is absorbed at once.

use super::{DetectSettings, Gain};
use crate::image::GrayImage;

/// Side of a tile, level-0 pixels.
pub const TILE: usize = 32;
/// How far around a tile its gradients are sampled, level-0 pixels.
const DILATION: usize = 8;
/// Gradients are sampled at every second column and row.
const STRIDE: usize = 2;

/// Medians and thresholds of all tiles, row-major.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tiles {
    pub columns: usize,
    /// Median gradient, grey levels (C1).
    pub medians: Vec<u8>,
    /// FAST threshold t, grey levels (C2).
    pub thresholds: Vec<u8>,
    /// Gradients at even (x, y), row-major; sample (0, 0) is pixel (2, 2).
    gradients: Vec<u8>,
}

impl Tiles {
    /// Measures the medians of `image` and derives the thresholds.
    pub fn measure(&mut self, image: &GrayImage, settings: &DetectSettings, gain: Gain) {
        self.measure_medians(image);
        self.thresholds.clear();
        self.thresholds.extend(self.medians.iter().map(|&median| threshold(median, settings, gain)));
    }

    /// The threshold at level-0 pixel (x, y).
    pub fn threshold_at(&self, x: usize, y: usize) -> u8 {
        self.thresholds[y / TILE * self.columns + x / TILE]
    }

    fn measure_medians(&mut self, image: &GrayImage) {
        let (width, height) = (image.width(), image.height());
        let samples_across = samples(0, usize::MAX, width).len();
        self.sample_gradients(image);
        self.columns = width.div_ceil(TILE);
        self.medians.clear();
        for tile_y in 0..height.div_ceil(TILE) {
            let rows = dilated(tile_y, height);
            for tile_x in 0..self.columns {
                let columns = dilated(tile_x, width);
                let mut histogram = [0_u32; 256];
                for y in rows.clone() {
                    for &gradient in &self.gradients[y * samples_across..][columns.clone()] {
                        histogram[usize::from(gradient)] += 1;
                    }
                }
                self.medians.push(median(&histogram, (rows.len() * columns.len()) as u32));
            }
        }
    }

    /// g = (|I(x+1) - I(x-1)| + |I(y+1) - I(y-1)|) >> 1 at even x and y with 1 <= x <= W - 2, likewise y.
    fn sample_gradients(&mut self, image: &GrayImage) {
        self.gradients.clear();
        for y in (STRIDE..image.height().saturating_sub(1)).step_by(STRIDE) {
            let [above, here, below] = [y - 1, y, y + 1].map(|y| image.row(y));
            // The first of these is pixel 1.
            let around = here.windows(3).zip(&above[1..]).zip(&below[1..]);
            self.gradients.extend(around.skip(1).step_by(STRIDE).map(|((row, &above), &below)| {
                let across = u16::from(row[0].abs_diff(row[2]));
                let down = u16::from(above.abs_diff(below));
                ((across + down) >> 1) as u8
            }));
        }
    }
}

/// Indices of the samples among even pixels with `first <= pixel < end`, inside 1 ..= size - 2.
fn samples(first: usize, end: usize, size: usize) -> std::ops::Range<usize> {
    let index = |pixel: usize| pixel.div_ceil(STRIDE) - 1;
    index(first.max(STRIDE))..index(end.min(size.saturating_sub(1)).max(STRIDE))
}

/// Samples of a dilated tile along one axis.
fn dilated(tile: usize, size: usize) -> std::ops::Range<usize> {
    samples((tile * TILE).saturating_sub(DILATION), (tile + 1) * TILE + DILATION, size)
}

/// Least v with 2 * cumulative(v) >= n.
fn median(histogram: &[u32; 256], n: u32) -> u8 {
    let mut cumulative = 0;
    for (value, count) in (0..=u8::MAX).zip(histogram) {
        cumulative += count;
        if 2 * cumulative >= n {
            return value;
        }
    }
    u8::MAX
}

/// t = (Tq8 + 128) >> 8 with Tq8 = clamp((ratio_q8 * median * gain_q16) >> 16, tmin << 8, tmax << 8).
pub fn threshold(median: u8, settings: &DetectSettings, gain: Gain) -> u8 {
    let scaled = (u64::from(settings.ratio_q8) * u64::from(median) * u64::from(gain.0)) >> 16;
    let least = u64::from(settings.threshold_min) << 8;
    let greatest = u64::from(settings.threshold_max) << 8;
    ((scaled.max(least).min(greatest) + 128) >> 8) as u8
}
