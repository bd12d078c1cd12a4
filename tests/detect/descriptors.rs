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

/// A ramp along each of 16 directions lies in the octant of the table, ties and zeros included.
#[test]
fn ramps_lie_in_their_octant() {
    let expected = [
        ((2, 0), 0),
        ((2, 1), 0),
        ((1, 1), 0),
        ((1, 2), 1),
        ((0, 2), 1),
        ((-1, 2), 2),
        ((-1, 1), 3),
        ((-2, 1), 3),
        ((-2, 0), 3),
        ((-2, -1), 4),
        ((-1, -1), 4),
        ((-1, -2), 5),
        ((0, -2), 6),
        ((1, -2), 6),
        ((1, -1), 7),
        ((2, -1), 7),
    ];
    for ((gx, gy), octant) in expected {
        let ramp = GrayImage::from_fn(32, 32, |x, y| (128 + gx * (x as i32 - 16) + gy * (y as i32 - 16)) as u8);
        let descriptor = at(&ramp, 16, 16);
        assert_eq!(octants(&descriptor), [octant], "gradient ({gx}, {gy})");
        // Sixteen equal shares: floor(255 * sqrt(1 / 16)).
        assert!(descriptor.0.iter().skip(octant).step_by(8).all(|&q| q == 63), "gradient ({gx}, {gy})");
    }
}

/// One bright pixel: its four neighbours hold the gradient, each in the cell and octant that point back at it.
#[test]
fn one_bright_pixel_fills_four_bins() {
    let mut image = image(Kind::Black, 40, 40, 0);
    image.pixels_mut()[20 * 40 + 21] = 200;
    // Offsets (1, 0) from the centre (20, 20): column 9 and row 8 of the square, between cells in y only.
    let mut expected = [0_u8; 128];
    let mut add = |row: usize, column: usize, octant: usize, q| expected[(row * 4 + column) * 8 + octant] = q;
    // floor(255 * sqrt(1 / 4)): left of it +x, right of it -x, above it +y, below it -y.
    add(2, 2, 0, 127);
    add(2, 2, 3, 127);
    add(1, 2, 1, 127);
    add(2, 2, 6, 127);
    assert_eq!(at(&image, 20, 20).0, expected);
}

#[test]
fn flat_surroundings_give_zeros() {
    assert_eq!(at(&image(Kind::White, 32, 32, 0), 4, 27), Descriptor([0; Descriptor::LEN]));
}

/// A step seen by one column of cells: four equal shares.
#[test]
fn a_step_fills_one_column_of_cells() {
    let step = GrayImage::from_fn(32, 32, |x, _| if x >= 14 { 255 } else { 0 });
    // Pixels 13 and 14 see it: offsets -3 and -2, the second cell.
    let bytes = at(&step, 16, 16).0;
    let filled: Vec<_> = (0..128).filter(|&i| bytes[i] > 0).map(|i| (i, bytes[i])).collect();
    assert_eq!(filled, [(8, 127), (40, 127), (72, 127), (104, 127)]);
}

/// The greatest sum that there is: diagonal stripes with |gx| = |gy| = 255 at every pixel, up and down by turns.
#[test]
fn full_contrast_everywhere_does_not_overflow() {
    let stripes = GrayImage::from_fn(32, 32, |x, y| if (x + y) / 2 % 2 == 0 { 0 } else { 255 });
    let descriptor = at(&stripes, 16, 16);
    assert_eq!(octants(&descriptor), [0, 4]);
    // floor(255 * sqrt(1 / 32)).
    assert!(descriptor.0.chunks(4).all(|half_cell| half_cell == [45, 0, 0, 0]));
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
    assert_eq!(at(&doubled, 30, 30), at(&scene, 30, 30));
}

#[test]
fn a_descriptor_moves_with_its_surroundings() {
    let scene = image(Kind::Texture, 80, 80, 2);
    let moved = GrayImage::from_fn(60, 60, |x, y| scene.at(x + 7, y + 11));
    for (x, y) in [(20, 20), (31, 25), (40, 33)] {
        assert_eq!(at(&moved, x, y), at(&scene, x + 7, y + 11));
    }
}
