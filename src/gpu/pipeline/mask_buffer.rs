//! The mask on the device. Most masks stay as they are for many frames, and others change in a few rows: comparing is
//! cheaper than writing.

#![allow(unsafe_code, reason = "queues copies")]

use super::shared::{Alternating, Reach, Shared};
use crate::gpu::abi::DevicePointer;
use crate::gpu::context::Stream;
use crate::gpu::error::GpuError;
use crate::mask::Mask;

/// Masks of one size.
#[derive(Debug)]
pub(super) struct MaskBuffer {
    size: [usize; 2],
    memory: Shared,
    /// What each slot holds, or the first one what the device does; empty for nothing yet.
    held: Alternating<Vec<u8>>,
}

impl MaskBuffer {
    /// For `width` x `height` pixels.
    pub(super) fn new(stream: &Stream, width: usize, height: usize, reach: Reach) -> Result<Self, GpuError> {
        let memory = Shared::new(stream, width * height, reach)?;
        let held = Alternating::new(|| Ok(Vec::with_capacity(width * height)))?;
        Ok(Self { size: [width, height], memory, held })
    }

    /// Has kernels of `frame` that are queued after it find `mask`, and yields where.
    ///
    /// Errors: a mask of another size.
    ///
    /// # Safety
    /// `self` lives until the work of `stream` is done, and what was queued for the frame before the last is.
    pub(super) unsafe fn hold(&mut self, frame: u64, mask: &Mask, stream: &Stream) -> Result<DevicePointer, GpuError> {
        let [width, height] = self.size;
        if [mask.width(), mask.height()] != self.size {
            return Err(GpuError::Range { bytes: width * height, offset: 0, wanted: mask.bytes().len() });
        }
        let has_twin = self.memory.has_twin();
        let held = self.held.of_mut(if has_twin { 0 } else { frame });
        if has_twin || held.is_empty() {
            if held != mask.bytes() {
                // The slot holds what it did two frames ago, or nothing.
                held.clear();
                self.memory.host_mut(frame).write(0, mask.bytes())?;
                // SAFETY: passed on to the caller; the slot is written by its next frame alone.
                unsafe { self.memory.upload(frame, width * height, stream)? };
                held.extend_from_slice(mask.bytes());
            }
            return Ok(self.memory.address(frame));
        }
        let memory = self.memory.host_mut(frame);
        let rows = held.chunks_exact_mut(width.max(1)).zip(mask.bytes().chunks_exact(width.max(1)));
        for (row, (held, new)) in rows.enumerate().filter(|(_, (held, new))| held != new) {
            memory.write(row * width, new)?;
            held.copy_from_slice(new);
        }
        Ok(self.memory.address(frame))
    }
}
