//! Memory for kernels: on the device alone, or of the host and mapped into the device.
#![allow(unsafe_code, reason = "calls the CUDA driver and copies to and from memory that it owns")]

use std::ffi::c_void;
use std::sync::Arc;

use bytemuck::{AnyBitPattern, Pod};
use cudarc::driver::sys::{CU_MEMHOSTALLOC_DEVICEMAP, CU_MEMHOSTALLOC_WRITECOMBINED};

use super::abi::DevicePointer;
use super::context::{Context, Stream};
use super::crew::{Crew, Way};
use super::error::GpuError;

/// Memory that only kernels and copies see.
#[derive(Debug)]
pub struct DeviceBuffer {
    context: Arc<Context>,
    address: DevicePointer,
    bytes: usize,
}

impl DeviceBuffer {
    /// At least one byte; its contents are arbitrary.
    pub fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, GpuError> {
        let mut address = 0;
        let driver = context.current()?;
        // SAFETY: written to a local; the context is current.
        unsafe { driver.cuMemAlloc_v2(&mut address, bytes.max(1))? };
        Ok(Self { context: Arc::clone(context), address, bytes })
    }

    /// The same, of zeros.
    pub fn zeroed(stream: &Stream, bytes: usize) -> Result<Self, GpuError> {
        let buffer = Self::new(stream.context(), bytes)?;
        buffer.fill(0, stream)?;
        Ok(buffer)
    }

    pub fn address(&self) -> DevicePointer {
        self.address
    }

    /// Sets every byte after what is queued, and waits for it.
    pub fn fill(&self, value: u8, stream: &Stream) -> Result<(), GpuError> {
        if self.bytes == 0 {
            return Ok(());
        }
        let driver = stream.context().current()?;
        // SAFETY: the range is that of the allocation, which lives longer than this call.
        unsafe { driver.cuMemsetD8Async(self.address, value, self.bytes, stream.handle())? };
        stream.synchronize()
    }

    /// Copies `from` to the first bytes and waits for it.
    pub fn write(&self, from: &[u8], stream: &Stream) -> Result<(), GpuError> {
        // SAFETY: `from` is not touched before the copy has ended.
        unsafe { self.write_later(from, stream)? };
        stream.synchronize()
    }

    /// Queues a copy of `from` to the first bytes.
    ///
    /// # Safety
    /// Both live, and `from` is not written, until the work of `stream` is done.
    pub(super) unsafe fn write_later(&self, from: &[u8], stream: &Stream) -> Result<(), GpuError> {
        range(self.bytes, 0, from.len())?;
        if from.is_empty() {
            return Ok(());
        }
        let driver = stream.context().current()?;
        // SAFETY: both ranges hold `from.len()` bytes; that they stay as they are is the caller's obligation.
        unsafe { driver.cuMemcpyHtoDAsync_v2(self.address, from.as_ptr().cast(), from.len(), stream.handle())? };
        Ok(())
    }

    /// Queues a copy of the first `bytes` bytes to `to`.
    ///
    /// # Safety
    /// So many bytes are there; until the work of `stream` is done both live, and no reference to those of `to` does.
    pub(super) unsafe fn read_later(&self, to: *mut u8, bytes: usize, stream: &Stream) -> Result<(), GpuError> {
        range(self.bytes, 0, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        let driver = stream.context().current()?;
        // SAFETY: both ranges hold `bytes` bytes; the rest is the caller's obligation.
        unsafe { driver.cuMemcpyDtoHAsync_v2(to.cast(), self.address, bytes, stream.handle())? };
        Ok(())
    }

    /// Copies the first bytes to `to` and waits for it.
    pub fn read(&self, to: &mut [u8], stream: &Stream) -> Result<(), GpuError> {
        // SAFETY: `to` holds as many bytes, and is not touched before the copy has ended.
        unsafe { self.read_later(to.as_mut_ptr(), to.len(), stream)? };
        stream.synchronize()
    }
}

impl Drop for DeviceBuffer {
    fn drop(&mut self) {
        if let Some(driver) = self.context.releasing() {
            // SAFETY: allocated by `new`, freed once; that no work uses it any more is what `Kernel::launch` asks for.
            let _ = unsafe { driver.cuMemFree_v2(self.address) };
        }
    }
}

/// Host memory that kernels reach by an address of their own. A kernel may write to it at any time, so there is no
/// reference into it: bytes are copied in and out, once and in order, which uncached memory wants anyway.
#[derive(Debug)]
pub struct MappedBuffer {
    context: Arc<Context>,
    host: *mut u8,
    address: DevicePointer,
    bytes: usize,
}

// SAFETY: the memory belongs to this value alone and is not bound to a thread.
unsafe impl Send for MappedBuffer {}

impl MappedBuffer {
    /// At least one byte, arbitrary contents. `write_combined`: fast to write in order, very slow to read, for the CPU.
    pub fn new(context: &Arc<Context>, bytes: usize, write_combined: bool) -> Result<Self, GpuError> {
        let flags = CU_MEMHOSTALLOC_DEVICEMAP | if write_combined { CU_MEMHOSTALLOC_WRITECOMBINED } else { 0 };
        let mut host: *mut c_void = std::ptr::null_mut();
        let driver = context.current()?;
        // SAFETY: written to a local; the context is current.
        unsafe { driver.cuMemHostAlloc(&mut host, bytes.max(1), flags)? };
        // From here on dropped, and so freed, if anything fails.
        let mut buffer = Self { context: Arc::clone(context), host: host.cast(), address: 0, bytes };
        // SAFETY: allocated with DEVICEMAP in this context; flags must be 0.
        unsafe { driver.cuMemHostGetDevicePointer_v2(&mut buffer.address, host, 0)? };
        Ok(buffer)
    }

