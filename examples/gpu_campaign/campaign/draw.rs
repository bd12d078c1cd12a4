//! Frames and settings drawn by number: the same on every machine, each to be had again by its number.

use vio_frontend::detect::DetectSettings;
use vio_frontend::gpu::pipeline::{ImageTransfer, ResultTransfer, Transfers};
use vio_frontend::image::Encoding;
use vio_frontend::mask::Mask;
use vio_frontend::track::{FlowStart, TrackSettings};

use crate::images::{Kind, hash};
use crate::motion::start;

/// Numbers of one case.
#[derive(Clone, Copy, Debug)]
pub struct Draw(pub usize);

impl Draw {
    /// A number below `count`, for a purpose.
    pub fn below(self, purpose: usize, count: usize) -> usize {
        let bytes = [0, 1, 2].map(|k| usize::from(hash(self.0, 3 * purpose + k, 11)));
        (bytes[0] << 16 | bytes[1] << 8 | bytes[2]) % count.max(1)
    }

    /// One of these.
    pub fn of<T: Clone>(self, purpose: usize, choices: &[T]) -> T {
        choices[self.below(purpose, choices.len())].clone()
    }

    /// Sides of up to `most` px; every other width is that of the greatest.
    pub fn size(self, most: (usize, usize)) -> (usize, usize) {
        let width = if self.below(0, 2) == 0 { most.0 } else { 32 + self.below(1, most.0 - 31) };
        (width, 32 + self.below(2, most.1 - 31))
    }

    pub fn kind(self) -> Kind {
        let kinds = [Kind::Noise, Kind::CoarseNoise, Kind::Texture, Kind::Texture, Kind::Blocks];
        match self.below(3, 6) {
            5 => Kind::Checkerboard(1 + self.below(4, 11)),
            k => kinds[k],
        }
    }

    /// A message's encoding and byte order.
    pub fn encoding(self) -> (&'static str, bool) {
        let names = Encoding::names();
        // Grey as often as all others together.
        let name = if self.below(5, 2) == 0 { "mono8" } else { self.of(6, &names) };
        (name, self.below(7, 2) == 0)
    }

    pub fn mask(self, width: usize, height: usize) -> Option<Mask> {
        let (cell, share) = (2 + self.below(9, 40), self.below(10, 256));
        (self.below(8, 2) == 1).then(|| {
            let mut mask = Mask::all(width, height);
            mask.exclude_where(|x, y| usize::from(hash(x / cell, y / cell, self.0 as u32)) < share);
            mask
        })
    }

    /// `offered`: of class 0, in the frame before.
    pub fn detect(self, offered: u32) -> DetectSettings {
        let (a, b) = (1 + self.below(11, 40) as u8, 1 + self.below(12, 254) as u8);
        let any = [1 + self.below(13, 300), 1 + self.below(13, 5000), 1 + self.below(13, 65535)][self.below(14, 3)];
        // Just enough of class 0 for the target, and some of class 1 in the pool.
        let enough = (offered as usize * (70 + self.below(37, 30)) / 100).clamp(1, 65535);
        DetectSettings {
            target: if offered > 0 && self.below(36, 3) == 0 { enough } else { any } as u32,
            threshold_min: a.min(b),
            threshold_max: a.max(b),
            // The default, at which the threshold does not adapt, and some of every size: the greatest end at the bounds.
            ratio_q8: [0, self.below(16, 512), self.below(16, 4096), self.below(16, 1 << 14)][self.below(15, 4)] as u32,
            grid_x: 1 + self.below(17, 40) as u32,
            grid_y: 1 + self.below(18, 40) as u32,
            levels: 1 + self.below(19, 3) as u32,
            describe: self.below(20, 2) == 1,
        }
    }

    pub fn track(self) -> TrackSettings {
        TrackSettings {
            window: 5 + 2 * self.below(21, 14) as u32,
            levels: 1 + self.below(22, 3) as u32,
            max_iter: self.of(23, &[0, 1, 5, 12, 30]),
            eps: self.of(24, &[0.0, 0.01, 0.03, 1.0]),
            min_eigenvalue: self.of(25, &[0.0, 1e-4, 1e-4, 1e-2]),
            max_residual: self.of(26, &[f32::MAX, f32::MAX, 20.0, 2.0]),
            max_backward_error: self.of(27, &[None, Some(0.5), Some(0.5), Some(0.0)]),
            refine_window: self.of(28, &[0, 5, 11, 13, 21, 31]),
            illumination: self.below(29, 2) == 1,
        }
    }

    /// Some of the features where they were, with and without a guess beside them, and points that are anywhere.
    pub fn starts(self, features: &[[f32; 2]], (width, height): (usize, usize), count: usize) -> Vec<FlowStart> {
        let every = (features.len() / count.max(1)).max(1);
        let mut starts: Vec<FlowStart> = features.iter().step_by(every).map(|&at| FlowStart::resting(at)).collect();
        for (k, start) in starts.iter_mut().enumerate() {
            let here = Draw(self.0.wrapping_mul(8191).wrapping_add(k));
            if here.below(30, 2) == 1 {
                let along = |purpose| here.below(purpose, 4096) as f32 / 256.0 - 8.0;
                let [u, v] = start.from;
                start.guess = [u + along(31), v + along(32)];
                start.trusted = here.below(33, 2) == 1;
            }
        }
        starts.extend((0..count / 4).map(|k| start(width, height, k, self.0 as u32)));
        starts
    }

    /// Any of the ways of images and results.
    pub fn transfers(self) -> Transfers {
        Transfers {
            image: self.of(34, &[ImageTransfer::WriteCombined, ImageTransfer::Mapped, ImageTransfer::Copied]),
            results: self
                .of(35, &[ResultTransfer::MappedCopied, ResultTransfer::MappedInPlace, ResultTransfer::Copied]),
        }
    }
}
