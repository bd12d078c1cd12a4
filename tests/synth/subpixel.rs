//! The rendered images move by what the truth says, to a hundredth of a pixel: one step of Lucas and Kanade (1981) from
//! the true position finds nothing left to correct.

use nalgebra::{Matrix2, Vector2};
use vio_frontend::image::GrayImage;
use vio_frontend::source::synth::Synth;

use crate::{grey, grid, image, scene, scenes};

/// Half side of a patch, px.
const REACH: i32 = 4;

/// What is left of each patch's displacement, px: where `next` shows the patch of `here` about a centre, less where
/// `warp` takes it. Patches without corners, and those of which `warp` loses a pixel, are left out.
fn residuals(
    here: &GrayImage,
    next: &GrayImage,
    centres: impl Iterator<Item = [f64; 2]>,
    warp: impl Fn([f64; 2]) -> Option<[f64; 2]>,
) -> Vec<([f64; 2], Vector2<f64>)> {
    let patch = |[x, y]: [f64; 2]| -> Option<Vector2<f64>> {
        let (mut normal, mut right) = (Matrix2::zeros(), Vector2::zeros());
        for (i, j) in (-REACH..=REACH).flat_map(|j| (-REACH..=REACH).map(move |i| (i, j))) {
            let pixel @ [u, v] = [x + f64::from(i), y + f64::from(j)];
            let slope = |du, dv| 0.5 * (grey(here, [u + du, v + dv]) - grey(here, [u - du, v - dv]));
            let gradient = Vector2::new(slope(1.0, 0.0), slope(0.0, 1.0));
            normal += gradient * gradient.transpose();
            right += gradient * (grey(here, pixel) - grey(next, warp(pixel)?));
        }
        // Both directions well seen: 10 grey levels a pixel on average.
        let least = normal.symmetric_eigenvalues().min();
        let pixels = f64::from((2 * REACH + 1) * (2 * REACH + 1));
        (least > 100.0 * pixels).then(|| normal.try_inverse().map(|inverse| inverse * right)).flatten()
    };
    centres.filter_map(|centre| Some((centre, patch(centre)?))).collect()
}

/// Mean, and root mean square about zero, px.
fn moments(residuals: &[([f64; 2], Vector2<f64>)]) -> (Vector2<f64>, f64) {
    let n = residuals.len() as f64;
    let mean = residuals.iter().map(|(_, d)| d).sum::<Vector2<f64>>() / n;
    (mean, (residuals.iter().map(|(_, d)| d.norm_squared()).sum::<f64>() / n).sqrt())
}

/// The pixel of image `k` + 1 that shows what `pixel` of image `k` does, where that is on a surface wanted.
fn flow(synth: &Synth, k: usize, pixel: [f64; 2], moving: bool) -> Option<[f64; 2]> {
    let point = synth.surface_point(k, pixel)?;
    if point.moving == moving { synth.sight(k + 1, &point).pixel() } else { None }
}

#[test]
fn the_flow_of_textured_patches_is_unbiased() {
    for synth in scenes() {
        for moving in [false, true] {
            if moving && synth.name() != "moving_objects" {
                continue;
            }
            let mut all = Vec::new();
            for k in [20, 60, 130] {
                let (here, next) = (image(synth, k), image(synth, k + 1));
                all.extend(residuals(&here, &next, grid(12), |pixel| flow(synth, k, pixel, moving)));
            }
            let (mean, rms) = moments(&all);
            println!("{} {moving}: {} patches, mean {mean:?} px, rms {rms} px", synth.name(), all.len());
            assert!(all.len() > 50, "{}: {}", synth.name(), all.len());
            assert!(mean.amax() < 0.015 && rms < 0.12, "{}: {mean:?} {rms}", synth.name());
        }
    }
}

/// The measure above sees a truth that is a tenth of a pixel wrong.
#[test]
fn a_shifted_truth_is_seen() {
    let synth = &scenes()[0];
    let (here, next) = (image(synth, 60), image(synth, 61));
    let shifted = |pixel| flow(synth, 60, pixel, false).map(|[u, v]| [u + 0.1, v]);
    let (mean, _) = moments(&residuals(&here, &next, grid(12), shifted));
    println!("{mean:?}");
    assert!((mean.x + 0.1).abs() < 0.02 && mean.y.abs() < 0.015, "{mean:?}");
}

/// Blur spreads to both sides of the truth alike: a blurred image lies on the sharp one of the same stamp.
#[test]
fn the_truth_of_a_blurred_image_is_the_middle_of_its_exposure() {
    for (name, blurred) in [("room", "room?blur=20ms"), ("moving_objects", "moving_objects?blur=20ms")] {
        let (synth, blurred) = (scene(name), scene(blurred));
        let (mut sum, mut n, mut motion) = (0.0, 0.0, 0.0);
        for k in [20, 60, 130] {
            let residuals = residuals(&image(&blurred, k), &image(&synth, k), grid(12), Some);
            for (pixel, residual) in residuals {
                let Some([u, v]) = synth.flow(k, k + 1, pixel) else { continue };
                let flow = Vector2::new(u - pixel[0], v - pixel[1]);
                sum += residual.dot(&flow) / flow.norm();
                // 20 of 50 ms.
                motion += 0.4 * flow.norm();
                n += 1.0;
            }
        }
        println!("{name}: {n} patches, {} px along a smear of {} px", sum / n, motion / n);
        assert!(n > 50.0 && (sum / n).abs() < 0.03 * motion / n, "{name}: {n} {} {}", sum / n, motion / n);
    }
}
