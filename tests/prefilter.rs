//! `prefilter`: the 3 x 3 binomial filter by known values and a naive twin, and that a whole frame sees its result.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use vio_frontend::frame::Frame;
use vio_frontend::frontend::{FrameOutput, Frontend};
use vio_frontend::image::{GrayImage, ImageView};
use vio_frontend::params::{Params, Prefilter};

fn noise(width: usize, height: usize) -> GrayImage {
    let mut state = 7_u32;
    GrayImage::from_fn(width, height, |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    })
}

fn filtered(image: &GrayImage) -> GrayImage {
    let mut out = GrayImage::new(3, 3);
    image.binomial3(&mut out);
    out
}

/// The filter as kernels/README.md states it.
fn naive(image: &GrayImage) -> GrayImage {
    let mirrored = |i: i64, size: usize| {
        let last = size as i64 - 1;
        (if i < 0 {
            -i
        } else if i > last {
            2 * last - i
        } else {
            i
        }) as usize
    };
    GrayImage::from_fn(image.width(), image.height(), |x, y| {
        let mut sum = 0;
        for (j, weight_y) in [(-1, 1), (0, 2), (1, 1)] {
            for (i, weight_x) in [(-1, 1), (0, 2), (1, 1)] {
                let (x, y) = (mirrored(x as i64 + i, image.width()), mirrored(y as i64 + j, image.height()));
                sum += weight_x * weight_y * u32::from(image.at(x, y));
            }
        }
        ((sum + 8) / 16) as u8
    })
}

#[test]
fn one_bright_pixel_spreads_by_the_weights() {
    let mut image = GrayImage::new(5, 5);
    image.pixels_mut()[12] = 160;
    let expected = [[0, 0, 0, 0, 0], [0, 10, 20, 10, 0], [0, 20, 40, 20, 0], [0, 10, 20, 10, 0], [0, 0, 0, 0, 0]];
    assert_eq!(filtered(&image).pixels(), expected.concat());
}

#[test]
fn the_border_is_mirrored_about_the_edge_pixel() {
    let mut image = GrayImage::new(4, 4);
    image.pixels_mut()[5] = 16;
    // Pixel (1, 1) counts twice for the first row and column, which see it on both sides.
    let expected = [[4, 4, 2, 0], [4, 4, 2, 0], [2, 2, 1, 0], [0, 0, 0, 0]];
    assert_eq!(filtered(&image).pixels(), expected.concat());
}

#[test]
fn halves_round_up() {
    for (value, expected) in [(1, 0), (2, 1), (5, 1), (6, 2), (254, 64), (255, 64)] {
        let mut image = GrayImage::new(5, 5);
        image.pixels_mut()[12] = value;
        assert_eq!(filtered(&image).at(2, 2), expected, "{value} * 4 / 16");
    }
}

#[test]
fn every_size_equals_the_naive_filter() {
    for (width, height) in [(2, 2), (3, 2), (2, 7), (17, 5), (33, 33), (67, 43), (641, 47)] {
        let image = noise(width, height);
        assert_eq!(filtered(&image), naive(&image), "{width} x {height}");
    }
    let white = GrayImage::from_fn(35, 32, |_, _| 255);
    assert_eq!(filtered(&white), white);
}

/// A side of one pixel has no neighbour to mirror: the pixel stands for both.
#[test]
fn degenerate_sizes_are_kept() {
    for (width, height) in [(0, 0), (0, 4), (1, 1)] {
        let image = noise(width, height);
        assert_eq!(filtered(&image), image, "{width} x {height}");
    }
    let column = GrayImage::from_pixels(1, 3, vec![16, 0, 0]).unwrap();
    assert_eq!(filtered(&column).pixels(), [8, 4, 0]);
}

fn run(prefilter: Prefilter, image: ImageView<'_>) -> (FrameOutput, GrayImage) {
    let mut frontend = Frontend::new(Params { prefilter, ..Params::default() }, None).unwrap();
    let output = frontend.process(&Frame { stamp_ns: 1, image }).unwrap();
    (output, frontend.gray().clone())
}

#[test]
fn the_whole_frame_sees_the_filtered_image() {
    let image = noise(120, 90);
    let (output, gray) = run(Prefilter::Binomial3, image.view());
    let (expected, _) = run(Prefilter::None, naive(&image).view());
    assert_eq!(gray, naive(&image));
    assert_eq!(output.points, expected.points);
    assert_ne!(output.points, run(Prefilter::None, image.view()).0.points);
}

#[test]
fn bayer_images_are_filtered_twice() {
    let mosaic = noise(66, 41);
    let view = ImageView::new(66, 41, 66, "bayer_rggb8", false, mosaic.pixels()).unwrap();
    assert_eq!(run(Prefilter::None, view).1, naive(&mosaic));
    assert_eq!(run(Prefilter::Binomial3, view).1, naive(&naive(&mosaic)));
}

#[test]
fn it_can_be_changed_between_frames() {
    let image = noise(64, 64);
    let mut frontend = Frontend::new(Params::default(), None).unwrap();
    for (stamp_ns, prefilter) in [(1, Prefilter::None), (2, Prefilter::Binomial3), (3, Prefilter::None)] {
        frontend.set_params(Params { prefilter, ..Params::default() }).unwrap();
        frontend.process(&Frame { stamp_ns, image: image.view() }).unwrap();
        let expected = if prefilter == Prefilter::None { image.clone() } else { naive(&image) };
        assert_eq!(*frontend.gray(), expected, "frame {stamp_ns}");
    }
}
