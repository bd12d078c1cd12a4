//! What tracks must reach, on scenes that every machine makes the same and on real sequences whose geometry is known.

use std::path::Path;

use vio_frontend::camera::Camera;
use vio_frontend::eval::tracks::{FlowFigures, FrameTracks, Knowledge, TrackFigures, judge, run_frontend};
use vio_frontend::frontend::Frontend;
use vio_frontend::image::GrayImage;
use vio_frontend::params::Params;
use vio_frontend::source::synth::{Synth, SynthOptions, SynthSource};
use vio_frontend::source::{self, Event, Source, Synchronised};

use crate::common::test_data;

/// The default front end.
fn track(source: Box<dyn Source>, params: Params, known: &Knowledge) -> TrackFigures {
    let mut frontend = Frontend::new(params, known.camera.clone()).unwrap();
    frontend.set_cam_imu(source.cam_imu());
    let frames = source.frames();
    let mut source = Synchronised::new(source, 0.0, 0.02);
    let run = run_frontend(frontend, &mut source, frames, || {});
    assert_eq!(run.frames.len(), frames);
    judge(&[run], known, None).swap_remove(0)
}

fn on_scene(line: &str, params: Params) -> TrackFigures {
    let synth = Synth::new(line, &SynthOptions::default()).unwrap();
    track(Box::new(SynthSource::new(synth.clone())), params, &Knowledge::of_synth(synth))
}

fn flow(line: &str) -> FlowFigures {
    on_scene(line, Params::default()).flow.unwrap()
}

#[test]
fn tracks_of_a_steady_camera_are_right() {
    for scene in ["corridor", "room", "outdoor", "low_texture"] {
        let flow = flow(&format!("{scene}?frames=15"));
        assert!(flow.steps > 2000, "{scene}: {flow:?}");
        assert!(flow.median_px.unwrap() <= 0.06 && flow.within_1px.unwrap() >= 0.985, "{scene}: {flow:?}");
        assert!(flow.survival.kept_right.unwrap() >= 0.98, "{scene}: {flow:?}");
        let sigma = flow.sigma.unwrap().of_drift.unwrap();
        assert!((0.1..=1.5).contains(&sigma), "{scene}: {sigma}");
    }
}

/// Images from `next` on, up to `end`, without an IMU.
struct Images {
    synth: Synth,
    next: usize,
    end: usize,
}

impl Source for Images {
    fn frames(&self) -> usize {
        self.end - self.next
    }

    fn camera(&self) -> Option<&Camera> {
        Some(self.synth.camera())
    }

    fn next_event(&mut self) -> Option<Event> {
        let (k, mut image) = (self.next, GrayImage::default());
        self.next += 1;
        (k < self.end).then(|| {
            self.synth.render(k, &mut image);
            Event::Image { stamp_ns: self.synth.stamp_ns(k), image }
        })
    }
}

/// Share of the tracks that survive from frame `k` to the next where nothing tells how they move.
fn survival_of_a_pair(synth: &Synth, k: usize) -> f64 {
    let known = Knowledge::of_synth(synth.clone());
    let frontend = Frontend::new(Params::default(), known.camera.clone()).unwrap();
    let mut run = run_frontend(frontend, &mut Images { synth: synth.clone(), next: k, end: k + 2 }, 2, || {});
    run.frames.splice(0..0, vec![FrameTracks::default(); k]);
    judge(&[run], &known, None).swap_remove(0).flow.unwrap().survival.kept_right.unwrap()
}

#[test]
fn prediction_keeps_tracks_through_a_fast_turn() {
    let line = "fast_rotation?frames=15";
    let synth = Synth::new(line, &SynthOptions::default()).unwrap();
    let without = (0..7).map(|pair| survival_of_a_pair(&synth, 2 * pair)).sum::<f64>() / 7.0;
    let with = flow(line).survival.kept_right.unwrap();
    println!("survival with prediction {with:.4}, without {without:.4}");
    // Twice as many until tracking back began at the point's own motion: 0.415, then 0.536 survive without.
    assert!(with >= 0.99 && with >= 1.8 * without, "with {with}, without {without}");
}

