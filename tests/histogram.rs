//! `histogram_method`: equalisation by known values, by properties and beside a naive twin in floating point, and that
//! a whole frame sees its result. tests/oracle/contrast.py compares both methods with OpenCV.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use proptest::prelude::*;
use vio_frontend::frame::Frame;
use vio_frontend::frontend::Frontend;
use vio_frontend::image::GrayImage;
use vio_frontend::params::{HistogramMethod, Params, Prefilter};

/// Noise between two grey levels, dark ones more often.
fn noise(width: usize, height: usize, [least, most]: [u8; 2]) -> GrayImage {
    let mut state = 7_u32;
    GrayImage::from_fn(width, height, |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let even = f64::from(state >> 8) / f64::from(1_u32 << 24);
        least + (f64::from(most - least) * even * even).round() as u8
    })
}

fn equalised(image: &GrayImage) -> GrayImage {
    let mut out = image.clone();
    out.equalise();
    out
}

fn tiled(image: &GrayImage) -> GrayImage {
    let mut out = image.clone();
    out.equalise_tiles();
    out
}

/// Where `of` sends each level of `image`; two answers for one level are a failure.
fn map(image: &GrayImage, of: &GrayImage) -> Vec<(u8, u8)> {
    let mut pairs: Vec<_> = image.pixels().iter().copied().zip(of.pixels().iter().copied()).collect();
    pairs.sort_unstable();
    pairs.dedup();
    assert!(pairs.windows(2).all(|w| w[0].0 < w[1].0), "one level has two values: {pairs:?}");
    pairs
}

/// CLAHE as OpenCV defines it, in double precision.
fn naive_tiles(image: &GrayImage) -> Vec<f64> {
    let [width, height] = [image.width(), image.height()];
    let even = width % 8 == 0 && height % 8 == 0;
    let [tw, th] = [width, height].map(|side| if even { side / 8 } else { (side + 8 - side % 8) / 8 });
    let mirrored = |i: usize, len: usize| if i < len { i } else { 2 * (len - 1) - i };
    let lut = |tx: usize, ty: usize| {
        let mut counts = [0_usize; 256];
        for y in ty * th..(ty + 1) * th {
            for x in tx * tw..(tx + 1) * tw {
                counts[usize::from(image.at(mirrored(x, width), mirrored(y, height)))] += 1;
            }
        }
        let limit = (3 * tw * th / 256).max(1);
        let excess: usize = counts.iter().map(|c| c.saturating_sub(limit)).sum();
        let mut rest = excess % 256;
        let step = (256 / rest.max(1)).max(1);
        let mut sum = 0.0;
        counts
            .iter()
            .enumerate()
            .map(|(v, count)| {
                let one = rest > 0 && v % step == 0;
                rest -= usize::from(one);
                sum += (count.min(&limit) + excess / 256 + usize::from(one)) as f64;
                (sum * 255.0 / (tw * th) as f64).round_ties_even()
            })
            .collect::<Vec<f64>>()
    };
    let luts: Vec<_> = (0..64).map(|i| lut(i % 8, i / 8)).collect();
    let between = |pixel: usize, size: usize| {
        let at = pixel as f64 / size as f64 - 0.5;
        let first = at.floor();
        [(first.max(0.0) as usize, 1.0 - (at - first)), ((first + 1.0).min(7.0) as usize, at - first)]
    };
    (0..width * height)
        .map(|i| {
            let (x, y) = (i % width, i / width);
            let mut sum = 0.0;
            for (ty, wy) in between(y, th) {
                for (tx, wx) in between(x, tw) {
                    sum += wx * wy * luts[ty * 8 + tx][usize::from(image.at(x, y))];
                }
            }
            sum
        })
        .collect()
}

#[test]
fn the_whole_range_is_used_in_proportion_to_the_counts() {
    // Counts 256, 128, 384, 256: without the least level 768 remain.
    let image = GrayImage::from_fn(32, 32, |_, y| match y {
        0..8 => 90,
        8..12 => 92,
        12..24 => 93,
        _ => 140,
    });
    assert_eq!(map(&image, &equalised(&image)), [(90, 0), (92, 42), (93, 170), (140, 255)], "42.5 rounds to even");
    let spread = equalised(&noise(641, 47, [30, 60]));
    assert_eq!(spread.pixels().iter().min(), Some(&0));
    assert_eq!(spread.pixels().iter().max(), Some(&255));
}

