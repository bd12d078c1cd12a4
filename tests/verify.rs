//! Verification of tracks: known outliers, objects that move on their own, turns, standing cameras, planes.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use nalgebra::{Rotation3, UnitQuaternion, Vector3};
use vio_frontend::params::Params;
use vio_frontend::source::synth::{Synth, SynthOptions, Tracks};
use vio_frontend::verify::{BearingPair, Method, Verification, VerifySettings, verify};

/// SplitMix64, for noise that is the same in every run.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// About normal, of standard deviation 1.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// Standard deviation of a tracked position along an axis, px.
const NOISE_PX: f64 = 0.1;

/// Tracks of a scene from image `k` to a later one.
struct Scene {
    points: Vec<BearingPair>,
    /// On a surface that moves on its own.
    moving: Vec<bool>,
    /// Distance from the true epipolar geometry before noise, px.
    off_px: Vec<f64>,
    rotation: UnitQuaternion<f64>,
    pixels_per_radian: f64,
}

fn tracks(name: &str, k: usize, step: usize) -> Scene {
    let synth = Synth::new(name, &SynthOptions { frames: k + step + 1, ..SynthOptions::default() }).expect("a scene");
    let camera = synth.camera();
    let (a, b) = (synth.world_from_cam(k), synth.world_from_cam(k + step));
    let rotation = b.rotation.transpose() * a.rotation;
    let translation = b.apply_inverse(a.translation);
    let pixels_per_radian = camera.pixels_per_radian();
    let mut noise = Noise(17);
    let mut scene = Scene {
        points: Vec::new(),
        moving: Vec::new(),
        off_px: Vec::new(),
        rotation: UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation)),
        pixels_per_radian,
    };
    for track in Tracks::default().advance(&synth, k) {
        let Some(to) = synth.sight(k + step, &track.on).pixel() else { continue };
        let mut bearing = |pixel: [f64; 2]| {
            let noisy = pixel.map(|c| c + NOISE_PX * noise.normal());
            Some((Vector3::from(camera.unproject(pixel)?), Vector3::from(camera.unproject(noisy)?)))
        };
        let (Some((before, _)), Some((after, noisy))) = (bearing(track.pixel), bearing(to)) else { continue };
        let plane = translation.cross(&(rotation * before));
        let off = if plane.norm() > 1e-12 { (after.dot(&plane) / plane.norm()).abs() } else { 0.0 };
        scene.points.push(BearingPair { before, after: noisy });
        scene.moving.push(track.on.moving);
        scene.off_px.push(off * pixels_per_radian);
    }
    scene
}

impl Scene {
    fn settings(&self) -> VerifySettings {
        VerifySettings::new(&Params::default(), self.pixels_per_radian)
    }

    /// Every `nth` point is sent 5 to 40 px elsewhere; yields which.
    fn spoil(&mut self, nth: usize) -> Vec<bool> {
        let mut noise = Noise(99);
        let spoilt: Vec<bool> = (0..self.points.len()).map(|i| i % nth == 0).collect();
        for (point, _) in self.points.iter_mut().zip(&spoilt).filter(|(_, spoilt)| **spoilt) {
            let angle = (5.0 + 35.0 * noise.uniform()) / self.pixels_per_radian;
            let random = Vector3::new(noise.normal(), noise.normal(), noise.normal());
            let axis = point.after.cross(&random).normalize();
            point.after = UnitQuaternion::new(axis.cross(&point.after) * angle) * point.after;
        }
        spoilt
    }
}

/// Share of `wanted` that were rejected, and share of the rejected that were `wanted`.
fn recall_precision(verification: &Verification, wanted: &[bool]) -> (f64, f64) {
    let rejected = verification.inliers.iter().filter(|inlier| !**inlier).count();
    let hit = verification.inliers.iter().zip(wanted).filter(|(inlier, wanted)| !**inlier && **wanted).count();
    let all = wanted.iter().filter(|wanted| **wanted).count();
    (hit as f64 / all.max(1) as f64, hit as f64 / rejected.max(1) as f64)
}

