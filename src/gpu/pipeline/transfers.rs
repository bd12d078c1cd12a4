//! The way of the image to the kernels, and that of the results back.

use std::fmt;

use super::shared::Reach;
use crate::gpu::device::MemorySystem;

/// How the image, and the mask, get to the kernels. Points to track are few, and always mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageTransfer {
    /// Kernels read host memory, which the CPU writes in order and around its caches.
    WriteCombined,
    /// Kernels read host memory.
    Mapped,
    /// From pinned host memory, by a copy on the stream, to memory of the device.
    Copied,
}

/// How features, descriptors and tracks get to the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultTransfer {
    /// Kernels write host memory; it is copied out of there once and in order.
    MappedCopied,
    /// Kernels write host memory, which is read in place. Features and descriptors are handed out where they lie, if
    /// the device locks ordinary memory.
    MappedInPlace,
    /// From memory of the device, by a copy on the stream, to pinned host memory, which is read in place as above. All
    /// that there is room for is copied: the host does not know the number of features.
    Copied,
}

/// Both ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfers {
    pub image: ImageTransfer,
    pub results: ResultTransfer,
}

impl Transfers {
    /// What suits a memory system as far as it decides; on a discrete card, what needs the fewest calls.
    ///
    /// The CPU of a TX2 does not cache pinned memory: combined writes and one sequential read are the fast ways there.
    /// Where pinned memory is cached, both would only cost.
    pub fn of(memory: MemorySystem) -> Self {
        match memory {
            MemorySystem::Uncached => {
                Self { image: ImageTransfer::WriteCombined, results: ResultTransfer::MappedCopied }
            }
            MemorySystem::Coherent | MemorySystem::Discrete => {
                Self { image: ImageTransfer::Mapped, results: ResultTransfer::MappedInPlace }
            }
        }
    }
}

impl ImageTransfer {
    /// What kernels reach of what the host writes.
    pub(super) fn reach(self) -> Reach {
        match self {
            Self::Copied => Reach::Device,
            Self::WriteCombined | Self::Mapped => self.reach_of_little(),
        }
    }

    /// The same for memory that is too small to be worth a copy.
    pub(super) fn reach_of_little(self) -> Reach {
        Reach::Host { write_combined: self == Self::WriteCombined }
    }
}

impl ResultTransfer {
    /// What kernels reach of what the host reads.
    pub(super) fn reach(self) -> Reach {
        match self {
            Self::Copied => Reach::Device,
            Self::MappedCopied | Self::MappedInPlace => Reach::Host { write_combined: false },
        }
    }
}

impl fmt::Display for Transfers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let image = match self.image {
            ImageTransfer::WriteCombined => "write-combined mapped memory",
            ImageTransfer::Mapped => "mapped memory",
            ImageTransfer::Copied => "pinned memory, copied to the device",
        };
        let results = match self.results {
            ResultTransfer::MappedCopied => "mapped memory, copied once",
            ResultTransfer::MappedInPlace => "mapped memory, read in place",
            ResultTransfer::Copied => "copied from the device to pinned memory, read in place",
        };
        write!(f, "image: {image}; results: {results}")
    }
}
