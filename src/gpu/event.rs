//! Marks in a stream, for the time that work takes on the device.
#![allow(unsafe_code, reason = "calls the CUDA driver")]

use std::sync::Arc;

use cudarc::driver::sys::{CUevent, CUevent_flags_enum as EventFlags};

use super::context::{Context, Stream};
use super::error::GpuError;

/// A mark.
#[derive(Debug)]
pub struct Event {
    context: Arc<Context>,
    handle: CUevent,
}

// SAFETY: the driver lets any thread use an event whose context it has made current, which every method does first.
unsafe impl Send for Event {}

impl Event {
    pub fn new(context: &Arc<Context>) -> Result<Self, GpuError> {
        let mut handle = std::ptr::null_mut();
        let driver = context.current()?;
        // SAFETY: written to a local; the context is current.
        unsafe { driver.cuEventCreate(&mut handle, EventFlags::CU_EVENT_DEFAULT as u32)? };
        Ok(Self { context: Arc::clone(context), handle })
    }

    /// Sets the mark after what is queued.
    pub fn record(&self, stream: &Stream) -> Result<(), GpuError> {
        let driver = self.context.current()?;
        // SAFETY: both are alive; of one context, else the driver refuses.
        unsafe { driver.cuEventRecord(self.handle, stream.handle()) }.map_err(GpuError::from)
    }

    /// Waits until the mark is reached, then yields the time since `start`, ms.
    pub fn milliseconds_since(&self, start: &Self) -> Result<f32, GpuError> {
        let driver = self.context.current()?;
        let mut milliseconds = 0.0;
        // SAFETY: both events are alive; written to a local.
        unsafe {
            driver.cuEventSynchronize(self.handle)?;
            driver.cuEventElapsedTime(&mut milliseconds, start.handle, self.handle)?;
        }
        Ok(milliseconds)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if let Some(driver) = self.context.releasing() {
            // SAFETY: created by `new`, destroyed once.
            let _ = unsafe { driver.cuEventDestroy_v2(self.handle) };
        }
    }
}
