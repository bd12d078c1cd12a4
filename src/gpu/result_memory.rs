//! Memory that kernels write results to, and that is then handed out as it is.
//!
//! Ordinary memory, locked for the device ([`super::registered`]): so it outlives the context, however long somebody
//! holds a result. A kernel may write to it at any time until it is said to lie still; before that there is no reference
//! into it.
#![allow(unsafe_code, reason = "reads memory that a device writes")]

use std::sync::Arc;

use bytemuck::AnyBitPattern;

use super::abi::DevicePointer;
use super::context::{Context, Stream};
use super::error::GpuError;
use super::memory::{DeviceBuffer, range};
use super::registered::Registration;
use crate::image::Attachment;
use crate::pages::{Page, Pages};
use crate::results::DeviceWritten;

#[derive(Debug)]
pub(super) struct ResultMemory {
    /// From a box, which this value owns. No box while it is locked: a device writes to it.
    pages: *mut [Page],
    registration: Registration,
    address: DevicePointer,
    /// Whether no kernel writes to it.
    is_still: bool,
}

// SAFETY: the memory belongs to this value alone and is not bound to a thread.
unsafe impl Send for ResultMemory {}
// SAFETY: as above; shared, it is read only, and by the CPU only where no kernel writes (`is_still`).
unsafe impl Sync for ResultMemory {}

impl ResultMemory {
    /// At least `bytes` zeros.
    ///
    /// Errors: a device that does not lock host memory, or refuses to; one that is lost.
    pub(super) fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, GpuError> {
        let pages = Box::into_raw(Box::<[Page]>::from(Pages::new(bytes.max(1))));
        let bytes = pages.len() * size_of::<Page>();
        // SAFETY: whole pages, handed over when this value goes.
        match unsafe { Registration::new(pages.cast(), bytes, context) } {
            Ok((registration, address)) => Ok(Self { pages, registration, address, is_still: false }),
            Err(error) => {
                // SAFETY: from a box above, and not locked.
                drop(unsafe { Box::from_raw(pages) });
                Err(error)
            }
        }
    }

    /// Where kernels find it.
    pub(super) fn address(&self) -> DevicePointer {
        self.address
    }

    /// From now on it can be read in place.
    ///
    /// # Safety
    /// Whatever was to write to it has ended, and nothing will until [`ResultMemory::take_back`].
    pub(super) unsafe fn lie_still(&mut self) {
        self.is_still = true;
    }

    /// Nobody reads it any more: kernels may write to it.
    pub(super) fn take_back(&mut self) {
        self.is_still = false;
    }

    /// Copies the bytes from `offset` on to `to`: complete where the kernel that wrote them has ended, or has said so
    /// after a fence.
    pub(super) fn read<T: AnyBitPattern>(&self, offset: usize, to: &mut [T]) -> Result<(), GpuError> {
        let bytes = size_of_val(to);
        range(self.len(), offset, bytes)?;
        // SAFETY: the range lies within the allocation, `to` elsewhere; every bit pattern is a value of `T`.
        unsafe { std::ptr::copy_nonoverlapping(self.start().add(offset), to.as_mut_ptr().cast(), bytes) };
        Ok(())
    }

    /// Queues a copy of the first `bytes` bytes of `device` to the first here.
    ///
    /// # Safety
    /// Both live, and this does not lie still, until the work of `stream` is done.
    pub(super) unsafe fn copy_from(
        &self,
        device: &DeviceBuffer,
        bytes: usize,
        stream: &Stream,
    ) -> Result<(), GpuError> {
        range(self.len(), 0, bytes)?;
        // SAFETY: so many bytes are here; no reference to them exists; the rest is passed on to the caller.
        unsafe { device.read_later(self.start(), bytes, stream) }
    }

    fn start(&self) -> *mut u8 {
        self.pages.cast()
    }

    fn len(&self) -> usize {
        self.pages.len() * size_of::<Page>()
    }
}

impl DeviceWritten for ResultMemory {
    fn bytes(&self) -> &[u8] {
        if !self.is_still {
            return &[];
        }
        // SAFETY: this value's own, initialised, and no kernel writes until `take_back`, which borrows it exclusively.
        unsafe { std::slice::from_raw_parts(self.start(), self.len()) }
    }
}

impl Drop for ResultMemory {
    fn drop(&mut self) {
        // SAFETY: from a box, once. Where a kernel may still write, whoever launched it keeps this value.
        let pages = unsafe { Box::from_raw(self.pages) };
        self.registration.take_over(pages.into());
    }
}
