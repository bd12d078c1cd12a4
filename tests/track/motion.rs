//! Pairs of images with a known motion between them, and points in them.

use vio_frontend::detect::pyramid::Pyramid;
use vio_frontend::image::GrayImage;
use vio_frontend::track::{Flow, FlowStart, TrackSettings, plain};

use crate::images::{hash, texture};

/// Two images and the levels above them.
#[derive(Debug)]
pub struct Pair {
    previous: (GrayImage, Pyramid),
    current: (GrayImage, Pyramid),
}

impl Pair {
    pub fn new(previous: GrayImage, current: GrayImage) -> Self {
        let [previous, current] = [previous, current].map(|image| {
            let mut pyramid = Pyramid::default();
            pyramid.build(&image, 3);
            (image, pyramid)
        });
        Self { previous, current }
    }

    pub fn previous(&self) -> Vec<&GrayImage> {
        self.previous.1.levels(&self.previous.0).collect()
    }

    pub fn current(&self) -> Vec<&GrayImage> {
        self.current.1.levels(&self.current.0).collect()
    }

    pub fn track(&self, starts: &[FlowStart], settings: &TrackSettings) -> Vec<Flow> {
        plain::track(&self.previous(), &self.current(), starts, settings)
    }
}

/// Smooth texture seen from (dx, dy) px further on, in quarters of a pixel: the mean of 4 x 4 finer pixels.
pub fn shifted_texture(width: usize, height: usize, seed: u32, (dx, dy): (usize, usize)) -> GrayImage {
    GrayImage::from_fn(width, height, |x, y| {
        let fine = (0..16).map(|k| u32::from(texture(4 * x + dx + k % 4, 4 * y + dy + k / 4, seed)));
        ((fine.sum::<u32>() + 8) / 16) as u8
    })
}

/// A point anywhere in an image or a little outside, with a guess beside it.
pub fn start(width: usize, height: usize, k: usize, seed: u32) -> FlowStart {
    let unit = |purpose: usize| {
        let [a, b] = [0, 1].map(|i| f32::from(hash(k, 2 * purpose + i, seed)));
        (a * 256.0 + b) / 65536.0
    };
    let from = [unit(0) * (width as f32 + 4.0) - 2.0, unit(1) * (height as f32 + 4.0) - 2.0];
    let reach = if hash(k, 8, seed) < 128 { 0.0 } else { 8.0 };
    let guess = [from[0] + reach * (unit(2) - 0.5), from[1] + reach * (unit(3) - 0.5)];
    FlowStart { from, guess, trusted: hash(k, 9, seed) < 100 }
}

/// All that leaves a track, as bits.
pub fn bits(flow: &Flow) -> [u32; 6] {
    let [u, v] = flow.position;
    let floats = [u, v, flow.residual, flow.min_eigenvalue, flow.backward_error].map(f32::to_bits);
    [floats[0], floats[1], floats[2], floats[3], floats[4], flow.status as u32]
}
