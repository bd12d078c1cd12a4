//! The `feature` topic of both VINS back ends: channels, withheld messages, ids over gaps and restarts.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

use vio_frontend::frame::Frame;
use vio_frontend::frontend::{Calibration, FrameOutput, Frontend, OutputPoint};
use vio_frontend::image::GrayImage;
use vio_frontend::output::vins::{VinsLayout, VinsMessage};
use vio_frontend::params::{Mode, OutputLayout, Params};
use vio_frontend::stamps::RestartReason;

/// A calibrated frame whose points have these ids and ages; point `i` has the bearing (id / 10, -id / 10).
fn frame(tracks: &[(u64, u32)]) -> FrameOutput {
    let image = GrayImage::from_fn(64, 64, |x, y| if x / 8 % 2 == 1 && y / 8 % 2 == 1 { 200 } else { 40 });
    let mut frontend = Frontend::new(Params::default(), None).unwrap();
    let output = frontend.process(&Frame { stamp_ns: 1, image: image.view() }).unwrap();
    let point = output.points.first().unwrap().clone();
    let points = tracks.iter().map(|&(id, age)| OutputPoint {
        id,
        age,
        normalised: Some([id as f64 / 10.0, id as f64 / -10.0]),
        velocity: [0.25 * f64::from(age), -0.5],
        ..point.clone()
    });
    FrameOutput { points: points.collect(), calibration: Calibration::Valid, restart: None, publish: true, ..output }
}

fn ids(message: &Option<VinsMessage>) -> Vec<f32> {
    message.as_ref().unwrap().channels[0].1.clone()
}

#[test]
fn mono_has_five_channels_of_tracks_seen_twice_and_withholds_the_first_message() {
    let mut layout = VinsLayout::new(OutputLayout::VinsMono);
    assert_eq!(layout.message(&frame(&[(5, 1), (6, 0)])), None);
    let second = frame(&[(5, 2), (6, 1), (7, 0)]);
    let message = layout.message(&second).unwrap();
    assert_eq!(message.points, [[0.5, -0.5, 1.0], [0.6, -0.6, 1.0]]);
    let (u, v) = (second.points[0].feature.u, second.points[0].feature.v);
    let expected = [
        ("id", vec![0.0, 1.0]),
        ("u_px", vec![u; 2]),
        ("v_px", vec![v; 2]),
        ("vx", vec![0.5, 0.25]),
        ("vy", vec![-0.5; 2]),
    ];
    assert_eq!(message.channels, expected);
}

#[test]
fn fusion_has_nine_channels_of_all_tracks_from_the_first_message_on() {
    let mut layout = VinsLayout::new(OutputLayout::VinsFusion);
    let output = frame(&[(5, 0), (6, 3)]);
    let message = layout.message(&output).unwrap();
    assert_eq!(message.points, [[0.5, -0.5, 1.0], [0.6, -0.6, 1.0]]);
    let (u, v) = (output.points[0].feature.u, output.points[0].feature.v);
    let values: Vec<_> = message.channels.iter().map(|(_, values)| values.clone()).collect();
    let expected = [[0.0, 1.0], [0.0; 2], [u; 2], [v; 2], [0.0, 0.75], [-0.5; 2], [0.0; 2], [0.0; 2], [0.0; 2]];
    assert_eq!(values, expected);
}

#[test]
fn a_track_found_again_gets_a_fresh_id() {
    let mut layout = VinsLayout::new(OutputLayout::VinsFusion);
    assert_eq!(ids(&layout.message(&frame(&[(5, 1), (6, 1)]))), [0.0, 1.0]);
    assert_eq!(ids(&layout.message(&frame(&[(6, 2)]))), [1.0]);
    assert_eq!(ids(&layout.message(&frame(&[(5, 2), (6, 3)]))), [2.0, 1.0]);
    // A frame that `freq` leaves out is no gap.
    assert_eq!(layout.message(&FrameOutput { publish: false, ..frame(&[]) }), None);
    assert_eq!(ids(&layout.message(&frame(&[(5, 4), (6, 5)]))), [2.0, 1.0]);
    // A point whose bearing was unknown for a message is one.
    let mut hidden = frame(&[(5, 5), (6, 6)]);
    hidden.points[0].normalised = None;
    assert_eq!(ids(&layout.message(&hidden)), [1.0]);
    assert_eq!(ids(&layout.message(&frame(&[(5, 6), (6, 7)]))), [3.0, 1.0]);
}

