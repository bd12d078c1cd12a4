//! What a detector hands out: values in memory of their own, or where a device wrote them.
//!
//! The results of a GPU need not be copied before they are used. They lie in memory that the pipeline gives to no other
//! frame while they are held, and that outlives the GPU: a frame may be finished without it.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use bytemuck::AnyBitPattern;

/// Memory that a device has written.
pub(crate) trait DeviceWritten: Send + Sync + fmt::Debug {
    /// Its bytes, if the device has let go of it: from then on they stay as they are while anyone else has it.
    fn bytes(&self) -> &[u8];
}

/// Values to be read, as from a slice. A clone has memory of its own.
///
/// Where a device wrote them, what holds them holds page-locked memory: who collects many clones them.
pub struct Results<T> {
    own: Vec<T>,
    /// In place of those.
    device: Option<Part>,
}

/// `count` values from byte `first` of some memory on.
struct Part {
    memory: Arc<dyn DeviceWritten>,
    first: usize,
    count: usize,
}

impl Part {
    fn values<T: AnyBitPattern>(&self) -> Option<&[T]> {
        let end = self.count.checked_mul(size_of::<T>())?.checked_add(self.first)?;
        bytemuck::try_cast_slice(self.memory.bytes().get(self.first..end)?).ok()
    }
}

impl<T: AnyBitPattern> Results<T> {
    /// `count` values from byte `first` of `memory` on; `None` where it has not as many, or they are not aligned.
    pub(crate) fn in_device_written(memory: Arc<dyn DeviceWritten>, first: usize, count: usize) -> Option<Self> {
        let part = Part { memory, first, count };
        part.values::<T>()?;
        Some(Self { own: Vec::new(), device: Some(part) })
    }
}

impl<T> Results<T> {
    /// Lets go of a device's memory, and yields a vector to be filled, with whatever is in it.
    pub(crate) fn own(&mut self) -> &mut Vec<T> {
        self.device = None;
        &mut self.own
    }
}

impl<T: AnyBitPattern> Deref for Results<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.device {
            Some(part) => part.values().unwrap_or_default(),
            None => &self.own,
        }
    }
}

impl<T> Default for Results<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T> From<Vec<T>> for Results<T> {
    fn from(own: Vec<T>) -> Self {
        Self { own, device: None }
    }
}

impl<T: AnyBitPattern> Clone for Results<T> {
    fn clone(&self) -> Self {
        self.to_vec().into()
    }
}

/// With other results, or a vector.
impl<T: AnyBitPattern + PartialEq, S: Deref<Target = [T]>> PartialEq<S> for Results<T> {
    fn eq(&self, other: &S) -> bool {
        **self == **other
    }
}

impl<T: AnyBitPattern + fmt::Debug> fmt::Debug for Results<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<'a, T: AnyBitPattern> IntoIterator for &'a Results<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the device has let go of it, and bytes at an address of eights.
    #[derive(Debug)]
    struct Memory(bool, [u64; 4]);

    impl DeviceWritten for Memory {
        fn bytes(&self) -> &[u8] {
            if self.0 { bytemuck::cast_slice(&self.1) } else { &[] }
        }
    }

    fn memory(is_still: bool) -> Arc<dyn DeviceWritten> {
        Arc::new(Memory(is_still, [1, 2, 3, 4].map(u64::to_le)))
    }

    #[test]
    fn values_of_a_device_are_those_within_its_memory() {
        let results = |first, count| Results::<u32>::in_device_written(memory(true), first, count);
        assert_eq!(results(8, 3).as_deref(), Some(&[2, 0, 3][..]));
        assert_eq!(results(32, 0).as_deref(), Some(&[][..]));
        for (first, count) in [(2, 1), (8, 7), (33, 0), (0, usize::MAX / 4), (4, usize::MAX / 4 + 1)] {
            assert!(results(first, count).is_none(), "{first}, {count}");
        }
        assert!(Results::<u32>::in_device_written(memory(false), 0, 1).is_none());
    }

    #[test]
    fn a_clone_holds_no_memory_of_the_device() {
        let memory = memory(true);
        let results = Results::<u64>::in_device_written(Arc::clone(&memory), 8, 2).unwrap_or_default();
        let clone = results.clone();
        assert_eq!((&results, results.iter().sum::<u64>()), (&clone, 5));
        assert_eq!(Arc::strong_count(&memory), 2);
        drop(results);
        assert_eq!(Arc::strong_count(&memory), 1);
        assert_eq!(format!("{clone:?}"), "[2, 3]");
    }

    #[test]
    fn a_vector_to_be_filled_is_the_one_that_is_here() {
        let mut own = Results::from(vec![1u32, 2]);
        own.own().push(3);
        assert_eq!(*own, [1, 2, 3]);
        let memory = memory(true);
        let mut of_device = Results::<u64>::in_device_written(Arc::clone(&memory), 0, 4).unwrap_or_default();
        assert_eq!((of_device.len(), of_device.own().len()), (4, 0));
        assert_eq!(Arc::strong_count(&memory), 1);
    }
}
