//! The pyramids of the last two images, which tracking reads and detection writes.

use super::shared::Alternating;
use crate::detect::MAX_LEVELS;
use crate::gpu::abi::DevicePointer;
use crate::gpu::context::Stream;
use crate::gpu::error::GpuError;
use crate::gpu::memory::DeviceBuffer;
use crate::gpu::plan::{DetectPlan, pyramid_bytes, pyramid_levels};

/// Both have room for all levels, so that a level's place depends on the size alone.
#[derive(Debug)]
pub(super) struct Pyramids {
    size: [u32; 2],
    buffers: Alternating<DeviceBuffer>,
    /// Levels that are, or will be, in each; 0 for none.
    levels: Alternating<u32>,
}

impl Pyramids {
    /// Of zeros: kernels read whole words, and so what is beside the levels as well.
    pub(super) fn new(stream: &Stream, plan: &DetectPlan) -> Result<Self, GpuError> {
        let bytes = pyramid_bytes(&pyramid_levels(plan.width, plan.height, MAX_LEVELS as u32));
        let buffers = Alternating::new(|| DeviceBuffer::zeroed(stream, bytes))?;
        Ok(Self { size: [plan.width, plan.height], buffers, levels: Alternating::new(|| Ok(0))? })
    }

    pub(super) fn size(&self) -> [u32; 2] {
        self.size
    }

    /// The detection of `frame` is queued and writes `levels`; 0: what its pyramid holds is nobody's.
    pub(super) fn hold(&mut self, frame: u64, levels: u32) {
        *self.levels.of_mut(frame) = levels;
    }

    pub(super) fn of(&self, frame: u64) -> DevicePointer {
        self.buffers.of(frame).address()
    }

    /// Levels that `frame` and the one before have both.
    pub(super) fn common_levels(&self, frame: u64) -> u32 {
        let [one, other] = [frame, before(frame)].map(|frame| *self.levels.of(frame));
        one.min(other)
    }
}

/// The frame before.
pub(super) fn before(frame: u64) -> u64 {
    frame.wrapping_sub(1)
}
