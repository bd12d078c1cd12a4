//! A context of our own on a device, and its queues of work.
#![allow(unsafe_code, reason = "calls the CUDA driver")]

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{CUcontext, CUctx_flags_enum as ContextFlags, CUstream, CUstream_flags_enum as StreamFlags};

use super::device::{Device, MemorySystem};
use super::driver::Driver;
use super::error::{CudaError, GpuError};
use super::registered::unlock;
use crate::pages::Pages;

/// A context. Everything that is made in it keeps it alive.
#[derive(Debug)]
pub struct Context {
    device: Device,
    handle: CUcontext,
    /// Whether it is the device's primary context, which others of this process use as well.
    shared: bool,
    abandoned: AtomicBool,
    /// Whether the driver has destroyed it, for those who outlive it.
    destroyed: Arc<AtomicBool>,
    /// Locked memory that nobody has any more.
    retired: Mutex<Vec<Pages>>,
}

// SAFETY: a context may be made current in, and destroyed from, any thread; calls of several threads are serialised by
// the driver.
unsafe impl Send for Context {}
// SAFETY: as above; the rest is plain data and an atomic.
unsafe impl Sync for Context {}

impl Context {
    /// A context on `device`; host memory can be mapped into it. On Jetsons waiting threads sleep.
    pub fn new(device: Device) -> Result<Arc<Self>, GpuError> {
        let mut flags = ContextFlags::CU_CTX_MAP_HOST as u32;
        if device.memory != MemorySystem::Discrete {
            flags |= ContextFlags::CU_CTX_SCHED_BLOCKING_SYNC as u32;
        }
        let mut handle = std::ptr::null_mut();
        // SAFETY: written to a local; the device is one of this driver's.
        unsafe { device.driver.cuCtxCreate_v2(&mut handle, flags, device.handle)? };
        Ok(Arc::new(Self::with(device, handle, false)))
    }

    /// The device's primary context, in which everything that is built on the CUDA run-time library works: TensorRT,
    /// ONNX Runtime. Their addresses and streams are valid in it, and in no other.
    pub fn shared(device: Device) -> Result<Arc<Self>, GpuError> {
        let mut handle = std::ptr::null_mut();
        // SAFETY: written to a local; the device is one of this driver's.
        unsafe { device.driver.cuDevicePrimaryCtxRetain(&mut handle, device.handle)? };
        Ok(Arc::new(Self::with(device, handle, true)))
    }

    fn with(device: Device, handle: CUcontext, shared: bool) -> Self {
        let (abandoned, destroyed) = (AtomicBool::new(false), Arc::default());
        Self { device, handle, shared, abandoned, destroyed, retired: Mutex::new(Vec::new()) }
    }

    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Lets go of the GPU without another call: after a kernel that hangs, any wait or release would hang as well. What
    /// the context holds stays allocated until the process ends.
    pub fn abandon(&self) {
        self.abandoned.store(true, Ordering::Relaxed);
    }

    pub fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed)
    }

    /// Whether the driver has destroyed it: true once it has.
    pub(super) fn destroyed(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.destroyed)
    }

    /// Takes locked memory that nobody else has any more.
    pub(super) fn retire(&self, pages: Pages) {
        self.retired.lock().unwrap_or_else(PoisonError::into_inner).push(pages);
    }

    /// Frees what was retired. To be called while no work that may use it is queued or running.
    pub(super) fn release_retired(&self) {
        loop {
            let next = self.retired.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(pages) = next else { return };
            unlock(pages, self);
        }
    }

    /// The driver, with this context current in the calling thread.
    pub(super) fn current(&self) -> Result<&Driver, CudaError> {
        // SAFETY: the handle is alive as long as `self`.
        unsafe { self.device.driver.cuCtxSetCurrent(self.handle)? };
        Ok(&self.device.driver)
    }

    /// The driver for releasing something, unless the context is abandoned or cannot be made current any more.
    pub(super) fn releasing(&self) -> Option<&Driver> {
        if self.is_abandoned() { None } else { self.current().ok() }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.is_abandoned() {
            let retired = self.retired.get_mut().unwrap_or_else(PoisonError::into_inner);
            retired.drain(..).for_each(std::mem::forget);
            return;
        }
        self.release_retired();
        // What it answers changes nothing: the handle is gone either way.
        if self.shared {
            // SAFETY: retained by `shared`, released once.
            let _ = unsafe { self.device.driver.cuDevicePrimaryCtxRelease(self.device.handle) };
        } else {
            // SAFETY: created by `new`, destroyed once; all that was made in it holds an Arc of it and so is gone.
            let answer = unsafe { self.device.driver.cuCtxDestroy_v2(self.handle) };
            self.destroyed.store(answer.is_ok(), Ordering::Release);
        }
    }
}

/// A queue whose work is done in order, beside that of other queues.
#[derive(Debug)]
pub struct Stream {
    context: Arc<Context>,
    handle: CUstream,
    /// Whether it is another's, and not to be destroyed.
    borrowed: bool,
}

// SAFETY: the driver lets any thread use a stream whose context it has made current, which every method does first.
unsafe impl Send for Stream {}

impl Stream {
    /// One that does not wait for the default stream.
    pub fn new(context: &Arc<Context>) -> Result<Self, GpuError> {
        let mut handle = std::ptr::null_mut();
        let driver = context.current()?;
        // SAFETY: written to a local; the context is current.
        unsafe { driver.cuStreamCreate(&mut handle, StreamFlags::CU_STREAM_NON_BLOCKING as u32)? };
        Ok(Self { context: Arc::clone(context), handle, borrowed: false })
    }

    /// Another's stream, by its handle (`cudaStream_t` and `CUstream` are the same): what is queued here comes after what
    /// is queued there.
    ///
    /// # Safety
    /// `handle` is a stream of `context` and lives longer than this value.
    pub unsafe fn borrow(context: &Arc<Context>, handle: *mut c_void) -> Self {
        Self { context: Arc::clone(context), handle: handle.cast(), borrowed: true }
    }

    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Whether all work queued so far is done. Also reports what went wrong with it.
    pub fn is_done(&self) -> Result<bool, GpuError> {
        let driver = self.context.current()?;
        // SAFETY: the stream is alive and of the current context.
        unsafe { driver.is_stream_done(self.handle) }.map_err(GpuError::from)
    }

    /// Waits for all work queued so far, without limit: where a kernel may hang, ask [`Stream::is_done`] instead.
    pub fn synchronize(&self) -> Result<(), GpuError> {
        let driver = self.context.current()?;
        // SAFETY: as above.
        unsafe { driver.cuStreamSynchronize(self.handle) }.map_err(GpuError::from)
    }

    /// Its handle, for libraries that are to queue work on it.
    pub fn as_raw(&self) -> *mut c_void {
        self.handle.cast()
    }

    pub(super) fn handle(&self) -> CUstream {
        self.handle
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.borrowed {
            return;
        }
        if let Some(driver) = self.context.releasing() {
            // SAFETY: created by `new`, destroyed once, of the current context; the driver finishes what is queued.
            let _ = unsafe { driver.cuStreamDestroy_v2(self.handle) };
        }
    }
}