#[test]
fn mono_waits_for_the_velocity_of_a_track_found_again() {
    let mut layout = VinsLayout::new(OutputLayout::VinsMono);
    layout.message(&frame(&[(5, 0), (6, 0)]));
    assert_eq!(ids(&layout.message(&frame(&[(5, 1), (6, 1)]))), [0.0, 1.0]);
    assert_eq!(ids(&layout.message(&frame(&[(6, 2)]))), [1.0]);
    assert_eq!(ids(&layout.message(&frame(&[(5, 2), (6, 3)]))), [1.0]);
    assert_eq!(ids(&layout.message(&frame(&[(5, 3), (6, 4)]))), [2.0, 1.0]);
    // A frame that `freq` leaves out counts as seen.
    assert_eq!(layout.message(&FrameOutput { publish: false, ..frame(&[(7, 0)]) }), None);
    assert_eq!(ids(&layout.message(&frame(&[(6, 6), (7, 1)]))), [3.0]);
}

#[test]
fn a_restart_withholds_a_message_from_mono_only_and_repeats_no_id() {
    for (kind, withheld) in [(OutputLayout::VinsMono, true), (OutputLayout::VinsFusion, false)] {
        let mut layout = VinsLayout::new(kind);
        layout.message(&frame(&[(1, 1)]));
        assert_eq!(ids(&layout.message(&frame(&[(1, 2)]))), [0.0]);
        // The frame of the restart is not published by `freq`: the next message is the one.
        let restart = FrameOutput { restart: Some(RestartReason::Requested), publish: false, ..frame(&[(9, 0)]) };
        assert_eq!(layout.message(&restart), None);
        let after = layout.message(&frame(&[(9, 1), (10, 0)]));
        assert_eq!(after.is_none(), withheld, "{kind}");
        assert_eq!(ids(&layout.message(&frame(&[(9, 2), (10, 1)]))), [1.0, 2.0]);
    }
}

#[test]
fn without_bearings_there_is_no_message_and_without_tracks_an_empty_one() {
    for kind in [OutputLayout::VinsMono, OutputLayout::VinsFusion] {
        let mut layout = VinsLayout::new(kind);
        layout.message(&frame(&[(1, 0)]));
        layout.message(&frame(&[(1, 1)]));
        assert_eq!(layout.message(&FrameOutput { calibration: Calibration::Missing, ..frame(&[(1, 2)]) }), None);
        let empty = layout.message(&frame(&[])).unwrap();
        assert!(empty.points.is_empty() && empty.channels.iter().all(|(_, values)| values.is_empty()));
        assert_eq!(empty.channels.len(), if kind == OutputLayout::VinsMono { 5 } else { 9 });
        layout.message(&frame(&[(1, 3)]));
        assert_eq!(ids(&layout.message(&frame(&[(1, 4)]))), [1.0], "a gap: a fresh id");
    }
    assert_eq!(VinsLayout::new(OutputLayout::None).message(&frame(&[(1, 1)])), None);
}

#[test]
fn what_is_not_finite_is_left_out() {
    let mut layout = VinsLayout::new(OutputLayout::VinsFusion);
    let mut output = frame(&[(1, 1), (2, 1), (3, 1)]);
    output.points[0].velocity[1] = f64::NAN;
    // Finite, but not in single precision.
    output.points[1].normalised = Some([1e300, 0.0]);
    let message = layout.message(&output).unwrap();
    assert_eq!(message.points, [[0.3, -0.3, 1.0]]);
    assert!(message.channels.iter().all(|(_, values)| values.len() == 1 && values[0].is_finite()));
}

#[test]
fn the_layouts_refuse_features_that_are_no_tracks() {
    let params = Params { output_layout: OutputLayout::VinsMono, mode: Mode::Detect, ..Params::default() };
    let message = params.check().unwrap_err().to_string();
    assert!(["output_layout", "vins_mono", "detect"].iter().all(|word| message.contains(word)), "{message}");
}

#[test]
fn the_layouts_refuse_more_features_than_vins_has_room_for() {
    for layout in [OutputLayout::VinsMono, OutputLayout::VinsFusion] {
        let params = |max_cnt| Params { output_layout: layout, max_cnt, ..Params::default() };
        assert_eq!(params(500).check(), Ok(()));
        let message = params(501).check().unwrap_err().to_string();
        assert!(message.contains("max_cnt") && message.contains("501") && message.contains("500"), "{message}");
    }
    assert_eq!(Params { max_cnt: 501, ..Params::default() }.check(), Ok(()));
}
