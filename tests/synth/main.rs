//! The simulator: deterministic, true to itself, and worth looking at.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests fail by panicking")]

mod bits;
mod effects;
mod line;
mod motion;
mod subpixel;
mod truth;

use std::sync::OnceLock;

use vio_frontend::camera::Camera;
use vio_frontend::image::GrayImage;
use vio_frontend::params::CameraModel;
use vio_frontend::source::synth::{self, Effects, Synth, SynthOptions};

/// Every scene as it is by default.
fn scenes() -> &'static [Synth] {
    static SCENES: OnceLock<Vec<Synth>> = OnceLock::new();
    SCENES.get_or_init(|| synth::names().into_iter().map(scene).collect())
}

/// A scene, perhaps with effects.
fn scene(line: &str) -> Synth {
    Synth::new(line, &SynthOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn image(synth: &Synth, k: usize) -> GrayImage {
    let mut image = GrayImage::default();
    synth.render(k, &mut image);
    image
}

/// Bilinear, inside the image.
fn grey(image: &GrayImage, [u, v]: [f64; 2]) -> f64 {
    let (x, y) = ((u as usize).min(image.width() - 2), (v as usize).min(image.height() - 2));
    let (a, b) = (u - x as f64, v - y as f64);
    let at = |x, y| f64::from(image.at(x, y));
    (1.0 - b) * ((1.0 - a) * at(x, y) + a * at(x + 1, y)) + b * ((1.0 - a) * at(x, y + 1) + a * at(x + 1, y + 1))
}

/// Pixels of a grid of `step`, away from the border.
fn grid(step: usize) -> impl Iterator<Item = [f64; 2]> {
    (8..472).step_by(step).flat_map(move |y| (8..632).step_by(step).map(move |x| [x as f64, y as f64]))
}

fn small_camera(model: CameraModel) -> Camera {
    Camera::new(model, [40.0, 40.0, 31.5, 23.5], &[], Some([64, 48])).expect("valid")
}

/// `frames` images of 64 x 48 pixels.
fn small(frames: usize) -> SynthOptions {
    let camera = Some(small_camera(CameraModel::Equidistant));
    SynthOptions { frames, camera, effects: Effects::default() }
}
