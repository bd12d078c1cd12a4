//! What one launch of `track` needs for an image size and settings: buffers and arguments.

use super::abi::{TrackArgs, TrackHeader, TrackRecord, TrackStart};
use super::plan::{Buffer, buffer, pyramid_bytes, pyramid_levels};
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
        let pixels = pyramid_bytes(&pyramid_levels(self.width, self.height, self.levels));
        let capacity = self.capacity as usize;
        vec![
            buffer!(TrackArgs.previous, pixels, false),
            buffer!(TrackArgs.current, pixels, false),
            buffer!(TrackArgs.starts, capacity * size_of::<TrackStart>(), true),
            buffer!(TrackArgs.flows, capacity * size_of::<TrackRecord>(), true),
            buffer!(TrackArgs.header, size_of::<TrackHeader>(), true),
            buffer!(TrackArgs.arrivals, size_of::<u32>(), false),
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
            max_backward_error: settings.backward_limit().unwrap_or(-1.0),
            illumination: settings.illumination.into(),
            refine_radius: settings.refine_radius().unwrap_or(0) as u32,
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
