//! Waiting for a launch, with a limit: a kernel that hangs must not take the frame with it.
//!
//! First the header's number is looked at without a pause, then the thread sleeps between two looks and asks the driver
//! as well, which alone knows of work that failed. Each wait spins for 200 us at most, 1.2 % of a core at 60 Hz; a
//! frame has two, three where a prediction failed. The looks after that take some microseconds each.
//! Helpers that copy spin besides. No lock is held.

use std::time::{Duration, Instant};

use crate::gpu::context::Stream;
use crate::gpu::error::GpuError;
use crate::gpu::memory::MappedBuffer;

/// How long the header is looked at without a pause: about what a frame takes on a fast device.
const SPIN: Duration = Duration::from_micros(200);
/// Between two looks after that.
const PAUSE: Duration = Duration::from_micros(100);

/// Work that takes longer than this hangs: no kernel of ours takes a hundredth, and others on the device get their turn.
pub(in crate::gpu) const HANGS: Duration = Duration::from_secs(2);

/// Until the first number of `header` is `launch`.
///
/// Errors: what became of the work that should have written it; after `limit` [`GpuError::Timeout`].
pub(in crate::gpu) fn until(
    stream: &Stream,
    header: &MappedBuffer,
    launch: u64,
    limit: Duration,
) -> Result<(), GpuError> {
    let mut patience = Patience::new(limit);
    let written = || Ok::<bool, GpuError>(header.poll(0)? == launch);
    while patience.start.elapsed() < SPIN {
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
        patience.pause()?;
    }
}

/// Until everything that is queued is done.
///
/// Errors: as [`until`].
pub(in crate::gpu) fn idle(stream: &Stream, limit: Duration) -> Result<(), GpuError> {
    let mut patience = Patience::new(limit);
    while !stream.is_done()? {
        patience.pause()?;
    }
    Ok(())
}

/// Until everything that is queued has ended, well or badly, for as long as that can take: before memory is freed.
///
/// Errors: [`GpuError::Hangs`], and the context is abandoned: any other call could hang as well.
pub(in crate::gpu) fn finished(stream: &Stream) -> Result<(), GpuError> {
    let context = stream.context();
    if context.is_abandoned() {
        return Err(GpuError::Hangs { limit: HANGS });
    }
    match idle(stream, HANGS) {
        Err(GpuError::Timeout { limit }) => {
            context.abandon();
            Err(GpuError::Hangs { limit })
        }
        // An error says that the work has ended.
        _ => Ok(()),
    }
}

/// Time that is left to a launch.
struct Patience {
    start: Instant,
    limit: Duration,
    /// Whether the limit had passed before the last look.
    over: bool,
}

impl Patience {
    fn new(limit: Duration) -> Self {
        Self { start: Instant::now(), limit, over: false }
    }

    /// Errors: the limit has passed, and there was one more look: the thread may have slept for longer than it asked for.
    fn pause(&mut self) -> Result<(), GpuError> {
        if self.over {
            return Err(GpuError::Timeout { limit: self.limit });
        }
        self.over = self.start.elapsed() > self.limit;
        std::thread::sleep(PAUSE);
        Ok(())
    }
}
