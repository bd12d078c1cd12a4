//! Whole pages of ordinary memory, which a device may lock, so that kernels read or write them in place.

use std::fmt;

use bytemuck::{Pod, Zeroable};

/// Bytes of a page: the smallest that systems with an NVIDIA GPU have, which all others are multiples of.
const PAGE: usize = 4096;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(4096))]
pub(crate) struct Page([u8; PAGE]);

/// Memory of whole pages.
pub(crate) struct Pages(Box<[Page]>);

impl Pages {
    /// Zeros, at least `bytes` of them.
    pub(crate) fn new(bytes: usize) -> Self {
        Self(vec![Page::zeroed(); bytes.div_ceil(PAGE)].into_boxed_slice())
    }

    /// None, in place of some that are taken away.
    pub(crate) fn none() -> Self {
        Self(Box::default())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.0)
    }
}

impl From<Box<[Page]>> for Pages {
    fn from(pages: Box<[Page]>) -> Self {
        Self(pages)
    }
}

impl From<Pages> for Box<[Page]> {
    fn from(pages: Pages) -> Self {
        pages.0
    }
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pages({})", self.0.len())
    }
}
