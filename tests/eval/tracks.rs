//! The judge of tracks on hand-made observations, whose figures are known.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use vio_frontend::camera::Camera;
use vio_frontend::eval::tracks::{
    AnnotatedCorners, FrameTracks, Knowledge, LostTrack, Observation, Poses, Run, TrackFigures, judge, read_run,
};
use vio_frontend::image::GrayImage;
use vio_frontend::params::CameraModel;
use vio_frontend::source::{Event, Source};

use crate::images::{Kind, image};

const SIZE: [usize; 2] = [640, 480];

/// `at(frame, id)` of `ids` in `frames`.
fn run(frames: usize, ids: u64, at: impl Fn(usize, u64) -> Option<[f64; 2]>) -> Run {
    let frame = |k: usize| FrameTracks {
        stamp_ns: k as i64 + 1,
        observations: (0..ids).filter_map(|id| Some(Observation { id, position: at(k, id)?, sigma: None })).collect(),
        lost: Vec::new(),
    };
    Run { name: "hand".to_owned(), frames: (0..frames).map(frame).collect(), tells_losses: false }
}

fn figures(run: &Run, known: &Knowledge) -> TrackFigures {
    judge(std::slice::from_ref(run), known, None).swap_remove(0)
}

/// Points in space, 2 m and more away.
fn point(id: u64) -> Vector3<f64> {
    let id = id as f64;
    Vector3::new((id * 0.37).sin() * 1.2, (id * 0.73).cos() * 0.9, 3.0 + (id * 1.7).sin())
}

fn pinhole() -> Camera {
    Camera::new(CameraModel::Pinhole, [400.0, 400.0, 319.5, 239.5], &[], Some([640, 480])).unwrap()
}

/// The points seen from `world_from_cam(k)`, v moved by `off(k, id)`.
fn seen_from(world_from_cam: impl Fn(usize) -> Isometry3<f64>, off: impl Fn(usize, u64) -> f64) -> (Run, Knowledge) {
    let camera = pinhole();
    let at = |k: usize, id: u64| {
        let [u, v] = camera.project((world_from_cam(k).inverse() * nalgebra::Point3::from(point(id))).coords.into())?;
        Some([u, v + off(k, id)])
    };
    let run = run(12, 30, at);
    let poses = Some(Poses::new((0..12).map(|k| Some(world_from_cam(k))).collect()));
    (run, Knowledge { size: SIZE, camera: Some(camera.clone()), poses, ..Knowledge::default() })
}

#[test]
fn lengths_and_counts() {
    // Track 0 in frame 0, track 1 in frames 0 and 1, track 2 in frames 1 to 3.
    let lives = [0..1, 0..2, 1..4];
    let mut run = run(4, 3, |k, id| lives[id as usize].contains(&k).then_some([10.0 * id as f64, 5.0]));
    run.frames[1].lost.push(LostTrack { id: 0, reason: "outside".to_owned() });
    let TrackFigures { tracker, basics, .. } = figures(&run, &Knowledge { size: SIZE, ..Knowledge::default() });
    assert_eq!((tracker.as_str(), basics.tracks, basics.tracks_per_frame, basics.fewest), ("hand", 3, 1.5, 1));
    assert_eq!((basics.length.mean, basics.length.median), (Some(2.0), Some(2.0)));
    assert_eq!(basics.length.of_observation, Some(14.0 / 6.0));
    // Of the five observations before the last frame, three go on.
    assert_eq!(basics.kept, Some(3.0 / 5.0));
    assert_eq!(basics.losses.into_iter().collect::<Vec<_>>(), [("outside".to_owned(), 1)]);
}

#[test]
fn points_of_a_camera_that_goes_sideways_stay_on_their_epipolar_lines() {
    let sideways = |k: usize| Isometry3::translation(0.1 * k as f64, 0.0, 0.0);
    let (run, known) = seen_from(sideways, |_, _| 0.0);
    let exact = figures(&run, &known).epipolar.unwrap();
    // 30 tracks, 12 frames, 5 apart; those that left the view are not there.
    assert!(exact.pairs > 150 && exact.median_px.unwrap() < 1e-9 && exact.within_1px == Some(1.0), "{exact:?}");
    // Lines are rows: every second track leaves its row by 0.3 px a frame, 1.5 px in five.
    let (run, known) = seen_from(sideways, |k, id| if id.is_multiple_of(2) { 0.3 * k as f64 } else { 0.0 });
    let off = figures(&run, &known).epipolar.unwrap();
    assert!((off.p95_px.unwrap() - 1.5).abs() < 1e-9, "{off:?}");
    assert!((off.within_1px.unwrap() - 0.5).abs() < 0.1, "{off:?}");
}

#[test]
fn a_turn_leaves_what_is_no_turn() {
    let turn = |k: usize| {
        let rotation = UnitQuaternion::from_scaled_axis(Vector3::new(0.01, 0.03, 0.02) * k as f64);
        Isometry3::from_parts(Translation3::identity(), rotation)
    };
    let (run, known) = seen_from(turn, |k, _| 0.25 * (k % 2) as f64);
    let figures = figures(&run, &known);
    let rotation = figures.rotation.unwrap();
    assert!((rotation.left_median_px.unwrap() - 0.25).abs() < 0.01, "{rotation:?}");
    assert!(rotation.moved_median_px.unwrap() > 10.0, "{rotation:?}");
    // Five frames apart one of two is moved, and without translation the point itself is expected.
    assert!((figures.epipolar.unwrap().median_px.unwrap() - 0.25).abs() < 0.01, "{:?}", figures.epipolar);
    assert_eq!(figures.wander, None);
}

