//! Memory that the host and kernels share, in two slots: frames take turns.
//!
//! A kernel that is late, or whose frame was given up, so never writes what the host reads for the next frame, nor reads
//! what the host writes for it; and what a frame left stays until the frame after the next takes its slot.
#![allow(unsafe_code, reason = "queues copies")]

use bytemuck::Pod;

use crate::gpu::abi::DevicePointer;
use crate::gpu::context::Stream;
use crate::gpu::error::GpuError;
use crate::gpu::memory::{DeviceBuffer, MappedBuffer};
use crate::image::PageMemory;

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

/// Host memory in two slots, mapped or copied.
#[derive(Debug)]
pub(super) struct Shared {
    slots: Alternating<MappedBuffer>,
    /// Where kernels find it, if they do not reach into host memory. One will do: launches and copies of a stream follow
    /// each other.
    twin: Option<DeviceBuffer>,
}

/// What kernels reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Host memory; with combined writes as in [`MappedBuffer::new`].
    Host { write_combined: bool },
    /// Memory of the device, to and from which the host's is copied.
    Device,
}

impl Shared {
    /// Slots of `bytes` bytes.
    pub(super) fn new(stream: &Stream, bytes: usize, reach: Reach) -> Result<Self, GpuError> {
        let context = stream.context();
        let combine = reach == Reach::Host { write_combined: true };
        let slots = Alternating::new(|| MappedBuffer::new(context, bytes, combine))?;
        let twin = match reach {
            Reach::Host { .. } => None,
            // Results are copied whole, also where kernels wrote nothing.
            Reach::Device => Some(DeviceBuffer::zeroed(stream, bytes)?),
        };
        Ok(Self { slots, twin })
    }

    /// The same for one `value`, which each slot holds at first.
    pub(super) fn holding<T: Pod>(stream: &Stream, value: T, reach: Reach) -> Result<Self, GpuError> {
        let mut shared = Self::new(stream, size_of::<T>(), reach)?;
        for frame in 0..2 {
            shared.host_mut(frame).write(0, &[value])?;
        }
        Ok(shared)
    }

    /// Where kernels of `frame` find it.
    pub(super) fn address(&self, frame: u64) -> DevicePointer {
        self.twin.as_ref().map_or_else(|| self.slots.of(frame).address(), DeviceBuffer::address)
    }

    /// Whether kernels find the same memory in every frame.
    pub(super) fn has_twin(&self) -> bool {
        self.twin.is_some()
    }

    pub(super) fn host(&self, frame: u64) -> &MappedBuffer {
        self.slots.of(frame)
    }

    pub(super) fn host_mut(&mut self, frame: u64) -> &mut MappedBuffer {
        self.slots.of_mut(frame)
    }

    /// Has kernels that are queued after it see the first `bytes` bytes that the host wrote for `frame`.
    ///
    /// # Safety
    /// `self` lives, and the slot of `frame` is not written, until the work of `stream` is done.
    pub(super) unsafe fn upload(&self, frame: u64, bytes: usize, stream: &Stream) -> Result<(), GpuError> {
        match &self.twin {
            // SAFETY: passed on to the caller.
            Some(twin) => unsafe { self.slots.of(frame).copy_to(twin, bytes, stream) },
            None => Ok(()),
        }
    }

    /// Has kernels that are queued after it see the first `bytes` bytes of `pages`, which they reach at `address`, in
    /// place of what is here; yields where.
    ///
    /// # Safety
    /// As for [`Shared::upload`]; `pages` live, are not written and stay locked as long.
    pub(super) unsafe fn upload_from(
        &self,
        pages: &PageMemory,
        address: DevicePointer,
        bytes: usize,
        stream: &Stream,
    ) -> Result<DevicePointer, GpuError> {
        let Some(twin) = &self.twin else { return Ok(address) };
        let pages = pages.bytes().get(..bytes).unwrap_or_default();
        // SAFETY: passed on to the caller.
        unsafe { twin.write_later(pages, stream)? };
        Ok(twin.address())
    }

    /// Has the host see the first `bytes` bytes that kernels queued before it write for `frame`.
    ///
    /// # Safety
    /// `self` lives until the work of `stream` is done.
    pub(super) unsafe fn download(&self, frame: u64, bytes: usize, stream: &Stream) -> Result<(), GpuError> {
        match &self.twin {
            // SAFETY: passed on to the caller.
            Some(twin) => unsafe { self.slots.of(frame).copy_from(twin, bytes, stream) },
            None => Ok(()),
        }
    }
}
