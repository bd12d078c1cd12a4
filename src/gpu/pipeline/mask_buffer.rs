//! The mask on the device. Most masks stay as they are for many frames: comparing is cheaper than writing.

use std::sync::Arc;

use super::shared::{Alternating, Shared};
use crate::gpu::abi::DevicePointer;
use crate::gpu::context::Context;
use crate::gpu::error::GpuError;
use crate::mask::Mask;

/// Masks of one size.
#[derive(Debug)]
pub(super) struct MaskBuffer {
    size: [usize; 2],
    memory: Shared,
    /// What each slot holds; empty for nothing yet.
    held: Alternating<Vec<u8>>,
}

impl MaskBuffer {
    /// For `width` x `height` pixels.
    pub(super) fn new(
        context: &Arc<Context>,
        width: usize,
        height: usize,
        write_combined: bool,
    ) -> Result<Self, GpuError> {
        let memory = Shared::new(context, width * height, write_combined)?;
        let held = Alternating::new(|| Ok(Vec::with_capacity(width * height)))?;
        Ok(Self { size: [width, height], memory, held })
    }

    /// Has the slot of `frame` hold `mask`, and yields its address.
    ///
    /// Errors: a mask of another size.
    pub(super) fn hold(&mut self, frame: u64, mask: &Mask) -> Result<DevicePointer, GpuError> {
        let [width, height] = self.size;
        if [mask.width(), mask.height()] != self.size {
            return Err(GpuError::Range { bytes: width * height, offset: 0, wanted: mask.bytes().len() });
        }
        let held = self.held.of_mut(frame);
        if held != mask.bytes() {
            self.memory.host_mut(frame).write(0, mask.bytes())?;
            held.clear();
            held.extend_from_slice(mask.bytes());
        }
        Ok(self.memory.address(frame))
    }
}
