//! Image files (PNG, JPEG) to grey.

use std::io::Cursor;

use image::{DynamicImage, ImageReader};

use super::GrayImage;
use super::gray::luma;

impl GrayImage {
    /// Decodes a PNG or JPEG file: grey as it is, 16-bit samples by their high byte, colour by the luma of
    /// [`ImageView::to_gray`](super::ImageView::to_gray), transparency ignored.
    ///
    /// Errors: another format, damaged or truncated data; the message is the decoder's.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|e| e.to_string())?;
        let image = match reader.format() {
            None if bytes.is_empty() => return Err("the file is empty".to_owned()),
            Some(format) if !format.reading_enabled() => return Err("neither PNG nor JPEG".to_owned()),
            None => return Err("neither PNG nor JPEG".to_owned()),
            // The JPEG decoder fills what is missing with grey: the end marker is what tells a whole file.
            Some(image::ImageFormat::Jpeg) if !has_end_marker(bytes) => {
                return Err("the JPEG data is cut off".to_owned());
            }
            Some(_) => reader.decode().map_err(|e| e.to_string())?,
        };
        let (width, height) = (image.width() as usize, image.height() as usize);
        let high = |v: u16| (v >> 8) as u8;
        let pixels = match image {
            DynamicImage::ImageLuma8(grey) => grey.into_raw(),
            DynamicImage::ImageLumaA8(grey) => grey.pixels().map(|p| p.0[0]).collect(),
            DynamicImage::ImageLuma16(grey) => grey.pixels().map(|p| high(p.0[0])).collect(),
            DynamicImage::ImageLumaA16(grey) => grey.pixels().map(|p| high(p.0[0])).collect(),
            DynamicImage::ImageRgb16(rgb) => rgb.pixels().map(|p| luma(p.0.map(high))).collect(),
            DynamicImage::ImageRgba16(rgb) => {
                rgb.pixels().map(|p| luma([high(p.0[0]), high(p.0[1]), high(p.0[2])])).collect()
            }
            other => other.into_rgb8().pixels().map(|p| luma(p.0)).collect(),
        };
        Self::from_pixels(width, height, pixels).ok_or_else(|| "size and data differ".to_owned())
    }
}

/// Whether JPEG data ends: cameras may pad after the marker, so it need not come last.
fn has_end_marker(bytes: &[u8]) -> bool {
    bytes.windows(2).rev().any(|pair| pair == [0xff, 0xd9])
}
