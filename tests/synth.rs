//! The simulator: deterministic, true to itself, and worth looking at.
#![allow(clippy::expect_used, clippy::panic)] // helper functions of tests

use nalgebra::{Matrix3, Vector3};
use vio_frontend::camera::Camera;
use vio_frontend::detect::{DetectSettings, Gain, plain::PlainDetector};
use vio_frontend::image::GrayImage;
use vio_frontend::params::{CameraModel, Params};
use vio_frontend::source::synth::{self, Synth, SynthOptions};
use vio_frontend::source::{Event, Source};

fn scenes() -> Vec<Synth> {
    synth::names().into_iter().map(|name| Synth::new(name, &SynthOptions::default()).expect("a known scene")).collect()
}

fn image(synth: &Synth, k: usize) -> GrayImage {
    let mut image = GrayImage::default();
    synth.render(k, &mut image);
    image
}

/// FNV-1a.
fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
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

/// The digests were made by this test on x86-64, the same with and without optimisation and with `target-cpu=native`.
/// New ones: let `cargo test --test synth bits` fail and copy what it prints on the left.
#[test]
fn images_and_imu_have_the_same_bits_everywhere() {
    let expected = [
        ("room", [11822942835291481080, 6766914121148953462], 5520245698714756),
        ("corridor", [4198472288428042297, 8835424889902303035], 11788524496808934919),
    ];
    let found: Vec<_> = scenes()
        .iter()
        .map(|synth| {
            let images = [0, 137].map(|k| digest(image(synth, k).pixels()));
            let imu: Vec<u8> = (0..400)
                .map(|j| synth.imu(j))
                .flat_map(|sample| sample.gyro.into_iter().chain(sample.accel.expect("an accelerometer")))
                .flat_map(f64::to_le_bytes)
                .collect();
            (synth.name(), images, digest(&imu))
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn scenes_offer_corners_for_twice_a_thousand_features() {
    let settings = DetectSettings::from(&Params::default());
    for synth in scenes() {
        for k in (0..200).step_by(40) {
            let mut gain = Gain::default();
            let detection = PlainDetector::new().detect(&image(&synth, k), None, &settings, &mut gain);
            assert!(detection.offered >= 2000, "{} frame {k}: {}", synth.name(), detection.offered);
            for level in 0..3 {
                assert!(detection.features.iter().any(|feature| feature.level == level), "level {level}");
            }
        }
    }
}

#[test]
fn flow_is_projection_of_depth_through_the_poses() {
    for synth in scenes() {
        let mut seen = 0;
        for k in [0, 50, 199] {
            let cam_from_world = synth.world_from_cam(k + 1);
            for pixel in grid(16) {
                let Some([u, v]) = synth.flow(k, k + 1, pixel) else { continue };
                let depth = synth.depth(k, pixel).expect("a surface");
                let [x, y] = synth.camera().normalise(pixel).expect("a point");
                let world = synth.world_from_cam(k).apply(Vector3::new(x, y, 1.0) * depth);
                let next = cam_from_world.apply_inverse(world);
                let [pu, pv] = synth.camera().project(next.into()).expect("a pixel");
                assert!((pu - u).abs() < 1e-9 && (pv - v).abs() < 1e-9);
                let back = synth.flow(k + 1, k, [u, v]).expect("visible from both");
                assert!((back[0] - pixel[0]).abs() < 1e-6 && (back[1] - pixel[1]).abs() < 1e-6, "{pixel:?} {back:?}");
                seen += 1;
            }
        }
        assert!(seen > 2500, "{}: {seen}", synth.name());
    }
}

#[test]
fn pixels_keep_their_grey_level_along_the_flow() {
    for synth in scenes() {
        let (here, next) = (image(&synth, 60), image(&synth, 61));
        let (mut along, mut still, mut n) = (0.0, 0.0, 0.0);
        for pixel in grid(3) {
            let Some(moved) = synth.flow(60, 61, pixel) else { continue };
            along += (grey(&here, pixel) - grey(&next, moved)).abs();
            still += (grey(&here, pixel) - grey(&next, pixel)).abs();
            n += 1.0;
        }
        println!("{}: {} grey levels along the flow, {} without", synth.name(), along / n, still / n);
        assert!(along / n < 0.25 * still / n, "{}: {} of {}", synth.name(), along / n, still / n);
    }
}

/// Without truth beyond the start, the IMU leads to the end: midpoint integration at 200 Hz.
#[test]
fn imu_integrates_to_the_trajectory() {
    for synth in scenes() {
        let first = synth.imu(0);
        let mut state = synth.body_state(first.stamp_ns);
        let (mut rotation, mut velocity, mut position) =
            (state.world_from_body.rotation, state.velocity, state.world_from_body.translation);
        let mut previous = first;
        for j in 1..synth.imu_samples() {
            let sample = synth.imu(j);
            let dt = (sample.stamp_ns - previous.stamp_ns) as f64 * 1e-9;
            let gyro = 0.5 * (Vector3::from(previous.gyro) + Vector3::from(sample.gyro));
            let force = 0.5
                * (Vector3::from(previous.accel.expect("accelerometer"))
                    + Vector3::from(sample.accel.expect("accelerometer")));
            let half = rotation * nalgebra::Rotation3::new(0.5 * dt * gyro).into_inner();
            let acceleration = half * force + Vector3::new(0.0, 0.0, -9.81);
            position += velocity * dt + 0.5 * dt * dt * acceleration;
            velocity += acceleration * dt;
            rotation *= nalgebra::Rotation3::new(dt * gyro).into_inner();
            previous = sample;
        }
        state = synth.body_state(previous.stamp_ns);
        let turn = (rotation.transpose() * state.world_from_body.rotation - Matrix3::identity()).norm();
        let offset = (position - state.world_from_body.translation).norm();
        println!("{}: {turn} rad, {offset} m after 10 s", synth.name());
        assert!(turn < 1e-4 && offset < 1e-2, "{}: {turn} rad, {offset} m", synth.name());
    }
}

#[test]
fn the_source_yields_imu_around_every_image_in_order() {
    let options = SynthOptions { frames: 5, camera: Some(small_camera(CameraModel::Equidistant)) };
    let mut source = synth::open("corridor", &options).expect("a known scene");
    assert_eq!((source.frames(), source.camera().expect("calibrated").image_size()), (5, Some([64, 48])));
    let (mut last, mut images, mut samples) = (i64::MIN, 0, 0);
    while let Some(event) = source.next_event() {
        let stamp_ns = match event {
            Event::Image { stamp_ns, image } => {
                assert_eq!((image.width(), image.height(), stamp_ns), (64, 48, source.synth().stamp_ns(images)));
                images += 1;
                stamp_ns
            }
            Event::Imu(sample) => {
                samples += 1;
                sample.stamp_ns
            }
            Event::Unreadable { message, .. } => panic!("{message}"),
        };
        assert!(stamp_ns >= last);
        last = stamp_ns;
    }
    assert_eq!((images, samples), (5, source.synth().imu_samples()));
    assert!(last > source.synth().stamp_ns(4));
    assert!(source.next_event().is_none());
}

#[test]
fn no_frames_are_a_stream_of_imu_samples() {
    let mut source = synth::open("room", &SynthOptions { frames: 0, ..SynthOptions::default() }).expect("known");
    assert!(matches!(source.next_event(), Some(Event::Imu(_))));
}

#[test]
fn unknown_scenes_and_cameras_without_size_are_refused() {
    let error = synth::open("attic", &SynthOptions::default()).expect_err("unknown");
    assert_eq!(error.to_string(), "scene 'attic' is unknown; known: room, corridor");
    let camera = Camera::new(CameraModel::Pinhole, [50.0, 50.0, 32.0, 24.0], &[], None).expect("valid");
    let error = synth::open("room", &SynthOptions { frames: 1, camera: Some(camera) }).expect_err("no size");
    assert_eq!(error.to_string(), "the camera of a simulation must know its image size");
}

fn small_camera(model: CameraModel) -> Camera {
    Camera::new(model, [40.0, 40.0, 31.5, 23.5], &[], Some([64, 48])).expect("valid")
}
