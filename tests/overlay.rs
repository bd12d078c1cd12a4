//! Overlays: equal inputs give equal bytes, colours follow position or age, tails follow the track, nothing is drawn
//! outside.

use vio_frontend::feature::Feature;
use vio_frontend::frontend::OutputPoint;
use vio_frontend::image::GrayImage;
use vio_frontend::mask::Mask;
use vio_frontend::output::overlay::{PixelOrder, Trails, draw};

fn point(id: u64, u: f32, v: f32, level: u8) -> OutputPoint {
    let (half_x, half_y) = ((u as i32).saturating_mul(2), (v as i32).saturating_mul(2));
    let feature = Feature { u, v, half_x, half_y, level, class: 0, threshold: 5, score: 1 };
    OutputPoint { id, age: 0, feature, normalised: None, velocity: [0.0; 2], sigma: 0.2 }
}

fn drawn(points: &[OutputPoint], trails: Option<&Trails>, order: PixelOrder) -> Vec<u8> {
    let image = GrayImage::from_fn(64, 48, |x, y| (x + y) as u8);
    let mut out = vec![7; 11];
    draw(&image, None, points, trails, order, &mut out);
    assert_eq!(out.len(), 64 * 48 * 3);
    out
}

/// The pixel `radius` to the right of a point's centre: on its circle.
fn ring(pixels: &[u8], x: usize, y: usize, radius: usize) -> [u8; 3] {
    let at = (y * 64 + x + radius) * 3;
    [pixels[at], pixels[at + 1], pixels[at + 2]]
}

#[test]
fn the_image_shows_where_no_circle_is() {
    let pixels = drawn(&[point(0, 20.0, 20.0, 0)], None, PixelOrder::Rgb);
    assert_eq!(ring(&pixels, 20, 20, 0), [40, 40, 40], "the centre stays visible");
    assert_ne!(ring(&pixels, 20, 20, 3), [43, 43, 43]);
    assert_eq!(pixels.chunks(3).filter(|p| p[0] != p[1] || p[1] != p[2]).count(), 16, "the FAST ring has 16 pixels");
}

#[test]
fn circles_grow_with_the_level() {
    for level in 0..3 {
        let pixels = drawn(&[point(0, 30.0, 24.0, level)], None, PixelOrder::Rgb);
        let [r, g, b] = ring(&pixels, 30, 24, 3 << level);
        assert!(r != g || g != b, "level {level}");
    }
}

#[test]
fn a_feature_that_stays_keeps_its_colour() {
    let colour = |id, u: f32| ring(&drawn(&[point(id, u, 20.0, 0)], None, PixelOrder::Rgb), u as usize, 20, 3);
    assert_eq!(colour(1, 20.0), colour(2, 20.0));
    assert_ne!(colour(1, 20.0), colour(1, 40.0));
}

#[test]
fn tracks_go_from_blue_to_red_with_their_age() {
    let trails = Trails::default();
    for (age, expected) in [(0, [0, 0, 255]), (5, [63, 0, 192]), (20, [255, 0, 0]), (u32::MAX, [255, 0, 0])] {
        let track = OutputPoint { age, ..point(9, 20.0, 20.0, 0) };
        assert_eq!(ring(&drawn(&[track], Some(&trails), PixelOrder::Rgb), 20, 20, 3), expected, "age {age}");
    }
}

#[test]
fn tails_join_the_last_ten_positions_and_end_with_the_track() {
    let mut trails = Trails::default();
    // Two pixels to the right a frame, from 2 to 30; the other track stays away for a frame.
    for frame in 1..=15 {
        let mut tracks = vec![point(1, 2.0 * frame as f32, 20.0, 0)];
        if frame != 14 {
            tracks.push(point(2, 50.0, 3.0 * frame as f32 % 40.0, 0));
        }
        trails.extend(&tracks);
    }
    let tail = |id| trails.tail(id).copied().collect::<Vec<_>>();
    assert_eq!(tail(1), (6..=15).map(|frame| [2.0 * frame as f32, 20.0]).collect::<Vec<_>>());
    assert_eq!(tail(2), [[50.0, 5.0]], "what came before the gap is forgotten");
    assert!(tail(3).is_empty());
    let pixels = drawn(&[point(1, 30.0, 20.0, 0)], Some(&trails), PixelOrder::Rgb);
    let on_row = (0..64).filter(|&x| ring(&pixels, x, 20, 0) == [0, 0, 255]).collect::<Vec<_>>();
    assert_eq!(on_row, (12..=30).chain([33]).collect::<Vec<_>>(), "the tail, and the right of the circle");
}

#[test]
fn lines_run_in_every_direction_and_are_cut_off_at_the_border() {
    for [u, v] in [[50.0, 20.0], [10.0, 20.0], [30.0, 2.0], [30.0, 46.0], [45.0, 27.0], [23.0, 5.0], [1e9, -1e9]] {
        let mut trails = Trails::default();
        trails.extend(&[point(1, 30.0, 24.0, 0)]);
        trails.extend(&[point(1, u, v, 0)]);
        // The circle is far outside.
        let pixels = drawn(&[point(1, 1e6, 1e6, 0)], Some(&trails), PixelOrder::Rgb);
        let line = (0..64 * 48).filter(|i| pixels[3 * i..][..3] == [0, 0, 255]).collect::<Vec<_>>();
        assert!(line.contains(&(24 * 64 + 30)), "it begins at its begin");
        if u < 64.0 {
            assert!(line.contains(&(v as usize * 64 + u as usize)), "it ends at its end");
            assert_eq!(line.len(), 1 + (u - 30.0_f32).abs().max((v - 24.0_f32).abs()) as usize);
        }
    }
}

#[test]
fn bgr_is_rgb_reversed() {
    let points: Vec<_> = (0..20).map(|i| point(i, 3.0 * i as f32, 2.0 * i as f32, (i % 3) as u8)).collect();
    let (rgb, bgr) = (drawn(&points, None, PixelOrder::Rgb), drawn(&points, None, PixelOrder::Bgr));
    assert!(rgb.chunks(3).zip(bgr.chunks(3)).all(|(a, b)| a.iter().eq(b.iter().rev())));
}

#[test]
fn points_at_and_beyond_the_border_are_cut_off() {
    let beyond = [0.0, 63.0, -5.0, 70.0, 1e30, -1e30, f32::NAN, f32::INFINITY];
    let points: Vec<_> = beyond.iter().flat_map(|&u| beyond.map(|v| point(0, u, v, 2))).collect();
    drawn(&points, None, PixelOrder::Rgb);
}

#[test]
fn what_the_mask_excludes_is_darker_and_reddish() {
    let image = GrayImage::from_fn(64, 48, |_, _| 100);
    let mut mask = Mask::all(64, 48);
    mask.exclude_rectangle(10..20, 5..9);
    for (order, shaded) in [(PixelOrder::Rgb, [114, 50, 50]), (PixelOrder::Bgr, [50, 50, 114])] {
        let mut out = Vec::new();
        draw(&image, Some(&mask), &[], None, order, &mut out);
        for (at, pixel) in out.chunks(3).enumerate() {
            assert_eq!(pixel, if mask.allows(at % 64, at / 64) { [100; 3] } else { shaded }, "{at}");
        }
    }
}
