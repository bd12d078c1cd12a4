//! Boxes that move on their own in a simulated hall: hardly a feature is on them with the mask.

use vio_frontend::frame::Frame;
use vio_frontend::frontend::Frontend;
use vio_frontend::image::GrayImage;
use vio_frontend::mask::Objects;
use vio_frontend::params::{Device, Params};
use vio_frontend::source::synth::{Synth, SynthOptions};

const FRAMES: usize = 40;
/// Frames before the mask and the tracks have settled.
const SETTLING: usize = 8;

fn scene() -> Synth {
    Synth::new("moving_objects", &SynthOptions { frames: FRAMES, ..SynthOptions::default() }).unwrap()
}

/// How the boxes of a detector come.
#[derive(Clone, Copy, Debug)]
struct Detector {
    /// It looks at every so manieth frame.
    every: usize,
    /// Its boxes are there so many frames later.
    delay: usize,
}

/// Features in all frames, and how many of them are on something that moves on its own.
fn features(synth: &Synth, params: &Params, detector: Option<Detector>) -> [usize; 2] {
    let mut frontend = Frontend::new(params.clone(), Some(synth.camera().clone())).unwrap();
    frontend.set_cam_imu(Some(synth.cam_imu()));
    let mut imu = (0..synth.imu_samples()).map(|j| synth.imu(j)).peekable();
    let (mut image, mut counts) = (GrayImage::default(), [0; 2]);
    for k in 0..synth.frames() {
        let stamp_ns = synth.stamp_ns(k);
        while let Some(sample) = imu.next_if(|sample| sample.stamp_ns <= stamp_ns + 5_000_000) {
            frontend.add_imu(sample);
        }
        if let Some(Detector { every, delay }) = detector
            && let Some(seen) = k.checked_sub(delay).filter(|seen| seen.is_multiple_of(every))
        {
            let boxes = synth.moving_boxes(seen).iter().map(|edges| edges.map(|edge| edge as f32)).collect();
            frontend.set_objects(Objects { stamp_ns: synth.stamp_ns(seen), size: [640, 480], boxes });
        }
        synth.render(k, &mut image);
        let output = frontend.process(&Frame { stamp_ns, image: image.view() }).unwrap();
        if k >= SETTLING {
            let on = |u: f32, v: f32| synth.moving(k, [f64::from(u), f64::from(v)]);
            counts[0] += output.points.len();
            counts[1] += output.points.iter().filter(|point| on(point.feature.u, point.feature.v)).count();
        }
    }
    counts
}

#[test]
fn the_true_boxes_are_about_what_moves() {
    let synth = scene();
    for k in [0, 13, 39] {
        let boxes = synth.moving_boxes(k);
        assert!((2..=4).contains(&boxes.len()), "{boxes:?}");
        let (mut inside, mut moving) = (0, 0);
        for (u, v) in (0..640).step_by(4).flat_map(|u| (0..480).step_by(4).map(move |v| (u, v))) {
            let (x, y) = (f64::from(u) + 0.5, f64::from(v) + 0.5);
            let is_inside = boxes.iter().any(|[x1, y1, x2, y2]| (x1..=x2).contains(&&x) && (y1..=y2).contains(&&y));
            let is_moving = synth.moving(k, [f64::from(u), f64::from(v)]);
            assert!(is_inside || !is_moving, "image {k}: {u}, {v}");
            inside += u32::from(is_inside);
            moving += u32::from(is_moving);
        }
        assert!(moving > 500 && 2 * moving > inside, "image {k}: {moving} of {inside}");
    }
}

#[test]
fn less_than_a_percent_of_the_features_is_on_what_moves() {
    let (synth, params) = (scene(), Params { device: Device::Cpu, ..Params::default() });
    let share = |detector| {
        let [all, moving] = features(&synth, &params, detector);
        println!("{detector:?}: {moving} of {all}");
        assert!(all > 150 * (FRAMES - SETTLING), "{all}");
        moving as f64 / all as f64
    };
    assert!(share(None) > 0.03);
    // Every frame at once; as fast as a network beside the front end is, late and not for every frame.
    assert!(share(Some(Detector { every: 1, delay: 0 })) < 0.01);
    assert!(share(Some(Detector { every: 2, delay: 2 })) < 0.01);
}