#[test]
fn objects_that_move_across_the_epipolar_lines_are_rejected() {
    let scenes: Vec<Scene> = (0..60).step_by(6).map(|k| tracks("moving_objects", k, 3)).collect();
    for known in [true, false] {
        let (mut hit, mut all, mut rejected, mut right) = (0, 0, 0, 0);
        for scene in &scenes {
            let found = verify(&scene.points, known.then_some(&scene.rotation), &scene.settings());
            for ((inlier, moving), off) in found.inliers.iter().zip(&scene.moving).zip(&scene.off_px) {
                // Across the lines: twice the threshold.
                let across = *moving && *off > 2.0;
                all += usize::from(across);
                hit += usize::from(across && !inlier);
                rejected += usize::from(!inlier);
                right += usize::from(*moving && !inlier);
            }
        }
        let (recall, precision) = (hit as f64 / all as f64, right as f64 / rejected as f64);
        println!("known rotation {known}: recall {recall:.3} of {all}, precision {precision:.3}");
        assert!(all > 200 && recall >= 0.9 && precision >= 0.95, "{known}: {recall:.3} of {all}, {precision:.3}");
    }
}

#[test]
fn known_outliers_are_found_whatever_the_motion() {
    for name in ["room", "corridor", "outdoor", "fast_rotation", "low_texture"] {
        let mut scene = tracks(name, 10, 2);
        let spoilt = scene.spoil(4);
        for known in [true, false] {
            let found = verify(&scene.points, known.then_some(&scene.rotation), &scene.settings());
            let (recall, precision) = recall_precision(&found, &spoilt);
            println!(
                "{name}, known rotation {known}: {:?}, recall {recall:.3}, precision {precision:.3}",
                found.method
            );
            // A random direction lies along the epipolar line of a point now and then.
            assert!(
                recall >= 0.85 && precision >= 0.97,
                "{name} {known}: {recall:.3} {precision:.3} {:?}",
                found.method
            );
        }
    }
}

#[test]
fn clean_scenes_keep_all() {
    for name in ["room", "corridor", "outdoor", "fast_rotation"] {
        let scene = tracks(name, 20, 1);
        for known in [true, false] {
            let found = verify(&scene.points, known.then_some(&scene.rotation), &scene.settings());
            let kept = found.inliers.iter().filter(|inlier| **inlier).count();
            assert!(
                kept as f64 >= 0.995 * found.inliers.len() as f64,
                "{name} {known}: {kept} of {}",
                found.inliers.len()
            );
        }
    }
}

/// Points seen by a camera that does not translate, `noise_px` apart.
fn turning(rotation: &UnitQuaternion<f64>, count: usize, noise_px: f64) -> Vec<BearingPair> {
    let mut noise = Noise(5);
    let mut bearing = || Vector3::new(1.6 * noise.uniform() - 0.8, 1.2 * noise.uniform() - 0.6, 1.0).normalize();
    let befores: Vec<_> = (0..count).map(|_| bearing()).collect();
    let mut jitter = || Vector3::new(noise.normal(), noise.normal(), noise.normal()) * (noise_px / 400.0);
    befores
        .into_iter()
        .map(|before| BearingPair { before, after: (rotation * before + jitter()).normalize() })
        .collect()
}

#[test]
fn turns_and_standing_cameras_keep_all_but_outliers() {
    for turn in [UnitQuaternion::identity(), UnitQuaternion::new(Vector3::new(0.05, -0.15, 0.02))] {
        for known in [true, false] {
            let mut points = turning(&turn, 150, 0.1);
            for point in points.iter_mut().step_by(10) {
                point.after = UnitQuaternion::new(Vector3::new(0.03, 0.02, 0.0)) * point.after;
            }
            let found = verify(&points, known.then_some(&turn), &VerifySettings::new(&Params::default(), 400.0));
            assert_eq!(found.method, Method::Rotation);
            let wanted: Vec<bool> = (0..points.len()).map(|i| i % 10 != 0).collect();
            assert_eq!(found.inliers, wanted, "{turn} {known}");
        }
    }
}

