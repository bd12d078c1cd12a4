//! True tracks: points of the surfaces, followed from image to image without error.

use std::collections::HashSet;

use nalgebra::Vector3;

use super::{SurfacePoint, Synth};

/// Cell of the grid that is kept populated, px.
const CELL: u32 = 20;

/// A followed point in one image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Track {
    /// Counts up from 0; the same point keeps it as long as it is seen.
    pub id: u64,
    /// Column and row, px.
    pub pixel: [f64; 2],
    /// In this image, world, m.
    pub point: Vector3<f64>,
    /// What it is fixed to.
    pub on: SurfacePoint,
}

/// Follows one point for each cell of 20 x 20 pixels through consecutive images.
#[derive(Clone, Debug, Default)]
pub struct Tracks {
    live: Vec<Track>,
    next_id: u64,
}

impl Tracks {
    /// The tracks in image `k`, ids ascending: those of the call before that are still seen, of several in one cell
    /// the oldest, and a new one at the middle of each empty cell.
    pub fn advance(&mut self, synth: &Synth, k: usize) -> &[Track] {
        let mut taken = HashSet::new();
        let seen = |track: Track| {
            let pixel = synth.sight(k, &track.on).pixel()?;
            Some(Track { pixel, point: synth.position(k, &track.on), ..track })
        };
        let live: Vec<Track> = self.live.iter().copied().filter_map(seen).collect();
        self.live = live.into_iter().filter(|track| taken.insert(cell(track.pixel))).collect();
        let [width, height] = synth.camera().image_size().unwrap_or_default();
        for y in (CELL / 2..height).step_by(CELL as usize) {
            for x in (CELL / 2..width).step_by(CELL as usize) {
                let pixel = [f64::from(x), f64::from(y)];
                if !taken.contains(&cell(pixel))
                    && let Some(on) = synth.surface_point(k, pixel)
                {
                    self.live.push(Track { id: self.next_id, pixel, point: synth.position(k, &on), on });
                    self.next_id += 1;
                }
            }
        }
        &self.live
    }
}

fn cell(pixel: [f64; 2]) -> [u32; 2] {
    pixel.map(|c| c as u32 / CELL)
}
