//! The table of tracks: ids, ages, distances, losses.

use std::collections::{BTreeMap, BTreeSet};

use vio_frontend::frame::Frame;
use vio_frontend::frontend::{FrameOutput, Frontend};
use vio_frontend::image::GrayImage;
use vio_frontend::params::Params;
use vio_frontend::tracks::LossReason;

use super::{MS, frontend, ids, run, run_with, samples, scene};

/// Every id that ever went out is alive at the end, or was reported lost exactly once and never seen again.
fn check_accounts(outputs: &[FrameOutput]) {
    let (mut seen, mut lost) = (BTreeSet::new(), BTreeSet::new());
    for output in outputs {
        for gone in &output.lost {
            assert!(seen.contains(&gone.id) && lost.insert(gone.id), "{gone:?} at {}", output.stamp_ns);
        }
        assert!(output.points.is_sorted_by_key(|point| point.id));
        for id in ids(output) {
            assert!(!lost.contains(&id), "{id} came back at {}", output.stamp_ns);
            seen.insert(id);
        }
    }
}

#[test]
fn tracks_keep_their_ids_distance_and_number() {
    let synth = scene("corridor", 12);
    let params = Params { max_cnt: 120, min_dist: 25.0, ..Params::default() };
    let outputs = run(&synth, &params);
    check_accounts(&outputs);
    let mut before: BTreeMap<u64, u32> = BTreeMap::new();
    for (k, output) in outputs.iter().enumerate() {
        assert!(output.points.len() == 120, "{} tracks in frame {k}", output.points.len());
        let places: Vec<[f32; 2]> = output.points.iter().map(|p| [p.feature.u, p.feature.v]).collect();
        for (i, a) in places.iter().enumerate() {
            for b in &places[..i] {
                assert!((a[0] - b[0]).hypot(a[1] - b[1]) >= 12.5, "{a:?} and {b:?} in frame {k}");
            }
        }
        let tracking = output.tracking.as_ref().unwrap();
        assert_eq!(tracking.tracked + tracking.born, 120);
        for point in &output.points {
            match before.get(&point.id) {
                Some(age) => assert_eq!(point.age, age + 1),
                None => assert_eq!((point.age, point.velocity), (0, [0.0; 2])),
            }
            assert!(point.sigma.is_finite() && point.sigma > 0.0 && point.normalised.is_some());
        }
        before = output.points.iter().map(|point| (point.id, point.age)).collect();
    }
    let last = outputs.last().unwrap();
    let old = last.points.iter().filter(|point| point.age == 11).count();
    assert!(old > 80, "{old} of 120 tracks lived through");
}

#[test]
fn velocities_are_differences_over_time() {
    let synth = scene("room", 6);
    let outputs = run(&synth, &Params { max_cnt: 60, ..Params::default() });
    let mut moved = 0;
    for pair in outputs.windows(2) {
        let seconds = (pair[1].stamp_ns - pair[0].stamp_ns) as f64 * 1e-9;
        for point in pair[1].points.iter().filter(|point| point.age > 0) {
            let before = pair[0].points.iter().find(|before| before.id == point.id).unwrap();
            let ([x0, y0], [x1, y1]) = (before.normalised.unwrap(), point.normalised.unwrap());
            let [vx, vy] = point.velocity;
            assert!((vx - (x1 - x0) / seconds).abs() < 1e-9 && (vy - (y1 - y0) / seconds).abs() < 1e-9);
            moved += usize::from(vx.abs() + vy.abs() > 1e-3);
        }
    }
    assert!(moved > 100, "{moved} velocities");
}

#[test]
fn equal_runs_give_equal_tracks() {
    let synth = scene("moving_objects", 8);
    let params = Params::default();
    let (first, second) = (run(&synth, &params), run(&synth, &params));
    for (a, b) in first.iter().zip(&second) {
        assert_eq!((&a.points, &a.lost, &a.tracking), (&b.points, &b.lost, &b.tracking));
    }
}

