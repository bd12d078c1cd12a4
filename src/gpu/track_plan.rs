//! What one launch of `track` needs for an image size and settings: buffers and arguments.

use std::mem::offset_of;

use super::abi::{TrackArgs, TrackHeader, TrackRecord, TrackStart};
use super::plan::{Buffer, level_pitch};
use crate::detect::MAX_LEVELS;
use crate::track::{Flow, FlowStart, FlowStatus, TrackSettings};

/// Sizes that the buffers follow from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackPlan {
    pub width: u32,
    pub height: u32,
    /// Levels of the pyramids.
    pub levels: u32,
    /// Most points of a launch.
    pub capacity: u32,
    pub settings: TrackSettings,
}

impl TrackPlan {
    /// Every buffer. Of the host: starts, flows and header; the pyramids are those that `detect` writes.
    pub fn buffers(&self) -> Vec<Buffer> {
        let (mut width, mut height, mut pixels) = (self.width as usize, self.height as usize, 0);
        for _ in 0..(self.levels as usize).clamp(1, MAX_LEVELS) {
            pixels += level_pitch(width) * height;
            (width, height) = (width / 2, height / 2);
        }
        let capacity = self.capacity as usize;
        macro_rules! buffer {
            ($field:ident, $bytes:expr, $host:expr) => {
                Buffer { field: stringify!($field), offset: offset_of!(TrackArgs, $field), bytes: $bytes, host: $host }
            };
        }
        vec![
            buffer!(previous, pixels, false),
            buffer!(current, pixels, false),
            buffer!(starts, capacity * size_of::<TrackStart>(), true),
            buffer!(flows, capacity * size_of::<TrackRecord>(), true),
            buffer!(header, size_of::<TrackHeader>(), true),
            buffer!(arrivals, size_of::<u32>(), false),
        ]
    }

    /// The arguments for `count` points, at most the capacity; all pointers still 0.
    pub fn arguments(&self, count: u32, frame: u64) -> TrackArgs {
        let settings = &self.settings;
        TrackArgs {
            frame,
            width: self.width,
            height: self.height,
            levels: settings.levels_of(self.levels as usize) as u32,
            count: count.min(self.capacity),
            radius: settings.radius() as u32,
            max_iter: settings.max_iter,
            eps: settings.eps,
            min_eigenvalue: settings.min_eigenvalue,
            max_residual: settings.max_residual,
            max_backward_error: settings.max_backward_error.unwrap_or(-1.0),
            illumination: settings.illumination.into(),
            ..bytemuck::Zeroable::zeroed()
        }
    }
}

impl From<&FlowStart> for TrackStart {
    fn from(start: &FlowStart) -> Self {
        let ([u, v], [guess_u, guess_v]) = (start.from, start.guess);
        Self { u, v, guess_u, guess_v, trusted: start.trusted.into(), reserved: 0 }
    }
}

impl TrackRecord {
    /// What it says; `None` if its status is none, as in memory that no launch wrote.
    pub fn flow(&self) -> Option<Flow> {
        Some(Flow {
            position: [self.u, self.v],
            status: *FlowStatus::ALL.get(self.status as usize)?,
            residual: self.residual,
            min_eigenvalue: self.min_eigenvalue,
            backward_error: self.backward_error,
        })
    }
}
