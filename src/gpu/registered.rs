//! Memory of image buffers, locked for a device so that kernels and copies read it in place.
//!
//! A buffer stays locked until it is gone. Its memory then goes to the context, which lets go of it between two frames:
//! the driver may wait for kernels before it unlocks, and a kernel that hangs must not take the buffer's owner with it.
#![allow(unsafe_code, reason = "calls the CUDA driver")]

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use cudarc::driver::sys::CU_MEMHOSTREGISTER_DEVICEMAP;

use super::abi::DevicePointer;
use super::context::Context;
use super::error::{GpuError, Severity};
use crate::image::{Attachment, PageMemory, Pages};

/// Memory that a context has locked, or has refused to.
#[derive(Debug)]
struct Registration {
    context: Weak<Context>,
    /// Whether the driver has destroyed the context.
    destroyed: Arc<AtomicBool>,
    address: Option<DevicePointer>,
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
        let address = match lock(memory.bytes(), context) {
            Err(error) if error.severity() == Severity::Sticky => return Err(error),
            Err(error) => {
                tracing::debug!("an image buffer is copied, not read in place: {error}");
                None
            }
            Ok(address) => Some(address),
        };
        let (owner, destroyed) = (Arc::downgrade(context), context.destroyed());
        *attachment = Some(Box::new(Registration { context: owner, destroyed, address }));
        Ok(address)
    })
}

fn lock(bytes: &[u8], context: &Context) -> Result<DevicePointer, GpuError> {
    let driver = context.current()?;
    let (host, mut address) = (bytes.as_ptr().cast_mut().cast(), 0);
    // SAFETY: whole pages, which outlive the lock: they are freed by `unlock`, or after the context. Kernels only read them.
    unsafe { driver.cuMemHostRegister_v2(host, bytes.len(), CU_MEMHOSTREGISTER_DEVICEMAP)? };
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
        // SAFETY: locked by `lock`, unlocked once; that no work reads it any more the caller knows.
        unsafe { driver.cuMemHostUnregister(pages.bytes().as_ptr().cast_mut().cast()) }.is_ok()
    });
    if !unlocked {
        std::mem::forget(pages);
    }
}
