//! Image files to grey: every sample type, and damaged data.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail by panicking")]

use std::io::Cursor;

use image::{DynamicImage, ImageFormat};
use vio_frontend::image::{GrayImage, ImageView};

fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    image.write_to(&mut Cursor::new(&mut bytes), format).unwrap();
    bytes
}

/// A colour image whose every pixel differs from its neighbours.
fn colours() -> image::RgbImage {
    image::RgbImage::from_fn(40, 36, |x, y| image::Rgb([(x * 6) as u8, (y * 7) as u8, (x * y) as u8]))
}

#[test]
fn eight_bit_grey_is_taken_as_it_is() {
    let grey = image::GrayImage::from_fn(40, 36, |x, y| image::Luma([(x * y) as u8]));
    let decoded = GrayImage::decode(&encoded(&grey.clone().into(), ImageFormat::Png)).unwrap();
    assert_eq!((decoded.width(), decoded.height()), (40, 36));
    assert_eq!(decoded.pixels(), grey.as_raw());
}

#[test]
fn sixteen_bit_grey_gives_the_high_byte() {
    let deep = image::ImageBuffer::from_fn(40, 36, |x, y| image::Luma([257 * ((x * y) as u16 & 0xff)]));
    let decoded = GrayImage::decode(&encoded(&DynamicImage::ImageLuma16(deep), ImageFormat::Png)).unwrap();
    assert!(decoded.pixels().iter().enumerate().all(|(i, &v)| v == ((i % 40) * (i / 40)) as u8));
}

#[test]
fn colour_files_equal_colour_messages() {
    let rgb = colours();
    let view = ImageView::new(40, 36, 120, "rgb8", false, rgb.as_raw()).unwrap();
    let mut expected = GrayImage::default();
    view.to_gray(&mut expected);
    assert_eq!(GrayImage::decode(&encoded(&rgb.clone().into(), ImageFormat::Png)).unwrap(), expected);
    let rgba = DynamicImage::ImageRgb8(rgb.clone()).into_rgba8();
    assert_eq!(GrayImage::decode(&encoded(&rgba.into(), ImageFormat::Png)).unwrap(), expected);
    let deep = DynamicImage::ImageRgb8(rgb).into_rgb16();
    assert_eq!(GrayImage::decode(&encoded(&deep.into(), ImageFormat::Png)).unwrap(), expected);
}

#[test]
fn cut_off_files_are_errors_wherever_they_end() {
    for format in [ImageFormat::Png, ImageFormat::Jpeg] {
        let whole = encoded(&colours().into(), format);
        assert!(GrayImage::decode(&whole).is_ok());
        for length in (0..whole.len() - 12).step_by(7) {
            assert!(GrayImage::decode(&whole[..length]).is_err(), "{format:?} cut to {length} of {}", whole.len());
        }
    }
}

#[test]
fn other_files_say_what_is_read() {
    assert_eq!(GrayImage::decode(b"").unwrap_err(), "the file is empty");
    assert_eq!(GrayImage::decode(b"GIF89a and more").unwrap_err(), "neither PNG nor JPEG");
    assert_eq!(GrayImage::decode(&[7; 500]).unwrap_err(), "neither PNG nor JPEG");
}