#[test]
fn tracks_of_a_standing_camera_wander_by_what_they_do_alone() {
    let known = Knowledge {
        size: SIZE,
        poses: Some(Poses::new(vec![Some(Isometry3::identity()); 40])),
        ..Knowledge::default()
    };
    let sign = |k: usize| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
    let together = figures(&run(40, 5, |k, id| Some([50.0 + 0.2 * sign(k), 20.0 * id as f64])), &known).wander.unwrap();
    assert_eq!(together.stretches, 10);
    assert!((together.median_px.unwrap() - 0.2).abs() < 1e-9 && together.alone_p95_px.unwrap() < 1e-9, "{together:?}");
    let alone = figures(&run(40, 4, |k, id| Some([50.0, 0.2 * sign(k + id as usize)])), &known).wander.unwrap();
    assert!((alone.median_px.unwrap() - 0.2).abs() < 1e-9, "{alone:?}");
    assert_eq!(figures(&run(19, 4, |_, _| Some([0.0; 2])), &known).wander, None);
}

#[test]
fn annotated_corners_go_where_tracks_go() {
    let corner = |k: usize| [100.0 + 6.0 * k as f64, 50.0];
    let corners = AnnotatedCorners { frames: (0..8).map(|k| vec![[500.0, 400.0], corner(k)]).collect() };
    let known = Knowledge { size: SIZE, corners: Some(corners), ..Knowledge::default() };
    // Track 0 begins 1 px from the corner and leaves it by 0.5 px a frame; track 1 is at none.
    let at = |k: usize, id: u64| Some(if id == 0 { [corner(k)[0] + 1.0, 50.0 + 0.5 * k as f64] } else { [300.0; 2] });
    let corners = figures(&run(8, 2, at), &known).corners.unwrap();
    assert_eq!((corners.tracks, corners.observations), (1, 7));
    assert_eq!((corners.median_px, corners.p95_px, corners.within_2px), (Some(2.0), Some(3.5), Some(4.0 / 7.0)));
}

/// The same picture, each time a pixel further to the left.
struct Panning(usize);

impl Source for Panning {
    fn frames(&self) -> usize {
        8
    }

    fn camera(&self) -> Option<&Camera> {
        None
    }

    fn next_event(&mut self) -> Option<Event> {
        let k = self.0;
        self.0 += 1;
        let picture = image(Kind::Texture, 340, 240, 3);
        let moved = GrayImage::from_fn(320, 240, |x, y| picture.at(x + k, y));
        (k < 8).then_some(Event::Image { stamp_ns: k as i64 + 1, image: moved })
    }
}

#[test]
fn drift_shows_without_truth() {
    let at = |drift: f64| move |k: usize, id: u64| Some([60.0 + 40.0 * id as f64 - (1.0 - drift) * k as f64, 120.0]);
    let runs = [run(8, 6, at(0.0)), run(8, 6, at(0.1)), run(8, 6, at(0.3))];
    let known = Knowledge { size: [320, 240], ..Knowledge::default() };
    let direct: Vec<_> =
        judge(&runs, &known, Some(Box::new(Panning(0)))).into_iter().map(|f| f.direct.unwrap()).collect();
    for (direct, drift) in direct.iter().zip([0.0, 0.5, 1.5]) {
        assert_eq!(direct.pairs, 18);
        assert!((direct.median_px.unwrap() - drift).abs() < 0.05, "{direct:?}");
    }
    assert_eq!(direct[0].confirmed_per_frame, Some(6.0));
    assert_eq!([&direct[0], &direct[2]].map(|direct| direct.confirmed), [Some(1.0), Some(0.0)]);
}

#[test]
fn files_are_runs_of_the_sequence_or_say_why_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("features.csv");
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        read_run(&path, "file", &[10, 20, 30]).map_err(|error| error.to_string())
    };
    let run = read("stamp_ns,id,u,v,x,sigma\n10,7,1.5,2.5,0,0.2\n30,7,3,4,0,\n40,7,5,6,0,\n").unwrap();
    let histories = run.histories();
    assert_eq!(histories.len(), 1);
    let seen: Vec<_> = histories[0].seen.iter().map(|seen| (seen.frame, seen.position, seen.sigma)).collect();
    assert_eq!(seen, [(0, [1.5, 2.5], Some(0.2)), (2, [3.0, 4.0], None)]);
    assert!(!run.tells_losses);
    for (text, part) in [
        ("stamp_ns,id,u\n10,7,1\n", "missing field `v`"),
        ("stamp_ns,id,u,v\n31,7,1,2\n", "all its lines are of frames after the sequence's last, the first at 31"),
        ("stamp_ns,id,u,v\n11,7,1,2\n", ":2: no frame of the sequence has the stamp 11"),
        ("stamp_ns,id,u,v\n10,7,1,2\n10,7,1,2\n", ":3: track 7 twice in the frame 10"),
        ("stamp_ns,id,u,v\n10,7,nan,2\n", ":2: position NaN, 2 of track 7"),
        ("stamp_ns,id,u,v,sigma\n10,7,1,2,0\n", ":2: sigma 0 of track 7"),
        ("stamp_ns,id,u,v\n10,x,1,2\n", "invalid digit"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(part) && error.contains("features.csv"), "'{part}' is not in: {error}");
    }
    std::fs::write(folder.path().join("lost.csv"), "stamp_ns,id,reason\n20,7,outlier\n").unwrap();
    let run = read("stamp_ns,id,u,v\n10,7,1,2\n").unwrap();
    assert_eq!(run.frames[1].lost, [LostTrack { id: 7, reason: "outlier".to_owned() }]);
    assert!(run.tells_losses);
    assert!(read_run(&folder.path().join("none.csv"), "", &[10]).unwrap_err().to_string().contains("none.csv"));
}