#[test]
fn t07_a_bag_loop_restarts_once_and_reuses_no_id() {
    let synth = scene("room", 8);
    let mut frontend = frontend(&synth, &Params::default());
    let mut outputs = run_with(&synth, &mut frontend, &samples(&synth), 5 * MS, |_, _| {});
    outputs.extend(run_with(&synth, &mut frontend, &samples(&synth), 5 * MS, |_, _| {}));
    check_accounts(&outputs);
    let restarts: Vec<usize> = (0..16).filter(|&k| outputs[k].restart.is_some()).collect();
    assert_eq!(restarts, [8]);
    assert!(outputs[8].lost.len() >= 200 && outputs[8].lost.iter().all(|lost| lost.reason == LossReason::Restart));
    assert!(outputs[8].points.len() == 200 && outputs[8].points.iter().all(|point| point.age == 0));
    let places = |output: &FrameOutput| output.points.iter().map(|point| point.feature).collect::<Vec<_>>();
    assert_eq!(places(&outputs[0]), places(&outputs[8]));
}

#[test]
fn tracks_end_where_the_mask_excludes_them_and_the_youngest_are_surplus() {
    let synth = scene("room", 3);
    let mut frontend = frontend(&synth, &Params::default());
    let mut image = GrayImage::default();
    let mut step = |frontend: &mut vio_frontend::frontend::Frontend, k: usize| {
        synth.render(k, &mut image);
        frontend.process(&Frame { stamp_ns: synth.stamp_ns(k), image: image.view() }).unwrap()
    };
    let first = step(&mut frontend, 0);
    let [width, height] = first.size.map(|n| n as usize);
    frontend.set_mask(GrayImage::from_fn(width, height, |x, _| u8::from(x >= width / 2)));
    let second = step(&mut frontend, 1);
    let masked = second.lost.iter().filter(|lost| lost.reason == LossReason::Masked).count();
    assert!((60..140).contains(&masked), "{masked}");
    assert!(second.points.iter().all(|point| point.feature.u > width as f32 / 2.0 - 1.0));
    frontend.set_params(Params { max_cnt: 30, ..Params::default() }).unwrap();
    let third = step(&mut frontend, 2);
    assert_eq!(third.points.len(), 30);
    assert!(third.points.iter().all(|point| point.age == 2), "the oldest stay");
    assert!(third.lost.iter().filter(|lost| lost.reason == LossReason::Surplus).count() > 40);
}

#[test]
fn a_covered_track_comes_back_under_its_id() {
    let synth = scene("room", 8);
    // A black bar hides the left third for two frames.
    let hide = |k: usize, image: &mut GrayImage| {
        if k == 4 || k == 5 {
            let width = image.width();
            image.pixels_mut().chunks_exact_mut(width).for_each(|row| row[..width / 3].fill(0));
        }
    };
    let back = |reacquire_frames: u32| {
        let params = Params { reacquire_frames, ..Params::default() };
        let outputs = run_with(&synth, &mut frontend(&synth, &params), &samples(&synth), 5 * MS, hide);
        check_accounts(&outputs);
        let (before, during, after) = (ids(&outputs[3]), ids(&outputs[5]), ids(&outputs[6]));
        let hidden = before.iter().filter(|id| !during.contains(id)).count();
        let back = before.iter().filter(|id| !during.contains(id) && after.contains(id)).count();
        (hidden, back)
    };
    let (hidden, found) = back(5);
    assert!(hidden > 40 && 2 * found > hidden, "{found} of {hidden} found again");
    assert_eq!(back(0).1, 0);
    assert_eq!(back(1).1, 0, "looked for in the frames that hide it only");
}

#[test]
fn whatever_was_lost_the_next_frames_have_tracks_again() {
    let synth = scene("fast_rotation", 40);
    let mut image = GrayImage::default();
    let mut counts = |frontend: &mut Frontend, frames: &mut dyn Iterator<Item = usize>| {
        let mut counts = Vec::new();
        for k in frames {
            synth.render(k, &mut image);
            let frame = Frame { stamp_ns: synth.stamp_ns(k), image: image.view() };
            counts.push(frontend.process(&frame).unwrap().points.len());
        }
        counts
    };
    // Nothing of a frame is in the next one, again and again, and there is no IMU.
    let frontend = || Frontend::new(Params::default(), Some(synth.camera().clone())).unwrap();
    for step in [3, 5, 9] {
        let counts = counts(&mut frontend(), &mut (0..40).step_by(step));
        assert!(counts.iter().all(|&count| count > 100), "every {step}th frame: {counts:?}");
    }
    let counts = counts(&mut frontend(), &mut (0..10).chain(20..30));
    assert!(counts[11..].iter().all(|&count| count > 150), "{counts:?}");
}