#[test]
fn flat_images_stay_flat() {
    for level in [0, 1, 77, 255] {
        let image = GrayImage::from_fn(35, 33, |_, _| level);
        assert_eq!(equalised(&image), image);
        assert_eq!(map(&image, &tiled(&image)).len(), 1, "level {level}");
    }
}

/// All tiles are alike, so that one map remains, whose slope the clip limit bounds.
#[test]
fn tiles_limit_the_contrast() {
    let tile = noise(32, 24, [100, 110]);
    let image = GrayImage::from_fn(256, 192, |x, y| tile.at(x % 32, y % 24));
    let pairs = map(&image, &tiled(&image));
    let area = 32 * 24;
    // At most the limit, an even share of what was cut, and one of the remainder.
    let steepest = f64::from(3 * area / 256 + area / 256 + 1) * 255.0 / f64::from(area);
    for pair in pairs.windows(2) {
        let step = f64::from(pair[1].1) - f64::from(pair[0].1);
        assert!((0.0..=steepest + 1.0).contains(&step), "{pair:?}: {step} exceeds {steepest}");
    }
    let free = map(&image, &equalised(&image));
    assert_eq!(free.last().map(|p| p.1), Some(255));
    assert!(pairs[10].1 - pairs[0].1 < 60, "11 levels, limited: {pairs:?}");
}

#[test]
fn tiles_of_every_size_equal_the_naive_twin() {
    for (width, height) in [(32, 32), (33, 32), (40, 33), (39, 71), (64, 48), (67, 43), (641, 47), (320, 240)] {
        let image = noise(width, height, [0, 255]);
        for ((i, ours), exact) in tiled(&image).pixels().iter().enumerate().zip(naive_tiles(&image)) {
            // Half a level by rounding, and 255 times the rounding of two weights to 4096ths.
            let difference = (f64::from(*ours) - exact).abs();
            assert!(difference <= 0.5 + 255.0 / 4096.0, "{width} x {height}, pixel {i}: {ours}, {exact} expected");
        }
    }
}

#[test]
fn degenerate_sizes_are_kept() {
    for (width, height) in [(0, 0), (0, 4), (1, 1), (1, 9), (3, 2), (7, 8)] {
        let image = noise(width, height, [0, 255]);
        for out in [equalised(&image), tiled(&image)] {
            assert_eq!([out.width(), out.height(), out.pixels().len()], [width, height, width * height]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_order_of_levels_is_kept(pixels in prop::collection::vec(any::<u8>(), 35 * 33)) {
        let image = GrayImage::from_pixels(35, 33, pixels).unwrap();
        let pairs = map(&image, &equalised(&image));
        prop_assert!(pairs.windows(2).all(|w| w[0].1 <= w[1].1));
        prop_assert_eq!((pairs[0].1, pairs[pairs.len() - 1].1), (0, 255));
    }
}

#[test]
fn the_whole_frame_sees_the_spread_image_and_then_the_filtered_one() {
    let image = noise(120, 90, [20, 60]);
    let mut frontend = Frontend::new(Params::default(), None).unwrap();
    let mut stamp_ns = 0;
    for prefilter in [Prefilter::None, Prefilter::Binomial3] {
        for (histogram_method, spread) in [
            (HistogramMethod::None, image.clone()),
            (HistogramMethod::Histogram, equalised(&image)),
            (HistogramMethod::Clahe, tiled(&image)),
        ] {
            stamp_ns += 1;
            frontend.set_params(Params { histogram_method, prefilter, ..Params::default() }).unwrap();
            frontend.process(&Frame { stamp_ns, image: image.view() }).unwrap();
            let mut expected = spread.clone();
            if prefilter == Prefilter::Binomial3 {
                spread.binomial3(&mut expected);
            }
            assert_eq!(*frontend.gray(), expected, "{histogram_method}, {prefilter}");
        }
    }
}