/// Recall depends on what RANSAC draws: over the seeds 0 to 11 it is 0.81 to 0.88, 0.84 on average, and it was 0.82 to
/// 0.89, 0.85, with steps that differ from these by hundredths of a pixel. One seed says little, so that three count.
#[test]
fn what_moves_on_its_own_is_dropped() {
    let (mut cases, mut gone, mut dropped, mut rightly) = (0, 0.0, 0, 0.0);
    for seed in 0..3 {
        let figures = on_scene("moving_objects?frames=60", Params { seed, ..Params::default() });
        let outliers = figures.outliers.unwrap();
        let (cases_here, dropped_here) = (outliers.cases, outliers.dropped.unwrap());
        assert!(cases_here >= 20 && dropped_here >= 20, "{outliers:?}");
        gone += outliers.recall.unwrap() * cases_here as f64;
        rightly += outliers.precision.unwrap() * dropped_here as f64;
        (cases, dropped) = (cases + cases_here, dropped + dropped_here);
        assert!(figures.flow.unwrap().survival.kept.unwrap() >= 0.98);
    }
    let (recall, precision) = (gone / cases as f64, rightly / dropped as f64);
    println!("recall {recall:.4} of {cases}, precision {precision:.4} of {dropped}");
    assert!(recall >= 0.8 && precision >= 0.95, "recall {recall}, precision {precision}");
}

#[test]
fn a_step_of_light_is_survived_with_compensation() {
    let params = Params { illumination: true, ..Params::default() };
    // The light doubles after frame 39.
    let flow = on_scene("room?light=step&frames=43", params).flow.unwrap();
    assert!(flow.survival.worst.unwrap() >= 0.9, "{:?}", flow.survival);
}

/// On a real sequence; `None` where there are none.
fn on_recording(name: &str) -> Option<TrackFigures> {
    let folder = test_data()?.join(name);
    let open = || source::open(folder.to_str().unwrap()).unwrap();
    let known = known(&folder, open());
    Some(track(open(), Params::default(), &known))
}

fn known(folder: &Path, mut source: Box<dyn Source>) -> Knowledge {
    let camera: Option<Camera> = source.camera().cloned();
    let (mut stamps, mut size) = (Vec::new(), [0; 2]);
    while let Some(event) = source.next_event() {
        if let Event::Image { stamp_ns, image } = event {
            size = [image.width(), image.height()];
            stamps.push(stamp_ns);
        }
    }
    Knowledge::of_folder(folder, size, camera, &stamps).unwrap()
}

/// The twins of these are `tests/eval/tracks.rs`.
#[test]
fn real_tracks_meet_their_epipolar_lines() {
    let Some(figures) = on_recording("scenery_hut_long") else { return };
    let epipolar = figures.epipolar.unwrap();
    assert!(epipolar.pairs > 1500, "{epipolar:?}");
    assert!(epipolar.median_px.unwrap() <= 0.12 && epipolar.within_1px.unwrap() >= 0.97, "{epipolar:?}");
}

#[test]
fn a_real_turn_is_mostly_a_turn() {
    let Some(figures) = on_recording("aria_gen2_front") else { return };
    let rotation = figures.rotation.unwrap();
    assert!(rotation.moved_median_px.unwrap() >= 10.0 && rotation.left_median_px.unwrap() <= 1.0, "{rotation:?}");
}

#[test]
fn tracks_of_a_standing_camera_stand() {
    let Some(figures) = on_recording("euroc_micro") else { return };
    assert!(figures.wander.unwrap().alone_median_px.unwrap() <= 0.08, "{:?}", figures.wander);
    assert!(figures.basics.length.mean.unwrap() >= 50.0, "{:?}", figures.basics);
}
