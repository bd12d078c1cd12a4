//! What the track table needs from the parameters.

use crate::params::Params;

/// How many tracks, how dense, how long a lost one is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TracksSettings {
    /// Most tracks alive (`max_cnt`).
    pub most: usize,
    /// Least distance of a new track from the others, level-0 px.
    pub min_dist: f32,
    /// Columns and rows of the grid in which tracks are kept even.
    pub grid: [u32; 2],
    /// Frames in which a lost track is looked for after that of its loss; 0 never looks.
    pub reacquire_frames: u32,
}

impl From<&Params> for TracksSettings {
    fn from(params: &Params) -> Self {
        Self {
            most: params.max_cnt as usize,
            min_dist: params.min_dist as f32,
            grid: [params.grid_x.max(1), params.grid_y.max(1)],
            reacquire_frames: params.reacquire_frames,
        }
    }
}
