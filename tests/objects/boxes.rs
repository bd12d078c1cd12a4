//! Boxes as pixels, where they are and where a turn of the camera takes them.

use nalgebra::{UnitQuaternion, Vector3};
use vio_frontend::camera::Camera;
use vio_frontend::detections::Detection;
use vio_frontend::mask::{Mask, Objects};
use vio_frontend::params::CameraModel;

const SIZE: [u32; 2] = [40, 30];

fn detection(class: u32, [x1, y1, x2, y2]: [f32; 4]) -> Detection {
    Detection { x1, y1, x2, y2, score: 0.5, class, anchor: 0 }
}

fn pinhole(distortion: &[f64]) -> Camera {
    Camera::new(CameraModel::Pinhole, [390.0, 390.5, 320.3, 238.7], distortion, Some([640, 480])).unwrap()
}

fn objects(boxes: Vec<[f32; 4]>) -> Objects {
    Objects { stamp_ns: 5_000_000_000, size: [640, 480], boxes }
}

#[test]
fn a_pixel_is_excluded_where_a_wider_box_of_the_classes_touches_it() {
    let found = [
        detection(0, [10.25, 5.0, 20.0, 8.5]),
        detection(4, [0.0, 0.0, 40.0, 30.0]),
        detection(2, [38.0, -3.0, 60.0, 2.0]),
        // Outside, clipped to the border.
        detection(0, [0.0, 30.0, 40.0, 30.0]),
        detection(0, [f32::NAN, 0.0, 40.0, 30.0]),
    ];
    let objects = Objects::of(&found, &[0, 2], 7, SIZE);
    assert_eq!((objects.boxes.len(), objects.stamp_ns), (2, 7));
    for dilate in [0.0, 1.5, 100.0] {
        let excluded = objects.excluded(None, f64::from(dilate));
        let mut base = Mask::all(40, 30);
        base.exclude(30, 20);
        for base in [None, Some(&base)] {
            let mut mask = Mask::default();
            mask.renew(base, [40, 30], &excluded);
            for (y, x) in (0..30).flat_map(|y| (0..40).map(move |x| (y, x))) {
                let (left, top) = (x as f32, y as f32);
                let touches = |b: &Detection| {
                    left + 1.0 > b.x1 - dilate
                        && left < b.x2 + dilate
                        && top + 1.0 > b.y1 - dilate
                        && top < b.y2 + dilate
                };
                let object = touches(&found[0]) || touches(&found[2]);
                assert_eq!(mask.is_object(x, y), object, "{x}, {y}, dilated by {dilate}");
                assert_eq!(mask.allows(x, y), !object && base.is_none_or(|base| base.allows(x, y)), "{x}, {y}");
            }
        }
    }
}

#[test]
fn a_mask_that_is_renewed_forgets_what_it_was() {
    let mut mask = Mask::default();
    mask.renew(None, [40, 30], &objects(vec![[1.0, 1.0, 9.0, 9.0]]).excluded(None, 0.0));
    assert!(!mask.allows(5, 5) && mask.is_object(5, 5));
    mask.renew(None, [20, 10], &objects(vec![[11.0, 1.0, 12.0, 9.0]]).excluded(None, 0.0));
    assert_eq!((mask.width(), mask.height(), mask.bytes().len()), (20, 10, 200));
    assert!(mask.allows(5, 5) && !mask.is_object(5, 5) && !mask.allows(11, 5));
}

#[test]
fn they_hold_for_images_of_their_size_and_time() {
    let objects = objects(Vec::new());
    let second = 1_000_000_000;
    let holds = |after_ns: i64, size| objects.hold_for(objects.stamp_ns + after_ns, size, 0.5);
    assert!(holds(0, [640, 480]) && holds(second / 2, [640, 480]) && holds(-second / 2, [640, 480]));
    assert!(!holds(second / 2 + 1, [640, 480]) && !holds(-second / 2 - 1, [640, 480]) && !holds(0, [480, 640]));
    assert!(!objects.hold_for(i64::MAX, [640, 480], 10.0) && !objects.hold_for(i64::MIN, [640, 480], 10.0));
}

#[test]
fn a_turn_takes_every_point_of_a_box_into_the_box_that_it_becomes() {
    let turns = [[0.0, 0.05, 0.0], [0.08, 0.0, 0.0], [0.0, 0.0, 0.3], [-0.05, 0.1, -0.2]];
    for camera in [pinhole(&[]), pinhole(&[-0.28, 0.074, 0.0002, 0.00002])] {
        for turn in turns.map(|axis| UnitQuaternion::from_scaled_axis(Vector3::from(axis))) {
            let before = [200.0, 150.0, 320.0, 330.0];
            let excluded = objects(vec![before]).excluded(Some((&turn, &camera)), 0.0);
            let [rectangle] = excluded.as_slice() else { panic!("{excluded:?}") };
            let mut reached = [usize::MAX, usize::MAX, 0, 0];
            for (u, v) in (200..320).flat_map(|u| (150..330).map(move |v| (u, v))) {
                let ray = turn * Vector3::from(camera.unproject([f64::from(u), f64::from(v)]).unwrap());
                let [x, y] = camera.project(ray.into()).unwrap().map(|c| c.round() as usize);
                assert!(rectangle.columns.contains(&x) && rectangle.rows.contains(&y), "{u}, {v} to {x}, {y}");
                reached = [reached[0].min(x), reached[1].min(y), reached[2].max(x + 1), reached[3].max(y + 1)];
            }
            // And not much more.
            let edges = [rectangle.columns.start, rectangle.rows.start, rectangle.columns.end, rectangle.rows.end];
            let excess = edges.iter().zip(reached).map(|(&edge, reached)| edge.abs_diff(reached)).max();
            assert!(excess <= Some(2), "{edges:?} for {reached:?}");
        }
    }
}

#[test]
fn what_the_border_cut_off_goes_on_beyond_it() {
    let camera = pinhole(&[]);
    // To the right: what is at the right comes towards the middle.
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.0, -0.2, 0.0));
    let boxes = vec![[560.0, 200.0, 640.0, 300.0], [560.0, 200.0, 630.0, 300.0], [0.5, 100.0, 50.0, 480.0]];
    let excluded = objects(boxes).excluded(Some((&turn, &camera)), 0.0);
    assert!(excluded[0].columns.start < 500 && excluded[0].columns.end >= 640, "{excluded:?}");
    assert!(excluded[1].columns.start < 500 && excluded[1].columns.end < 560, "{excluded:?}");
    assert_eq!((excluded[2].columns.start, excluded[2].rows.end), (0, usize::MAX));
    // Without a turn nothing new comes into sight.
    assert_eq!(objects(vec![[0.5, 100.0, 50.0, 480.0]]).excluded(None, 3.0)[0].columns, 0..53);
}

#[test]
fn what_leaves_the_lens_does_so_on_its_side() {
    let camera = pinhole(&[]);
    let boxes = vec![[600.0, 200.0, 620.0, 300.0], [20.0, 200.0, 40.0, 300.0]];
    for (turn, kept) in [(1.3, 1), (-1.3, 0)] {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.0, turn, 0.0));
        let excluded = objects(boxes.clone()).excluded(Some((&turn, &camera)), 16.0);
        let visible = excluded.iter().map(|r| r.columns.start < 640 && r.columns.end > 0 && !r.columns.is_empty());
        assert_eq!(visible.collect::<Vec<_>>(), [kept == 0, kept == 1], "{excluded:?}");
    }
}
