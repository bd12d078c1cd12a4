//! The pyramids of the last two images, which tracking reads and detection writes.

use std::sync::Arc;

use crate::detect::MAX_LEVELS;
use crate::gpu::abi::DevicePointer;
use crate::gpu::context::Context;
use crate::gpu::error::GpuError;
use crate::gpu::memory::DeviceBuffer;
use crate::gpu::plan::{DetectPlan, pyramid_bytes, pyramid_levels};

/// Both have room for all levels, so that a level's place depends on the size alone.
#[derive(Debug)]
pub(super) struct Pyramids {
    size: [u32; 2],
    buffers: [DeviceBuffer; 2],
    /// Levels that are, or will be, in each; 0 for none.
    levels: [u32; 2],
}

impl Pyramids {
    pub(super) fn new(context: &Arc<Context>, plan: &DetectPlan) -> Result<Self, GpuError> {
        let bytes = pyramid_bytes(&pyramid_levels(plan.width, plan.height, MAX_LEVELS as u32));
        let buffers = [DeviceBuffer::new(context, bytes)?, DeviceBuffer::new(context, bytes)?];
        Ok(Self { size: [plan.width, plan.height], buffers, levels: [plan.settings.levels, 0] })
    }

    pub(super) fn size(&self) -> [u32; 2] {
        self.size
    }

    /// The next image, of `levels`, takes the place of the one before the last.
    pub(super) fn swap(&mut self, levels: u32) {
        let [current, previous] = &mut self.buffers;
        std::mem::swap(current, previous);
        self.levels = [levels, self.levels[0]];
    }

    pub(super) fn current(&self) -> DevicePointer {
        self.buffers[0].address()
    }

    /// `None` before the second image.
    pub(super) fn previous(&self) -> Option<DevicePointer> {
        (self.levels[1] > 0).then(|| self.buffers[1].address())
    }

    pub(super) fn common_levels(&self) -> u32 {
        self.levels[0].min(self.levels[1])
    }
}