#[test]
fn a_wrong_known_rotation_is_overruled() {
    let mut scene = tracks("corridor", 10, 2);
    let spoilt = scene.spoil(4);
    // Four pixels of error: a bias, or an offset of the clocks.
    let wrong = UnitQuaternion::new(Vector3::new(0.008, -0.006, 0.004)) * scene.rotation;
    let found = verify(&scene.points, Some(&wrong), &scene.settings());
    let (recall, precision) = recall_precision(&found, &spoilt);
    assert!(recall >= 0.85 && precision >= 0.97, "{recall:.3} {precision:.3} {:?}", found.method);
}

#[test]
fn planes_are_no_special_case() {
    // A wall at 3 m, turned a little; the camera moves sideways and turns.
    let (turn, shift) = (UnitQuaternion::new(Vector3::new(0.01, 0.03, -0.02)), Vector3::new(0.2, 0.02, -0.05));
    let mut noise = Noise(8);
    let mut points = Vec::new();
    for _ in 0..200 {
        let (x, y) = (3.0 * noise.uniform() - 1.5, 2.0 * noise.uniform() - 1.0);
        let point = Vector3::new(x, y, 3.0 + 0.2 * x);
        let jitter = Vector3::new(noise.normal(), noise.normal(), noise.normal()) * (0.1 / 400.0);
        points.push(BearingPair {
            before: point.normalize(),
            after: ((turn * point + shift).normalize() + jitter).normalize(),
        });
    }
    for known in [true, false] {
        let found = verify(&points, known.then_some(&turn), &VerifySettings::new(&Params::default(), 400.0));
        let kept = found.inliers.iter().filter(|inlier| **inlier).count();
        assert!(kept >= 198, "known rotation {known}: {kept} of 200, {:?}", found.method);
    }
}

#[test]
fn too_few_points_and_chaos_are_not_judged() {
    let few = turning(&UnitQuaternion::identity(), 7, 30.0);
    let found = verify(&few, None, &VerifySettings::new(&Params::default(), 400.0));
    assert_eq!((found.method, found.inliers), (Method::TooFew, vec![true; 7]));
    assert_eq!(verify(&[], None, &VerifySettings::new(&Params::default(), 400.0)).method, Method::TooFew);
    let chaos = turning(&UnitQuaternion::identity(), 60, 60.0);
    let found = verify(&chaos, None, &VerifySettings::new(&Params::default(), 400.0));
    assert_eq!((found.method, found.inliers), (Method::Undecided, vec![true; 60]));
}

#[test]
fn numbers_that_are_none_are_outliers() {
    let turn = UnitQuaternion::new(Vector3::new(0.0, 0.1, 0.0));
    let mut points = turning(&turn, 100, 0.1);
    points[3].after = Vector3::new(f64::NAN, 0.0, 1.0);
    points[7].before = Vector3::new(0.0, f64::INFINITY, 1.0);
    points[9].after = Vector3::zeros();
    for known in [None, Some(&turn)] {
        let found = verify(&points, known, &VerifySettings::new(&Params::default(), 400.0));
        let lost: Vec<usize> = (0..100).filter(|&i| !found.inliers[i]).collect();
        assert_eq!(lost, [3, 7, 9]);
        assert!(found.residuals_px.iter().all(|r| !r.is_nan()));
    }
}

#[test]
fn the_same_seed_gives_the_same_and_order_of_calls_does_not_matter() {
    let mut scene = tracks("room", 5, 3);
    scene.spoil(3);
    let settings = VerifySettings { seed: 42, ..scene.settings() };
    let once = verify(&scene.points, None, &settings);
    let threads: Vec<Verification> = std::thread::scope(|scope| {
        let spawn = |_| scope.spawn(|| verify(&scene.points, None, &settings));
        let handles: Vec<_> = (0..4).map(spawn).collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    assert!(threads.iter().all(|other| *other == once));
}
