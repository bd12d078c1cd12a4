//! The IMU, the order of events, what is refused; and enough to see.

use nalgebra::{Matrix3, Vector3};
use vio_frontend::camera::Camera;
use vio_frontend::detect::{DetectSettings, Gain, plain::PlainDetector};
use vio_frontend::params::{CameraModel, Params};
use vio_frontend::source::synth::{self, SynthOptions};
use vio_frontend::source::{Event, Source};

use crate::{grid, image, scenes, small};

#[test]
fn scenes_offer_corners_for_twice_a_thousand_features() {
    let settings = DetectSettings::from(&Params::default());
    for synth in scenes() {
        let plain = synth.name() == "low_texture";
        for k in (0..200).step_by(40) {
            let mut gain = Gain::default();
            let detection = PlainDetector::new().detect(&image(synth, k), None, &settings, &mut gain);
            println!("{} image {k}: {}", synth.name(), detection.offered);
            let expected = if plain { 50..1500 } else { 2000..u32::MAX };
            assert!(expected.contains(&detection.offered), "{} image {k}: {}", synth.name(), detection.offered);
            for level in (0..3).filter(|_| !plain) {
                assert!(detection.features.iter().any(|feature| feature.level == level), "level {level}");
            }
        }
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
        // The error of the midpoint rule grows with the square of the rates.
        let allowed = if synth.name() == "fast_rotation" { 3e-2 } else { 1e-2 };
        assert!(turn < 1e-4 && offset < allowed, "{}: {turn} rad, {offset} m", synth.name());
    }
}

#[test]
fn the_source_yields_imu_around_every_image_in_order() {
    let mut source = synth::open("corridor", &small(5)).expect("a known scene");
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
    assert_eq!(
        error.to_string(),
        "scene 'attic' is unknown; known: room, corridor, outdoor, low_texture, moving_objects, fast_rotation"
    );
    let camera = Camera::new(CameraModel::Pinhole, [50.0, 50.0, 32.0, 24.0], &[], None).expect("valid");
    let error = synth::open("room", &SynthOptions { frames: 1, camera: Some(camera), ..SynthOptions::default() })
        .expect_err("no size");
    assert_eq!(error.to_string(), "the camera of a simulation must know its image size");
}

#[test]
fn the_camera_keeps_clear_of_everything() {
    for synth in scenes() {
        for k in (0..200).step_by(5) {
            let depths = grid(66).filter_map(|pixel| synth.depth(k, pixel));
            let nearest = depths.fold(f64::INFINITY, f64::min);
            assert!(nearest > 0.3, "{} image {k}: {nearest} m", synth.name());
        }
    }
}
