//! Noise of the sensor: of each pixel in each image, of each row in each image, and of each row in all images.

use crate::random::SplitMix64;

/// A row's share of a pixel's standard deviation is one over this.
const ROW_SHARE: i64 = 4;
/// Kinds of noise, told apart by their seeds.
const FIXED_ROW: u64 = 1;
const ROW: u64 = 2;
const PIXEL: u64 = 3;

/// The noise of one image.
pub(in crate::source::synth) struct Noise {
    pixels: SplitMix64,
    rows: SplitMix64,
    fixed_rows: SplitMix64,
    /// Standard deviation of a pixel, 256ths of a grey level.
    deviation: i64,
    /// Of the current row, 256ths of a grey level.
    row: i64,
}

impl Noise {
    /// The noise of image `k`; `deviation` in grey levels.
    pub fn new(seed: u64, k: usize, deviation: f64) -> Self {
        let stream = |kind: u64, k: u64| {
            let seed = SplitMix64::new(seed ^ (kind << 60)).next();
            SplitMix64::new(SplitMix64::new(seed ^ k).next())
        };
        Self {
            pixels: stream(PIXEL, k as u64),
            rows: stream(ROW, k as u64),
            fixed_rows: stream(FIXED_ROW, 0),
            deviation: (256.0 * deviation + 0.5) as i64,
            row: 0,
        }
    }

    /// To be called before each row, from the top.
    pub fn next_row(&mut self) {
        let both = self.rows.normal() + self.fixed_rows.normal();
        self.row = (both * self.deviation / ROW_SHARE) >> 16;
    }

    /// Of the next pixel of the row, 256ths of a grey level.
    pub fn next_pixel(&mut self) -> i64 {
        self.row + ((self.pixels.normal() * self.deviation) >> 16)
    }
}
