//! Memory for the results of frames that is handed out with them, in two slots: frames take turns.
//!
//! Memory that is handed out leaves its slot, and other memory takes its place: some that came back, or new. So no
//! launch writes to what anybody holds, and in a steady stream, where results replace those before, nothing is
//! allocated. A launch that is late, or was given up, writes to a slot; what is in a slot nobody else has.
#![allow(unsafe_code, reason = "hands memory out that kernels wrote")]

use std::sync::Arc;

use super::shared::Alternating;
use crate::gpu::context::Context;
use crate::gpu::error::{GpuError, Severity};
use crate::gpu::result_memory::ResultMemory;

/// Most results that are out at a time: page-locked memory is dear. Who holds more gets copies.
const MOST: usize = 8;

#[derive(Debug)]
pub(super) struct ResultSlots {
    context: Arc<Context>,
    bytes: usize,
    /// Nobody else has these.
    slots: Alternating<Arc<ResultMemory>>,
    /// What was handed out; some of it has come back.
    out: Vec<Arc<ResultMemory>>,
    most: usize,
}

impl ResultSlots {
    /// Of `bytes` bytes each, and one more to take the place of the first that is handed out.
    ///
    /// Errors: a device that does not lock host memory, or refuses to; one that is lost.
    pub(super) fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, GpuError> {
        let make = || ResultMemory::new(context, bytes).map(Arc::new);
        let mut out = Vec::with_capacity(MOST);
        out.push(make()?);
        Ok(Self { context: Arc::clone(context), bytes, slots: Alternating::new(make)?, out, most: MOST })
    }

    /// What kernels of `frame` write.
    pub(super) fn of(&self, frame: u64) -> &ResultMemory {
        self.slots.of(frame)
    }

    /// The memory of `frame`, which lies still while anybody else has it. `None` where there is none to take its place:
    /// then it stays.
    ///
    /// Errors: a device that is lost.
    ///
    /// # Safety
    /// The last launch for the slot of `frame`, and the copies of what it wrote, have ended.
    pub(super) unsafe fn hand_out(&mut self, frame: u64) -> Result<Option<Arc<ResultMemory>>, GpuError> {
        // It is back when nobody else has it.
        let is_back = |memory: &mut Arc<ResultMemory>| Arc::get_mut(memory).is_some();
        if !self.out.iter_mut().any(is_back) {
            self.make_another()?;
        }
        let Some(other) = self.out.iter_mut().find_map(|memory| is_back(memory).then_some(memory)) else {
            return Ok(None);
        };
        std::mem::swap(other, self.slots.of_mut(frame));
        // Both are this value's alone.
        if let Some(free) = Arc::get_mut(self.slots.of_mut(frame)) {
            free.take_back();
        }
        if let Some(memory) = Arc::get_mut(other) {
            // SAFETY: its last launch has ended, says the caller. It has left its slot, and launches get it again only
            // from there: once nobody else has it, and after `take_back` above.
            unsafe { memory.lie_still() };
        }
        Ok(Some(Arc::clone(other)))
    }

    /// Makes memory beside what is out, unless that is enough, or the device refuses.
    ///
    /// Errors: a device that is lost.
    fn make_another(&mut self) -> Result<(), GpuError> {
        if self.out.len() >= self.most {
            return Ok(());
        }
        match ResultMemory::new(&self.context, self.bytes) {
            Ok(memory) => self.out.push(Arc::new(memory)),
            Err(error) if error.severity() == Severity::Sticky => return Err(error),
            Err(error) => {
                tracing::debug!("no more than {} results are out at a time: {error}", self.out.len());
                self.most = self.out.len();
            }
        }
        Ok(())
    }
}

impl Drop for ResultSlots {
    fn drop(&mut self) {
        if self.context.is_abandoned() {
            // A kernel that hangs may still write to them.
            std::mem::forget([0, 1].map(|frame| Arc::clone(self.slots.of(frame))));
        }
    }
}
