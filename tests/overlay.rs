//! Overlays: equal inputs give equal bytes, colours follow position or id, nothing is drawn outside.

use vio_frontend::feature::Feature;
use vio_frontend::frontend::OutputPoint;
use vio_frontend::image::GrayImage;
use vio_frontend::output::overlay::{ColourBy, PixelOrder, draw};

fn point(id: u64, u: f32, v: f32, level: u8) -> OutputPoint {
    let (half_x, half_y) = ((u as i32).saturating_mul(2), (v as i32).saturating_mul(2));
    let feature = Feature { u, v, half_x, half_y, level, class: 0, threshold: 5, score: 1 };
    OutputPoint { id, age: 0, feature, normalised: None, velocity: [0.0; 2], sigma: 0.2 }
}

fn drawn(points: &[OutputPoint], by: ColourBy, order: PixelOrder) -> Vec<u8> {
    let image = GrayImage::from_fn(64, 48, |x, y| (x + y) as u8);
    let mut out = vec![7; 11];
    draw(&image, points, by, order, &mut out);
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
    let pixels = drawn(&[point(0, 20.0, 20.0, 0)], ColourBy::Position, PixelOrder::Rgb);
    assert_eq!(ring(&pixels, 20, 20, 0), [40, 40, 40], "the centre stays visible");
    assert_ne!(ring(&pixels, 20, 20, 3), [43, 43, 43]);
    assert_eq!(pixels.chunks(3).filter(|p| p[0] != p[1] || p[1] != p[2]).count(), 16, "the FAST ring has 16 pixels");
}

#[test]
fn circles_grow_with_the_level() {
    for level in 0..3 {
        let pixels = drawn(&[point(0, 30.0, 24.0, level)], ColourBy::Position, PixelOrder::Rgb);
        let [r, g, b] = ring(&pixels, 30, 24, 3 << level);
        assert!(r != g || g != b, "level {level}");
    }
}

#[test]
fn colours_follow_the_position_or_the_id() {
    let colour = |id, u: f32, by| ring(&drawn(&[point(id, u, 20.0, 0)], by, PixelOrder::Rgb), u as usize, 20, 3);
    assert_eq!(colour(1, 20.0, ColourBy::Position), colour(2, 20.0, ColourBy::Position));
    assert_ne!(colour(1, 20.0, ColourBy::Position), colour(1, 40.0, ColourBy::Position));
    assert_eq!(colour(1, 20.0, ColourBy::Id), colour(1, 40.0, ColourBy::Id));
    assert_ne!(colour(1, 20.0, ColourBy::Id), colour(2, 20.0, ColourBy::Id));
}

#[test]
fn bgr_is_rgb_reversed() {
    let points: Vec<_> = (0..20).map(|i| point(i, 3.0 * i as f32, 2.0 * i as f32, (i % 3) as u8)).collect();
    let (rgb, bgr) = (drawn(&points, ColourBy::Id, PixelOrder::Rgb), drawn(&points, ColourBy::Id, PixelOrder::Bgr));
    assert!(rgb.chunks(3).zip(bgr.chunks(3)).all(|(a, b)| a.iter().eq(b.iter().rev())));
}

#[test]
fn points_at_and_beyond_the_border_are_cut_off() {
    let beyond = [0.0, 63.0, -5.0, 70.0, 1e30, -1e30, f32::NAN, f32::INFINITY];
    let points: Vec<_> = beyond.iter().flat_map(|&u| beyond.map(|v| point(0, u, v, 2))).collect();
    drawn(&points, ColourBy::Position, PixelOrder::Rgb);
}
