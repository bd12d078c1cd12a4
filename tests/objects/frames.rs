//! What objects do to the tracks of a front end.

use std::collections::HashMap;

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use vio_frontend::camera::{CamImu, Camera};
use vio_frontend::frame::{Frame, ImuSample};
use vio_frontend::frontend::{FrameOutput, Frontend};
use vio_frontend::image::GrayImage;
use vio_frontend::mask::Objects;
use vio_frontend::params::{CameraModel, Device, Mode, Params};
use vio_frontend::tracks::LossReason;

const MS: i64 = 1_000_000;
const SIZE: [u32; 2] = [320, 240];

/// Blocks of hashed grey: corners everywhere.
fn image() -> GrayImage {
    GrayImage::from_fn(320, 240, |x, y| {
        let hash = (x / 7 * 73_856_093) ^ (y / 7 * 19_349_663);
        (hash.wrapping_mul(2_654_435_761) >> 13) as u8
    })
}

fn params() -> Params {
    Params { device: Device::Cpu, max_cnt: 150, min_dist: 8.0, detector_dilate_px: 4.0, ..Params::default() }
}

fn objects(stamp_ms: i64, boxes: Vec<[f32; 4]>) -> Objects {
    Objects { stamp_ns: stamp_ms * MS, size: SIZE, boxes }
}

fn run(frontend: &mut Frontend, stamp_ms: i64) -> FrameOutput {
    frontend.process(&Frame { stamp_ns: stamp_ms * MS, image: image().view() }).unwrap()
}

/// Points within edges.
fn within(output: &FrameOutput, [x1, y1, x2, y2]: [f32; 4]) -> usize {
    let inside = |u: f32, v: f32| (x1..x2).contains(&(u + 0.5)) && (y1..y2).contains(&(v + 0.5));
    output.points.iter().filter(|point| inside(point.feature.u, point.feature.v)).count()
}

fn losses(output: &FrameOutput) -> HashMap<LossReason, usize> {
    let mut losses = HashMap::new();
    output.lost.iter().for_each(|lost| *losses.entry(lost.reason).or_default() += 1);
    losses
}

const BOX: [f32; 4] = [100.0, 60.0, 200.0, 180.0];
const WIDER: [f32; 4] = [96.0, 56.0, 204.0, 184.0];

#[test]
fn tracks_on_an_object_end_with_their_own_reason_and_none_begins_there() {
    let mut frontend = Frontend::new(params(), None).unwrap();
    let before = run(&mut frontend, 50);
    let there = within(&before, WIDER);
    assert!(there > 15, "{there}");
    // The left border is excluded as well: another reason.
    frontend.set_params(Params { mask_border_left: 40, ..params() }).unwrap();
    let at_the_left = within(&before, [0.0, 0.0, 40.0, 240.0]);
    frontend.set_objects(objects(50, vec![BOX]));
    let during = run(&mut frontend, 100);
    assert_eq!(within(&during, WIDER), 0);
    assert_eq!(losses(&during)[&LossReason::Object], there);
    assert_eq!(losses(&during)[&LossReason::Masked], at_the_left);
    assert!(during.points.len() > 100, "the rest of the image makes up for it");
    let mask = frontend.mask().unwrap();
    assert!(mask.is_object(97, 57) && !mask.allows(97, 57) && !mask.is_object(10, 10) && !mask.allows(10, 10));
    // Half a second after its image it no longer holds; the border does.
    run(&mut frontend, 550);
    assert!(frontend.mask().is_some_and(|mask| mask.is_object(97, 57)));
    let after = run(&mut frontend, 600);
    assert!(frontend.mask().is_some_and(|mask| mask.allows(97, 57) && !mask.is_object(97, 57) && !mask.allows(10, 10)));
    assert!(losses(&after).is_empty(), "{:?}", losses(&after));
}

#[test]
fn objects_exclude_features_in_mode_detect_as_well() {
    let mut frontend = Frontend::new(Params { mode: Mode::Detect, ..params() }, None).unwrap();
    frontend.set_objects(objects(50, vec![BOX]));
    let output = run(&mut frontend, 50);
    assert_eq!((within(&output, WIDER), output.points.len()), (0, 150));
}

#[test]
fn only_objects_that_are_wanted_recent_and_of_the_size_hold() {
    let other_size = Objects { size: [240, 320], ..objects(50, vec![BOX]) };
    let unwanted = Params { detector_mask: false, ..params() };
    let strict = Params { detector_max_age_s: 0.01, ..params() };
    for (params, objects) in [
        (params(), other_size),
        (unwanted, objects(50, vec![BOX])),
        (strict, objects(39, vec![BOX])),
        (params(), objects(50, Vec::new())),
    ] {
        let mut frontend = Frontend::new(params, None).unwrap();
        frontend.set_objects(objects);
        assert!(within(&run(&mut frontend, 50), WIDER) > 0);
        assert_eq!(frontend.mask(), None);
    }
}

#[test]
fn a_received_mask_and_objects_exclude_together() {
    let mut frontend = Frontend::new(params(), None).unwrap();
    frontend.set_mask(GrayImage::from_fn(320, 240, |x, _| if x < 150 { 0 } else { 255 }));
    frontend.set_objects(objects(50, vec![[200.0, 0.0, 320.0, 100.0]]));
    let output = run(&mut frontend, 50);
    assert_eq!(within(&output, [0.0, 0.0, 150.0, 240.0]) + within(&output, [196.0, 0.0, 320.0, 104.0]), 0);
    assert!(!output.points.is_empty());
}

/// A camera that turns about its y axis at 1 rad/s, whose IMU says so.
fn turning(known: bool) -> Frontend {
    let camera = Camera::new(CameraModel::Pinhole, [200.0, 200.0, 160.0, 120.0], &[], Some(SIZE)).unwrap();
    let mut frontend = Frontend::new(Params { mode: Mode::Detect, ..params() }, Some(camera)).unwrap();
    if known {
        frontend.set_cam_imu(Some(CamImu { cam_from_imu: Isometry3::identity(), timeshift_s: 0.0 }));
    }
    for k in 0..200 {
        frontend.add_imu(ImuSample { stamp_ns: 5 * MS * k, gyro: [0.0, 1.0, 0.0], accel: None });
    }
    frontend
}

#[test]
fn boxes_go_with_the_turn_of_the_camera_where_it_is_known() {
    for (known, after_ms) in [(true, 200), (true, -200), (false, 200)] {
        let mut frontend = turning(known);
        frontend.set_objects(objects(400, vec![BOX]));
        run(&mut frontend, 400 + after_ms);
        let mask = frontend.mask().unwrap();
        let middle_row: Vec<usize> = (0..320).filter(|&x| mask.is_object(x, 120)).collect();
        let (first, last) = (middle_row[0], middle_row[middle_row.len() - 1]);
        // To the right the camera turns, to the left things go; by the pinhole's own formula.
        let angle = if known { after_ms as f64 * 1e-3 } else { 0.0 };
        let ray = |x: f64| {
            let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.0, -angle, 0.0));
            turn * Vector3::new((x - 160.0) / 200.0, 0.0, 1.0)
        };
        let expected = [99.5, 199.5].map(|x| 160.0 + 200.0 * ray(x).x / ray(x).z);
        assert!((first as f64 - expected[0]).abs() < 9.0, "{known} {after_ms}: {first} for {}", expected[0]);
        assert!((last as f64 - expected[1]).abs() < 9.0, "{known} {after_ms}: {last} for {}", expected[1]);
        assert_eq!(angle > 0.0, last < 190, "it moved");
    }
}
