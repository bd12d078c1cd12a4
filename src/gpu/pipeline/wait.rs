//! Waiting for a launch, with a limit: a kernel that hangs must not take the frame with it.

use std::time::{Duration, Instant};

use crate::gpu::context::Stream;
use crate::gpu::error::GpuError;
use crate::gpu::memory::MappedBuffer;

/// The header's number is looked at without a pause for this long: about what a frame takes on a fast device.
const SPIN: Duration = Duration::from_micros(200);
/// Then this pause lies between two looks, with the driver asked as well.
const PAUSE: Duration = Duration::from_micros(100);

/// Until the first number of `header` is `launch`.
///
/// Errors: what became of the work that should have written it; after `limit` [`GpuError::Timeout`], and the context is
/// abandoned.
pub(super) fn until(stream: &Stream, header: &MappedBuffer, launch: u64, limit: Duration) -> Result<(), GpuError> {
    let start = Instant::now();
    let written = || Ok::<bool, GpuError>(header.poll(0)? == launch);
    while start.elapsed() < SPIN {
        if written()? {
            return Ok(());
        }
        std::hint::spin_loop();
    }
    loop {
        let done = stream.is_done()?;
        if written()? {
            return Ok(());
        }
        if done {
            return Err(GpuError::Unwritten { launch });
        }
        pause(stream, start, limit)?;
    }
}

/// Until everything that is queued is done.
///
/// Errors: as [`until`].
pub(super) fn idle(stream: &Stream, limit: Duration) -> Result<(), GpuError> {
    let start = Instant::now();
    while !stream.is_done()? {
        pause(stream, start, limit)?;
    }
    Ok(())
}

/// Past the limit the GPU is abandoned: any other call could hang as well.
fn pause(stream: &Stream, start: Instant, limit: Duration) -> Result<(), GpuError> {
    if start.elapsed() > limit {
        stream.context().abandon();
        return Err(GpuError::Timeout { limit });
    }
    std::thread::sleep(PAUSE);
    Ok(())
}
