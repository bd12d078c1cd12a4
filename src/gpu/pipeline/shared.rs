//! Memory that the host and kernels share, in two slots: frames take turns.
//!
//! A kernel that is late, or whose frame was given up, so never writes what the host reads for the next frame, nor reads
//! what the host writes for it; and what a frame left stays until the frame after the next takes its slot.

use std::sync::Arc;

use bytemuck::Pod;

use crate::gpu::abi::DevicePointer;
use crate::gpu::context::Context;
use crate::gpu::error::GpuError;
use crate::gpu::memory::MappedBuffer;

/// Two of something: one for frames of an even number, one for the others.
#[derive(Debug)]
pub(super) struct Alternating<T>([T; 2]);

impl<T> Alternating<T> {
    /// Both from `make`.
    pub(super) fn new(mut make: impl FnMut() -> Result<T, GpuError>) -> Result<Self, GpuError> {
        Ok(Self([make()?, make()?]))
    }

    pub(super) fn of(&self, frame: u64) -> &T {
        let [even, odd] = &self.0;
        if frame.is_multiple_of(2) { even } else { odd }
    }

    pub(super) fn of_mut(&mut self, frame: u64) -> &mut T {
        let [even, odd] = &mut self.0;
        if frame.is_multiple_of(2) { even } else { odd }
    }
}

/// Mapped memory of two slots.
#[derive(Debug)]
pub(super) struct Shared(Alternating<MappedBuffer>);

impl Shared {
    /// Slots of `bytes` bytes, all 0. `write_combined` as in [`MappedBuffer::new`].
    pub(super) fn new(context: &Arc<Context>, bytes: usize, write_combined: bool) -> Result<Self, GpuError> {
        Ok(Self(Alternating::new(|| MappedBuffer::new(context, bytes, write_combined))?))
    }

    /// The same, each slot beginning with `value`.
    pub(super) fn holding<T: Pod>(context: &Arc<Context>, value: T) -> Result<Self, GpuError> {
        let make = || {
            let mut slot = MappedBuffer::new(context, size_of::<T>(), false)?;
            slot.write(0, &[value])?;
            Ok(slot)
        };
        Ok(Self(Alternating::new(make)?))
    }

    /// Where kernels of `frame` find it.
    pub(super) fn address(&self, frame: u64) -> DevicePointer {
        self.0.of(frame).address()
    }

    pub(super) fn host(&self, frame: u64) -> &MappedBuffer {
        self.0.of(frame)
    }

    pub(super) fn host_mut(&mut self, frame: u64) -> &mut MappedBuffer {
        self.0.of_mut(frame)
    }
}
