//! C10 on images whose descriptors are known beforehand, and what a descriptor must not depend on.

use vio_frontend::detect::Corner;
use vio_frontend::detect::descriptor::describe;
use vio_frontend::detect::pyramid::half_pixels;
use vio_frontend::feature::Descriptor;
use vio_frontend::image::GrayImage;

use crate::images::{Kind, hash, image};

fn at(image: &GrayImage, x: usize, y: usize) -> Descriptor {
    let (half_x, half_y) = (half_pixels(x, 0), half_pixels(y, 0));
    describe(&Corner { half_x, half_y, level: 0, strength: 1, score: 1 }, image)
}

/// The octants that hold anything, over all cells.
fn octants(descriptor: &Descriptor) -> Vec<usize> {
    (0..8).filter(|octant| descriptor.0.iter().skip(*octant).step_by(8).any(|&q| q > 0)).collect()
}

/// A ramp is split between its nearest axis and diagonal.
#[test]
fn ramps_lie_in_their_octants() {
    let expected: [((i32, i32), &[usize]); 16] = [
        ((2, 0), &[0]),
        ((2, 1), &[0, 1]),
        ((1, 1), &[1]),
        ((1, 2), &[1, 2]),
        ((0, 2), &[2]),
        ((-1, 2), &[2, 3]),
        ((-1, 1), &[3]),
        ((-2, 1), &[3, 4]),
        ((-2, 0), &[4]),
        ((-2, -1), &[4, 5]),
        ((-1, -1), &[5]),
        ((-1, -2), &[5, 6]),
        ((0, -2), &[6]),
        ((1, -2), &[6, 7]),
        ((1, -1), &[7]),
        ((2, -1), &[0, 7]),
    ];
    for ((gx, gy), expected) in expected {
        let ramp = GrayImage::from_fn(32, 32, |x, y| (128 + gx * (x as i32 - 16) + gy * (y as i32 - 16)) as u8);
        assert_eq!(octants(&at(&ramp, 16, 16)), expected, "gradient ({gx}, {gy})");
    }
}

/// Of a ramp, cells get what their shares make of the square: 28 of 120 eighths at the border, 32 inside.
#[test]
fn cells_of_a_ramp_hold_their_shares() {
    let ramp = GrayImage::from_fn(32, 32, |x, _| 2 * x as u8);
    let bytes = at(&ramp, 16, 16).0;
    // floor(255 * 28 / 120), floor(255 * sqrt(28 * 32) / 120), floor(255 * 32 / 120).
    let (corner, side, middle) = (59, 63, 68);
    let expected = [
        [corner, side, side, corner],
        [side, middle, middle, side],
        [side, middle, middle, side],
        [corner, side, side, corner],
    ];
    for (cell, &expected) in expected.concat().iter().enumerate() {
        assert_eq!(bytes[8 * cell..][..8], [expected, 0, 0, 0, 0, 0, 0, 0], "cell {cell}");
    }
}

/// One bright pixel: its eight neighbours hold the gradient, and each points at it.
#[test]
fn one_bright_pixel_fills_all_octants() {
    let mut image = image(Kind::Black, 40, 40, 0);
    image.pixels_mut()[22 * 40 + 22] = 200;
    let bytes = at(&image, 20, 20).0;
    let filled: Vec<usize> = (0..128).filter(|&i| bytes[i] > 0).collect();
    // The neighbours' offsets are 1, 2 and 3, which the cells 2 and 3 share, but for 1/8 of offset 1 in cell 1.
    assert!(filled.iter().all(|i| i / 32 >= 1 && i / 8 % 4 >= 1), "{filled:?}");
    assert_eq!(octants(&at(&image, 20, 20)), [0, 1, 2, 3, 4, 5, 6, 7]);
    // All of it is shared: the squares of the bytes add up to 255 * 255, but for rounding down.
    let sum: u32 = bytes.iter().map(|&q| u32::from(q).pow(2)).sum();
    assert!((62_000..=65_025).contains(&sum), "{sum}");
}

#[test]
fn flat_surroundings_give_zeros() {
    assert_eq!(at(&image(Kind::White, 32, 32, 0), 4, 27), Descriptor([0; Descriptor::LEN]));
}

/// Diagonal stripes have |gx| = |gy| at every pixel, up and down by turns.
#[test]
fn stripes_fill_two_opposite_octants() {
    let stripes = GrayImage::from_fn(32, 32, |x, y| if (x + y) / 2 % 2 == 0 { 0 } else { 255 });
    let descriptor = at(&stripes, 16, 16);
    assert_eq!(octants(&descriptor), [1, 5]);
    // Inner cells: half of 32 * 32 of 120 * 120 shares for each direction, floor(255 * sqrt(0.5) * 32 / 120).
    assert_eq!(descriptor.0[5 * 8..][..8], [0, 48, 0, 0, 0, 48, 0, 0]);
}

/// The image beyond its edge repeats the edge: an image that really goes on like that has the same descriptors.
#[test]
fn beyond_the_edge_lies_the_nearest_pixel() {
    let (width, height, margin) = (33, 32, 16);
    let small = image(Kind::Noise, width, height, 5);
    let inside = |i: usize, size: usize| i.saturating_sub(margin).min(size - 1);
    let large = GrayImage::from_fn(width + 2 * margin, height + 2 * margin, |x, y| {
        small.at(inside(x, width), inside(y, height))
    });
    for y in 0..height {
        for x in 0..width {
            assert_eq!(at(&small, x, y), at(&large, x + margin, y + margin), "({x}, {y})");
        }
    }
}

#[test]
fn neither_brightness_nor_contrast_counts() {
    let scene = GrayImage::from_fn(64, 64, |x, y| 20 + hash(x / 3, y / 3, 1) / 2);
    let brighter = GrayImage::from_fn(64, 64, |x, y| scene.at(x, y) + 90);
    let doubled = GrayImage::from_fn(64, 64, |x, y| 2 * (scene.at(x, y) - 20));
    assert_eq!(at(&brighter, 30, 30), at(&scene, 30, 30));
    // Of a changed contrast only the rounding differs.
    let (a, b) = (at(&doubled, 30, 30), at(&scene, 30, 30));
    let distance: u32 = a.0.iter().zip(b.0).map(|(&a, b)| u32::from(a.abs_diff(b)).pow(2)).sum();
    assert!(distance < 100, "{distance}");
}

#[test]
fn a_descriptor_moves_with_its_surroundings() {
    let scene = image(Kind::Texture, 80, 80, 2);
    let moved = GrayImage::from_fn(60, 60, |x, y| scene.at(x + 7, y + 11));
    for (x, y) in [(20, 20), (31, 25), (40, 33)] {
        assert_eq!(at(&moved, x, y), at(&scene, x + 7, y + 11));
    }
}
