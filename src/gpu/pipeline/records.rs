//! Records that kernels have written, on their way into the host's own types.

use bytemuck::Pod;

use super::transfers::ResultTransfer;
use crate::gpu::error::GpuError;
use crate::gpu::memory::MappedBuffer;

/// Records that are copied out of memory at a time, to stay in the nearest cache until they are parsed.
const BLOCK: usize = 64;

/// Room for a number of records.
#[derive(Debug)]
pub(super) struct Records<T> {
    capacity: usize,
    /// Where they are copied to, once and in order, unless they are parsed in place.
    copy: Option<Vec<T>>,
}

impl<T: Pod> Records<T> {
    pub(super) fn new(capacity: usize, way: ResultTransfer) -> Self {
        let copy = (way == ResultTransfer::MappedCopied).then(|| vec![T::zeroed(); capacity]);
        Self { capacity, copy }
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Calls `each` with the first `count` records of `memory`, in order, as many at a time as are at hand.
    ///
    /// Errors: more than there is room for, as in memory that no launch wrote.
    pub(super) fn read(
        &mut self,
        memory: &MappedBuffer,
        count: usize,
        mut each: impl FnMut(&[T]),
    ) -> Result<(), GpuError> {
        let size = size_of::<T>();
        if count > self.capacity {
            return Err(GpuError::Range { bytes: self.capacity * size, offset: 0, wanted: count.saturating_mul(size) });
        }
        let Some(copy) = &mut self.copy else {
            let mut block = [T::zeroed(); BLOCK];
            return (0..count).step_by(BLOCK).try_for_each(|first| {
                let block = block.get_mut(..BLOCK.min(count - first)).unwrap_or_default();
                memory.read(first * size, block)?;
                each(block);
                Ok(())
            });
        };
        let copy = copy.get_mut(..count).unwrap_or_default();
        memory.read(0, copy)?;
        each(copy);
        Ok(())
    }
}
