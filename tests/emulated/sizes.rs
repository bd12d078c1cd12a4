//! All sizes of the contract, grids of 1, 2 and 16 blocks, three orders of execution; races and bounds.

use vio_frontend::image::GrayImage;

use crate::emulator::{Emulator, Sanitizer, Schedule};
use crate::images::{Kind, image};
use crate::twin::{Launch, assert_equal, difference};

const SIZES: [(usize, usize); 6] = [(640, 480), (752, 480), (641, 479), (67, 43), (33, 33), (32, 32)];

#[test]
fn every_size_on_every_grid() {
    for (width, height) in SIZES {
        let image = image(Kind::Texture, width, height, 1);
        for blocks in [1, 2, 16] {
            assert_equal(&Launch { blocks, ..Launch::new(image.view(), 1000) });
        }
    }
}

#[test]
fn every_content_in_every_order() {
    let kinds = [
        Kind::Black,
        Kind::White,
        Kind::Checkerboard(3),
        Kind::Checkerboard(7),
        Kind::Noise,
        Kind::CoarseNoise,
        Kind::Texture,
        Kind::Blocks,
    ];
    for (i, kind) in kinds.into_iter().enumerate() {
        let image = image(kind, 161, 119, i as u32);
        for schedule in [Schedule::Forward, Schedule::Reverse, Schedule::Random(i as u64)] {
            for target in [30, 4600] {
                assert_equal(&Launch { schedule, ..Launch::new(image.view(), target) });
            }
        }
    }
}

/// Noise and equal responses press on every bound: slots, lists and bins at their fullest.
fn hard_image() -> GrayImage {
    image(Kind::CoarseNoise, 97, 75, 5)
}

#[test]
fn no_access_is_out_of_bounds() {
    let mut emulator = Emulator::build(Sanitizer::Address).unwrap();
    let image = hard_image();
    for target in [50, 4600] {
        assert_eq!(difference(&mut emulator, &Launch::new(image.view(), target)), None);
    }
}

#[test]
fn there_is_no_data_race() {
    let mut emulator = Emulator::build(Sanitizer::Thread).unwrap();
    let image = hard_image();
    // With the last target everything is taken.
    for (prefilter, target) in [(false, 200), (true, 200), (false, 4600)] {
        let launch = Launch { prefilter, ..Launch::new(image.view(), target) };
        assert_eq!(difference(&mut emulator, &launch), None);
    }
}
