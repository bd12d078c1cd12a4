//! What the detector must reach, on pictures and a scene that every machine makes the same.

use vio_frontend::eval::photos::Photos;
use vio_frontend::eval::{Detector, Figures, Ours, sequence};
use vio_frontend::params::Params;
use vio_frontend::source::synth::{Synth, SynthOptions};

use crate::images::{Kind, image};

fn on_pictures() -> Figures {
    let mut detectors: Vec<Box<dyn Detector>> = vec![Box::new(Ours::on_photos(&Params::default()))];
    let mut photos = Photos::new(1, 300);
    for (kind, seed) in [(Kind::Texture, 1), (Kind::Blocks, 2)] {
        photos.add(&image(kind, 868, 600, seed), &mut detectors).unwrap();
    }
    photos.figures(&detectors).swap_remove(0)
}

/// The twin of the campaign on photos in `opencv`.
#[test]
fn pictures_moved_by_thirds_of_a_pixel() {
    let figures = on_pictures();
    // Coarse corners are few in these pictures.
    for (precision, (pairs, matched)) in figures.precision.iter().zip([(1000, 0.5), (200, 0.4), (20, 0.3)]) {
        assert!(precision.pairs >= pairs && precision.matched >= matched, "{precision:?}");
        assert!(precision.rms_px <= 0.25, "{precision:?}");
        assert!(precision.bias_px.iter().all(|bias| bias.abs() <= 0.05), "{precision:?}");
    }
    assert_eq!(figures.count.got, 300.0);
    assert!(figures.spread.cells_served >= 0.95 && figures.spread.entropy >= 0.9, "{:?}", figures.spread);
    // Low: the texture has many corners of equal strength, of which any change chooses others.
    let shares: Vec<f64> = figures.repeatability.iter().map(|found| found.share).collect();
    assert!(shares.iter().all(|&share| share >= 0.2), "{:?}", figures.repeatability);
    assert!(shares.iter().sum::<f64>() / shares.len() as f64 >= 0.4, "{:?}", figures.repeatability);
}

/// The required bound: 0.15 px RMS on synthetic truth.
#[test]
fn a_simulated_scene_with_exact_flow() {
    let synth = Synth::new("room", &SynthOptions { frames: 12, ..SynthOptions::default() }).unwrap();
    let mut detectors: Vec<Box<dyn Detector>> = vec![Box::new(Ours::on_sequence(&Params::default()))];
    let figures = sequence::evaluate(&synth, 300, &mut detectors, || {}).unwrap().swap_remove(0);
    let fine = figures.precision[0];
    assert!(fine.pairs > 500 && fine.rms_px <= 0.15 && fine.matched >= 0.7, "{fine:?}");
    assert!(figures.repeatability.iter().all(|found| found.share >= 0.65), "{:?}", figures.repeatability);
    assert!(figures.precision.iter().all(|p| p.bias_px.iter().all(|bias| bias.abs() <= 0.05)), "{figures:?}");
    assert_eq!(figures.count.got, 300.0);
}