    /// Where kernels find it.
    pub fn address(&self) -> DevicePointer {
        self.address
    }

    /// Copies `from` to the bytes from `offset` on. A kernel that reads them at the same time may see either.
    pub fn write<T: Pod>(&mut self, offset: usize, from: &[T]) -> Result<(), GpuError> {
        let from: &[u8] = bytemuck::cast_slice(from);
        range(self.bytes, offset, from.len())?;
        // SAFETY: the range lies within the allocation, `from` elsewhere.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), self.host.add(offset), from.len()) };
        Ok(())
    }

    /// The same to the first bytes, with the help of others.
    pub(super) fn write_by(&mut self, crew: &Crew, way: Way, from: &[u8]) -> Result<(), GpuError> {
        range(self.bytes, 0, from.len())?;
        // SAFETY: the range lies within the allocation, `from` elsewhere.
        unsafe { crew.copy(way, from.as_ptr(), self.host, from.len()) };
        Ok(())
    }

    /// Copies the bytes from `offset` on to `to`: complete where the kernel that wrote them has ended, or has said so
    /// after a fence.
    pub fn read<T: AnyBitPattern>(&self, offset: usize, to: &mut [T]) -> Result<(), GpuError> {
        let bytes = size_of_val(to);
        range(self.bytes, offset, bytes)?;
        // SAFETY: the range lies within the allocation, `to` elsewhere; every bit pattern is a value of `T`.
        unsafe { std::ptr::copy_nonoverlapping(self.host.add(offset), to.as_mut_ptr().cast(), bytes) };
        Ok(())
    }

    /// The same with the help of others.
    pub(super) fn read_by<T: AnyBitPattern>(&self, crew: &Crew, offset: usize, to: &mut [T]) -> Result<(), GpuError> {
        let bytes = size_of_val(to);
        range(self.bytes, offset, bytes)?;
        // SAFETY: the range lies within the allocation, `to` elsewhere; every bit pattern is a value of `T`.
        unsafe { crew.copy(Way::Cached, self.host.add(offset), to.as_mut_ptr().cast(), bytes) };
        Ok(())
    }

    /// Queues a copy of the first `bytes` bytes to `device`.
    ///
    /// # Safety
    /// Both live, and these bytes are not written, until the work of `stream` is done.
    pub unsafe fn copy_to(&self, device: &DeviceBuffer, bytes: usize, stream: &Stream) -> Result<(), GpuError> {
        // SAFETY: passed on to the caller.
        unsafe { self.copy_part_to(device, 0, bytes, stream) }
    }

    /// Queues a copy of the first `bytes` bytes to those of `device` from `at` on.
    ///
    /// # Safety
    /// As [`MappedBuffer::copy_to`].
    pub unsafe fn copy_part_to(
        &self,
        device: &DeviceBuffer,
        at: usize,
        bytes: usize,
        stream: &Stream,
    ) -> Result<(), GpuError> {
        range(self.bytes, 0, bytes)?;
        range(device.bytes, at, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        let (driver, to) = (stream.context().current()?, device.address + at as DevicePointer);
        // SAFETY: both ranges lie within their allocations; that they stay as they are is the caller's obligation.
        unsafe { driver.cuMemcpyHtoDAsync_v2(to, self.host.cast(), bytes, stream.handle())? };
        Ok(())
    }

    /// Queues a copy of the first `bytes` bytes of `device` to the first here.
    ///
    /// # Safety
    /// Both live until the work of `stream` is done.
    pub unsafe fn copy_from(&self, device: &DeviceBuffer, bytes: usize, stream: &Stream) -> Result<(), GpuError> {
        range(self.bytes, 0, bytes)?;
        // SAFETY: so many bytes are here; no reference to them exists; the rest is passed on to the caller.
        unsafe { device.read_later(self.host, bytes, stream) }
    }

    /// The number at `offset`, which a kernel may be about to write; what it wrote before can be read afterwards.
    pub fn poll(&self, offset: usize) -> Result<u64, GpuError> {
        range(self.bytes, offset, size_of::<u64>())?;
        if !offset.is_multiple_of(align_of::<u64>()) {
            return Err(GpuError::Range { bytes: self.bytes, offset, wanted: size_of::<u64>() });
        }
        // SAFETY: within the allocation, whose start is aligned to a page, and aligned; volatile, as a device writes.
        let value = unsafe { self.host.add(offset).cast::<u64>().read_volatile() };
        std::sync::atomic::fence(std::sync::atomic::Ordering::Acquire);
        Ok(value)
    }
}

impl Drop for MappedBuffer {
    fn drop(&mut self) {
        if let Some(driver) = self.context.releasing() {
            // SAFETY: allocated by `new`, freed once; that no work uses it any more is what `Kernel::launch` asks for.
            let _ = unsafe { driver.cuMemFreeHost(self.host.cast()) };
        }
    }
}

/// Whether `wanted` bytes from `offset` on lie within `bytes`.
pub(super) fn range(bytes: usize, offset: usize, wanted: usize) -> Result<(), GpuError> {
    match offset.checked_add(wanted) {
        Some(end) if end <= bytes => Ok(()),
        _ => Err(GpuError::Range { bytes, offset, wanted }),
    }
}
