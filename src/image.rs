//! Images: the raw one as drivers send it, and the grey one that everything else works on.

mod binomial;
mod buffer;
mod decode;
mod encoding;
mod gray;
mod histogram;

pub use buffer::ImageBuffer;
pub(crate) use buffer::{Attachment, PageMemory};
pub use encoding::Encoding;

use std::sync::Arc;

use crate::error::Refusal;

/// Least width and height that is processed (the contract's smallest size).
pub const MIN_SIDE: u32 = 32;

/// A grey image, 8 bits a pixel, rows tight, row-major.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrayImage {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl GrayImage {
    /// A black image.
    pub fn new(width: usize, height: usize) -> Self {
        Self { width, height, pixels: vec![0; width * height] }
    }

    /// An image from `width * height` tight pixels; `None` if their number differs.
    pub fn from_pixels(width: usize, height: usize, pixels: Vec<u8>) -> Option<Self> {
        (pixels.len() == width.checked_mul(height)?).then_some(Self { width, height, pixels })
    }

    /// An image whose pixel (x, y) is `value(x, y)`.
    pub fn from_fn(width: usize, height: usize, mut value: impl FnMut(usize, usize) -> u8) -> Self {
        let pixels = (0..width * height).map(|i| value(i % width, i / width)).collect();
        Self { width, height, pixels }
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn height(&self) -> usize {
        self.height
    }

    /// All pixels, row-major.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    pub fn pixels_mut(&mut self) -> &mut [u8] {
        &mut self.pixels
    }

    /// Row `y`.
    pub fn row(&self, y: usize) -> &[u8] {
        &self.pixels[y * self.width..][..self.width]
    }

    /// Pixel (x, y); the caller keeps inside the image.
    pub fn at(&self, x: usize, y: usize) -> u8 {
        self.pixels[y * self.width + x]
    }

    /// Gives the image a new size, keeping its allocation where it suffices; contents become unspecified.
    pub fn resize(&mut self, width: usize, height: usize) {
        self.width = width;
        self.height = height;
        self.pixels.resize(width * height, 0);
    }

    /// The image as a driver would deliver it, in `mono8`. Errors: sizes that [`ImageView::new`] refuses.
    pub fn checked_view(&self) -> Result<ImageView<'_>, Refusal> {
        let (width, height) = (self.width as u32, self.height as u32);
        ImageView::new(width, height, width, "mono8", false, &self.pixels)
    }

    /// The image as a view in `mono8`.
    pub fn view(&self) -> ImageView<'_> {
        ImageView {
            width: self.width as u32,
            height: self.height as u32,
            step: self.width,
            encoding: Encoding::Mono8,
            big_endian: false,
            data: &self.pixels,
            memory: None,
        }
    }
}

/// A raw image whose geometry was checked: every row lies inside `data`.
#[derive(Clone, Copy, Debug)]
pub struct ImageView<'a> {
    width: u32,
    height: u32,
    /// Bytes from one row to the next.
    step: usize,
    encoding: Encoding,
    big_endian: bool,
    data: &'a [u8],
    /// What `data` begins in, if that is an [`ImageBuffer`].
    memory: Option<&'a Arc<PageMemory>>,
}

impl<'a> ImageView<'a> {
    /// Checks a raw image as `sensor_msgs/Image` describes it.
    ///
    /// Errors: zero or too small sizes, an unknown encoding, a `step` that is shorter than a row or no whole number
    /// of 16-bit pixels, a `data` length other than `step * height`.
    pub fn new(
        width: u32,
        height: u32,
        step: u32,
        encoding: &str,
        big_endian: bool,
        data: &'a [u8],
    ) -> Result<Self, Refusal> {
        if width == 0 || height == 0 {
            return Err(Refusal::ZeroSize { width, height });
        }
        if width < MIN_SIDE || height < MIN_SIDE {
            return Err(Refusal::TooSmall { width, height, least: MIN_SIDE });
        }
        let encoding = Encoding::from_name(encoding).ok_or_else(|| Encoding::unknown(encoding))?;
        let least = u64::from(width) * encoding.bytes_per_pixel() as u64;
        let step = u64::from(step);
        if step < least || step % encoding.bytes_per_sample() as u64 != 0 {
            return Err(Refusal::Step { step, width, encoding: encoding.name(), least });
        }
        let expected = step * u64::from(height);
        if data.len() as u64 != expected {
            return Err(Refusal::DataLength { len: data.len() as u64, height, step, expected });
        }
        Ok(Self { width, height, step: step as usize, encoding, big_endian, data, memory: None })
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    pub fn height(&self) -> u32 {
        self.height
    }

    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Whether samples of 16 bits have their high byte first.
    pub fn big_endian(&self) -> bool {
        self.big_endian
    }

    /// All rows, with what lies between them.
    pub(crate) fn data(&self) -> &'a [u8] {
        self.data
    }

    /// Bytes from one row to the next.
    pub(crate) fn step(&self) -> usize {
        self.step
    }

    /// The memory of the [`ImageBuffer`] that this is the view of.
    pub(crate) fn memory(&self) -> Option<&'a Arc<PageMemory>> {
        self.memory
    }

    /// The bytes of row `y` that hold pixels, without padding.
    pub fn row(&self, y: usize) -> &'a [u8] {
        &self.data[y * self.step..][..self.width as usize * self.encoding.bytes_per_pixel()]
    }
}
