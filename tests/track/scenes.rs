//! How well: on texture whose motion is known, and on the simulator's scenes.

use vio_frontend::detect::plain::PlainDetector;
use vio_frontend::detect::{DetectSettings, Gain};
use vio_frontend::image::GrayImage;
use vio_frontend::params::Params;
use vio_frontend::source::synth::{Synth, SynthOptions};
use vio_frontend::track::{Flow, FlowStart, FlowStatus, TrackSettings};

use crate::motion::{Pair, shifted_texture};

/// Points on a lattice, at fractions of pixels.
fn lattice(width: usize, height: usize, margin: usize) -> Vec<FlowStart> {
    let rows = (margin..height - margin).step_by(17);
    let points = rows.flat_map(|y| (margin..width - margin).step_by(19).map(move |x| [x, y]));
    points
        .enumerate()
        .map(|(k, [x, y])| FlowStart::resting([x as f32 + (k % 7) as f32 / 7.0, y as f32 + (k % 5) as f32 / 5.0]))
        .collect()
}

/// Distances of what was tracked from the truth, sorted, px; and the share of points that were tracked.
fn errors(starts: &[FlowStart], flows: &[Flow], truth: impl Fn([f32; 2]) -> Option<[f64; 2]>) -> (Vec<f64>, f64) {
    let (mut errors, mut known) = (Vec::new(), 0);
    for (start, flow) in starts.iter().zip(flows) {
        let Some([x, y]) = truth(start.from) else { continue };
        known += 1;
        if flow.status == FlowStatus::Tracked {
            errors.push((f64::from(flow.position[0]) - x).hypot(f64::from(flow.position[1]) - y));
        }
    }
    errors.sort_by(f64::total_cmp);
    let share = errors.len() as f64 / f64::from(known);
    (errors, share)
}

#[test]
fn translation_is_found() {
    // Quarters of a pixel: whole and fractional, up to 9 px.
    for (seed, (dx, dy)) in [(0, 0), (4, 0), (1, 2), (3, 7), (17, 5), (36, 22)].into_iter().enumerate() {
        let seen = |dx: usize, dy: usize| shifted_texture(200, 160, seed as u32, (60 - dx, 60 - dy));
        let pair = Pair::new(seen(0, 0), seen(dx, dy));
        let starts = lattice(200, 160, 24);
        let (errors, share) = errors(&starts, &pair.track(&starts, &TrackSettings::default()), |[x, y]| {
            Some([f64::from(x) + dx as f64 / 4.0, f64::from(y) + dy as f64 / 4.0])
        });
        let (median, worst) = (errors[errors.len() / 2], errors[errors.len() * 98 / 100]);
        eprintln!("{dx}, {dy} quarters: {share:.3} tracked, median {median:.4} px, p98 {worst:.4} px");
        assert!(share > 0.97 && median < 0.06 && worst < 0.15);
    }
}

/// The corners of an image.
fn corners(image: &GrayImage) -> Vec<FlowStart> {
    let settings = DetectSettings { target: 300, ..DetectSettings::from(&Params::default()) };
    let features = PlainDetector::new().detect(image, None, &settings, &mut Gain::default()).features;
    features.iter().map(|f| FlowStart::resting([f.u, f.v])).collect()
}

#[test]
fn scenes_are_tracked_in_any_light() {
    for name in ["corridor", "room", "outdoor"] {
        let synth = Synth::new(name, &SynthOptions::default()).unwrap();
        let mut images = [GrayImage::default(), GrayImage::default()];
        for (k, image) in images.iter_mut().enumerate() {
            synth.render(40 + k, image);
        }
        let [previous, current] = images;
        let starts = corners(&previous);
        for light in [0.5_f32, 1.0, 2.0] {
            let lit = GrayImage::from_fn(640, 480, |x, y| (f32::from(current.at(x, y)) * light) as u8);
            let pair = Pair::new(previous.clone(), lit);
            let settings = TrackSettings { illumination: true, ..TrackSettings::default() };
            let (errors, share) =
                errors(&starts, &pair.track(&starts, &settings), |from| synth.flow(40, 41, from.map(f64::from)));
            let (median, within) = (errors[errors.len() / 2], errors.partition_point(|&e| e <= 1.0));
            let within = within as f64 / errors.len() as f64;
            eprintln!("{name}, light x{light}: {share:.3} tracked, median {median:.4} px, {within:.3} within 1 px");
            assert!(share > 0.9 && within > 0.96 && median < 0.13);
        }
    }
}
