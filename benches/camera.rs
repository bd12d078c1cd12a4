//! Speed of the camera models: `cargo bench --bench camera`.
//!
//! Prints microseconds for 1,000 pixels spread over the image, for each model: `normalise` and `project`, the best of
//! 200 runs, so that other programs on the machine count least.

use std::hint::black_box;
use std::time::Instant;

use vio_frontend::camera::Camera;
use vio_frontend::params::CameraModel::{Equidistant, Omni, Pinhole};

const RUNS: usize = 200;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cameras = [
        (
            "radtan",
            Camera::new(
                Pinhole,
                [458.654, 457.296, 367.215, 248.375],
                &[-0.28340811, 0.07395907, 0.00019359, 1.76187114e-05],
                None,
            )?,
        ),
        (
            "rational",
            Camera::new(
                Pinhole,
                [609.9, 609.8, 377.7, 247.9],
                &[0.5127, -2.6885, 0.000775, -0.000106, 1.5457, 0.3913, -2.5051, 1.4702],
                None,
            )?,
        ),
        (
            "equidistant",
            Camera::new(
                Equidistant,
                [366.163, 365.631, 380.573, 225.950],
                &[-0.020476443, -0.007108226, 0.002180580, -0.001192386],
                None,
            )?,
        ),
        ("omni", Camera::new(Omni, [1.8, 1089.3, 1088.5, 372.1, 236.8], &[-0.05, 0.18, 0.0004, -0.0003], None)?),
    ];
    // 40 x 25 pixels over 752 x 480.
    let pixels: Vec<[f64; 2]> =
        (0..1000).map(|i| [9.5 + 18.8 * f64::from(i % 40), 9.5 + 19.2 * f64::from(i / 40)]).collect();
    for (name, camera) in &cameras {
        let points: Vec<[f64; 3]> = pixels.iter().filter_map(|&pixel| camera.unproject(pixel)).collect();
        let normalise = best(|| pixels.iter().filter_map(|&pixel| camera.normalise(black_box(pixel))).count());
        let project = best(|| points.iter().filter_map(|&point| camera.project(black_box(point))).count());
        println!("{name}: normalise {normalise:.1} us, project {project:.1} us");
    }
    Ok(())
}

/// Least time of a run, us.
fn best(run: impl Fn() -> usize) -> f64 {
    let time = || {
        let start = Instant::now();
        black_box(run());
        start.elapsed().as_secs_f64() * 1e6
    };
    (0..RUNS).map(|_| time()).fold(f64::INFINITY, f64::min)
}
