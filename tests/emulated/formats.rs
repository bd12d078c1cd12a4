//! Every input format, plain and with the prefilter, at sizes that end pieces and tiles in every way.

use vio_frontend::image::{Encoding, ImageView};

use crate::images::hash;
use crate::twin::{Launch, assert_equal};

/// Sides around multiples of a piece (128 x 16), a tile (32) and a group of four pixels.
const SIZES: [(u32, u32); 5] = [(32, 32), (129, 33), (130, 47), (131, 48), (256, 34)];

#[test]
fn every_format_at_every_size() {
    for name in Encoding::names() {
        for (width, height) in SIZES {
            check(name, width, height, false);
        }
    }
}

#[test]
fn every_format_with_the_prefilter() {
    for name in Encoding::names() {
        for (width, height) in SIZES {
            check(name, width, height, true);
        }
    }
}

fn check(name: &str, width: u32, height: u32, prefilter: bool) {
    let bytes = Encoding::from_name(name).unwrap().bytes_per_pixel() as u32;
    for big_endian in [false, true] {
        // A step of its own: rows of drivers are padded.
        let step = width * bytes + 6;
        let data: Vec<u8> = (0..step * height).map(|i| value(i, step, bytes)).collect();
        let image = ImageView::new(width, height, step, name, big_endian, &data).unwrap();
        assert_equal(&Launch { prefilter, ..Launch::new(image, 300) });
    }
}

/// Blocks of noise, so that there are corners of every contrast in every channel.
fn value(i: u32, step: u32, bytes: u32) -> u8 {
    let (x, y) = (i % step, i / step);
    hash((x / bytes / 5) as usize, (y / 4) as usize, x % bytes)
}
