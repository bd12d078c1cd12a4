//! Light that goes, comes back, and jumps.

use vio_frontend::image::GrayImage;
use vio_frontend::params::Params;

use super::{MS, frontend, ids, run_with, samples, scene};

#[test]
fn a_blackout_gives_empty_frames_and_recovers() {
    let synth = scene("room", 14);
    let dark = |k: usize, image: &mut GrayImage| {
        if (4..10).contains(&k) {
            image.pixels_mut().fill(3);
        }
    };
    let mut frontend = frontend(&synth, &Params::default());
    let outputs = run_with(&synth, &mut frontend, &samples(&synth), 5 * MS, dark);
    for (k, output) in outputs.iter().enumerate() {
        let expected = if (4..10).contains(&k) { 0 } else { 200 };
        assert_eq!(output.points.len(), expected, "frame {k}");
        assert!(output.restart.is_none());
    }
    assert!(outputs[12].points.iter().filter(|point| point.age >= 2).count() > 150);
}

#[test]
fn a_step_of_light_is_survived_with_compensation() {
    for gain in [0.5, 2.0] {
        let synth = scene("room", 6);
        let step = |k: usize, image: &mut GrayImage| {
            // Halved first, so that twice as much is no saturation.
            let gain = if k < 3 { 0.5 } else { 0.5 * gain };
            image.pixels_mut().iter_mut().for_each(|v| *v = (f64::from(*v) * gain).round() as u8);
        };
        let params = Params { illumination: true, ..Params::default() };
        let outputs = run_with(&synth, &mut frontend(&synth, &params), &samples(&synth), 5 * MS, step);
        let after = ids(&outputs[3]);
        let kept = ids(&outputs[2]).iter().filter(|id| after.contains(id)).count();
        assert!(kept >= 180, "{kept} of 200 tracks survive a step of light by {gain}");
    }
}
