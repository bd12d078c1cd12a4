//! An image buffer that a GPU can read in place: whole pages of ordinary memory, which a device may lock and keep.
//!
//! A frame from such a buffer need not be copied before the GPU sees it. Without a GPU, or where it does not lock host
//! memory, it is an image like any other.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Encoding, ImageView, MIN_SIDE};
use crate::error::Refusal;
use crate::pages::Pages;

/// Rows begin at multiples of this, bytes: what kernels ask for.
const ROW_UNIT: usize = 16;

/// What a device keeps of a buffer's memory.
pub(crate) trait Attachment: Any + Send + Sync + fmt::Debug {
    /// The buffer and all that read it are gone: the memory is the device's, to be freed once it is let go.
    fn take_over(&self, pages: Pages);
}

/// The memory of a buffer. Whoever reads it beside the buffer's owner holds it as well, a launch that is late for one.
#[derive(Debug)]
pub(crate) struct PageMemory {
    pages: Pages,
    attachment: Mutex<Option<Box<dyn Attachment>>>,
}

impl PageMemory {
    fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self { pages: Pages::new(bytes), attachment: Mutex::new(None) })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.pages.bytes()
    }

    /// Calls `visit` with what a device keeps of the memory.
    pub(crate) fn attached<T>(&self, visit: impl FnOnce(&mut Option<Box<dyn Attachment>>) -> T) -> T {
        visit(&mut self.attachment.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for PageMemory {
    fn drop(&mut self) {
        let attachment = self.attachment.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(attachment) = attachment.take() {
            attachment.take_over(std::mem::replace(&mut self.pages, Pages::none()));
        }
    }
}

/// An image buffer to be filled again and again, as a camera's driver does; several take turns.
#[derive(Debug)]
pub struct ImageBuffer {
    width: u32,
    height: u32,
    step: usize,
    encoding: Encoding,
    big_endian: bool,
    memory: Arc<PageMemory>,
}

impl ImageBuffer {
    /// An image of zeros in the encoding of this name.
    ///
    /// Errors: sizes and encodings that [`ImageView::new`] refuses.
    pub fn new(width: u32, height: u32, encoding: &str, big_endian: bool) -> Result<Self, Refusal> {
        if width < MIN_SIDE || height < MIN_SIDE {
            return Err(Refusal::TooSmall { width, height, least: MIN_SIDE });
        }
        let encoding = Encoding::from_name(encoding).ok_or_else(|| Encoding::unknown(encoding))?;
        // Kernels read pixels in fours.
        let row = (width as usize).next_multiple_of(4) * encoding.bytes_per_pixel();
        let step = row.next_multiple_of(ROW_UNIT);
        let bytes = step.checked_mul(height as usize).filter(|&bytes| isize::try_from(bytes).is_ok());
        let unreadable = || Refusal::Unreadable { message: format!("{width} x {height} pixels are no image") };
        let memory = PageMemory::new(bytes.ok_or_else(unreadable)?);
        Ok(Self { width, height, step, encoding, big_endian, memory })
    }

    /// Bytes from one row to the next: at least what a row's pixels take, a multiple of 16.
    pub fn step(&self) -> usize {
        self.step
    }

    /// All rows, to be written. Where a GPU still reads the image before, because it is late, that keeps its memory, and
    /// these are zeros in other memory.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let length = self.step * self.height as usize;
        if Arc::get_mut(&mut self.memory).is_none() {
            self.memory = PageMemory::new(length);
        }
        let bytes = Arc::get_mut(&mut self.memory).map(|memory| memory.pages.bytes_mut()).unwrap_or_default();
        bytes.get_mut(..length).unwrap_or_default()
    }

    /// Writes the pixels of `image`, which has this size and encoding.
    ///
    /// Errors: one of another size or encoding.
    pub fn copy_from(&mut self, image: &ImageView<'_>) -> Result<(), Refusal> {
        let (width, height, step) = (self.width, self.height, self.step);
        if (image.width, image.height) != (width, height) {
            let (wanted_width, wanted_height) = (width.into(), height.into());
            let (width, height) = (image.width, image.height);
            return Err(Refusal::ConfiguredSize { width, height, wanted_width, wanted_height });
        }
        if (image.encoding, image.big_endian) != (self.encoding, self.big_endian) {
            let (encoding, supported) = (image.encoding.name().to_owned(), self.encoding.name().to_owned());
            return Err(Refusal::UnknownEncoding { encoding, supported });
        }
        for (y, row) in self.bytes_mut().chunks_exact_mut(step).enumerate() {
            let from = image.row(y);
            if let Some(to) = row.get_mut(..from.len()) {
                to.copy_from_slice(from);
            }
        }
        Ok(())
    }

    /// The image, to be processed.
    pub fn view(&self) -> ImageView<'_> {
        ImageView {
            width: self.width,
            height: self.height,
            step: self.step,
            encoding: self.encoding,
            big_endian: self.big_endian,
            data: self.memory.bytes().get(..self.step * self.height as usize).unwrap_or_default(),
            memory: Some(&self.memory),
        }
    }
}
