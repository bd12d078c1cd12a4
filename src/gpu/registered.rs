//! Ordinary host memory, locked for a device so that kernels and copies reach it in place.
//!
//! Memory stays locked until nobody has it any more. It then goes to the context, which lets go of it between two
//! frames: the driver may wait for kernels before it unlocks, and a kernel that hangs must not take the memory's owner
//! with it.
#![allow(unsafe_code, reason = "calls the CUDA driver")]

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use cudarc::driver::sys::CU_MEMHOSTREGISTER_DEVICEMAP;

use super::abi::DevicePointer;
use super::context::Context;
use super::error::{GpuError, Severity};
use crate::image::{Attachment, PageMemory};
use crate::pages::Pages;

/// Memory that a context has locked, or has refused to.
#[derive(Debug)]
pub(super) struct Registration {
    context: Weak<Context>,
    /// Whether the driver has destroyed the context.
    destroyed: Arc<AtomicBool>,
    address: Option<DevicePointer>,
}

impl Registration {
    /// Locks `bytes` bytes from `start` on; yields also where kernels find them.
    ///
    /// Errors: what the driver answers.
    ///
    /// # Safety
    /// They are whole pages, which go to `take_over` once nothing uses them any more.
    pub(super) unsafe fn new(
        start: *mut u8,
        bytes: usize,
        context: &Arc<Context>,
    ) -> Result<(Self, DevicePointer), GpuError> {
        // SAFETY: passed on to the caller; `take_over` frees them after they were unlocked, or after the context.
        let address = unsafe { lock(start, bytes, context)? };
        Ok((Self { address: Some(address), ..Self::refused(context) }, address))
    }

    fn refused(context: &Arc<Context>) -> Self {
        Self { context: Arc::downgrade(context), destroyed: context.destroyed(), address: None }
    }
}

impl Attachment for Registration {
    fn take_over(&self, pages: Pages) {
        match (self.address, self.context.upgrade()) {
            (Some(_), Some(context)) => context.retire(pages),
            // An abandoned or shared context keeps what it has locked until the process ends.
            (Some(_), None) if !self.destroyed.load(Ordering::Acquire) => std::mem::forget(pages),
            // Free: not locked, or by a context that is gone.
            _ => {}
        }
    }
}

/// Where kernels of `context` find `memory`, which is locked for it now if it was not before. `None` where the device
/// does not lock host memory, or refuses this, or another context has it: then it is to be copied.
///
/// Errors: a device that is lost.
pub(super) fn address_of(memory: &PageMemory, context: &Arc<Context>) -> Result<Option<DevicePointer>, GpuError> {
    if !context.device().registers_host_memory {
        return Ok(None);
    }
    memory.attached(|attachment| {
        let known = attachment.as_deref().and_then(|known| (known as &dyn Any).downcast_ref::<Registration>());
        if let Some(Registration { context: owner, address, .. }) =
            known.filter(|known| known.context.strong_count() > 0)
        {
            return Ok(address.filter(|_| std::ptr::eq(owner.as_ptr(), Arc::as_ptr(context))));
        }
        let bytes = memory.bytes();
        // SAFETY: whole pages, which the memory hands over when nobody has it any more. Kernels only read them.
        let locked = unsafe { Registration::new(bytes.as_ptr().cast_mut(), bytes.len(), context) };
        let registration = match locked {
            Err(error) if error.severity() == Severity::Sticky => return Err(error),
            Err(error) => {
                tracing::debug!("an image buffer is copied, not read in place: {error}");
                Registration::refused(context)
            }
            Ok((registration, _)) => registration,
        };
        let address = registration.address;
        *attachment = Some(Box::new(registration));
        Ok(address)
    })
}

/// # Safety
/// `bytes` bytes from `start` on are whole pages, which stay allocated until they are unlocked, or the context is gone.
unsafe fn lock(start: *mut u8, bytes: usize, context: &Context) -> Result<DevicePointer, GpuError> {
    let driver = context.current()?;
    let (host, mut address) = (start.cast(), 0);
    // SAFETY: passed on to the caller.
    unsafe { driver.cuMemHostRegister_v2(host, bytes, CU_MEMHOSTREGISTER_DEVICEMAP)? };
    // SAFETY: locked and mapped just now; flags must be 0.
    let found = unsafe { driver.cuMemHostGetDevicePointer_v2(&mut address, host, 0) };
    if let Err(error) = found {
        // SAFETY: locked just now, and nobody else knows.
        let _ = unsafe { driver.cuMemHostUnregister(host) };
        return Err(error.into());
    }
    Ok(address)
}

/// Unlocks memory that nothing uses any more, and frees it; what cannot be unlocked stays.
pub(super) fn unlock(pages: Pages, context: &Context) {
    let unlocked = context.releasing().is_some_and(|driver| {
        // SAFETY: locked by `lock`, unlocked once; that no work uses it any more the caller knows.
        unsafe { driver.cuMemHostUnregister(pages.bytes().as_ptr().cast_mut().cast()) }.is_ok()
    });
    if !unlocked {
        std::mem::forget(pages);
    }
}
