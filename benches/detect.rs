//! Latency of the plain detector per stage: `cargo bench --bench detect [-- IMAGE...]`.
//!
//! Prints one JSON object per image and target: p50, p95 and p99 in microseconds over 300 frames, after a warm-up.
//! Four shifted copies of the image take turns, so that no run sees the image of the one before. The total is without
//! descriptors.

use std::hint::black_box;
use std::time::Instant;

use vio_frontend::detect::merge::Merge;
use vio_frontend::detect::plain::PlainDetector;
use vio_frontend::detect::select::{Grid, Selection};
use vio_frontend::detect::stages::Stages;
use vio_frontend::detect::{DetectSettings, Gain, fast9, response};
use vio_frontend::image::GrayImage;
use vio_frontend::params::Params;

const WARM_UP: usize = 60;
const FRAMES: usize = 300;
const STAGES: [&str; 10] = [
    "pyramid",
    "threshold",
    "strength",
    "smooth",
    "suppress",
    "merge",
    "admit_and_sort",
    "select",
    "subpixel",
    "describe",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let mut images = Vec::new();
    for file in &files {
        images.push((file.clone(), GrayImage::decode(&std::fs::read(file)?)?));
    }
    if images.is_empty() {
        images.push(("noise 640x480".to_owned(), noise(640, 480)));
    }
    for (name, image) in &images {
        for target in [300, 4600] {
            let settings = DetectSettings { target, ..DetectSettings::from(&Params::default()) };
            measure(name, image, &settings);
        }
    }
    Ok(())
}

fn measure(name: &str, image: &GrayImage, settings: &DetectSettings) {
    let images: Vec<_> = (0..4).map(|i| shifted(image, 3 * i, 2 * i)).collect();
    let mut total = Vec::new();
    let (mut detector, mut gain) = (PlainDetector::new(), Gain::default());
    let mut found = 0;
    for i in 0..WARM_UP + FRAMES {
        let start = Instant::now();
        found = black_box(detector.detect(&images[i % images.len()], None, settings, &mut gain)).features.len();
        total.push(start.elapsed().as_secs_f64() * 1e6);
    }
    let mut buffers = (Stages::default(), Merge::default(), Selection::default(), Vec::new());
    let stages: Vec<_> =
        (0..WARM_UP + FRAMES).map(|i| run_stages(&images[i % images.len()], settings, gain, &mut buffers)).collect();
    let mut fields = vec![format!("\"total\": {}", percentiles(&total))];
    for (k, stage) in STAGES.iter().enumerate() {
        let times: Vec<f64> = stages.iter().map(|times| times[k]).collect();
        fields.push(format!("\"{stage}\": {}", percentiles(&times)));
    }
    println!(
        "{{\"image\": \"{name}\", \"size\": [{}, {}], \"target\": {}, \"found\": {found}, \"latency_us\": {{{}}}}}",
        image.width(),
        image.height(),
        settings.target,
        fields.join(", ")
    );
}

/// The stages of one frame, each timed, us.
fn run_stages(
    image: &GrayImage,
    settings: &DetectSettings,
    gain: Gain,
    buffers: &mut (Stages, Merge, Selection, Vec<bool>),
) -> [f64; STAGES.len()] {
    let (stages, merge, selection, peaks) = buffers;
    let mut times = [0.0; STAGES.len()];
    let mut clock = Instant::now();
    let mut lap = |k: usize| {
        let now = Instant::now();
        times[k] += (now - clock).as_secs_f64() * 1e6;
        clock = now;
    };
    stages.build_pyramid(image, settings);
    lap(0);
    stages.tiles.measure(image, settings, gain);
    lap(1);
    stages.survivors.clear();
    let maps = stages.strengths.iter_mut().zip(&mut stages.responses);
    for (level, (image, (strength, response))) in stages.pyramid.levels(image).zip(maps).enumerate() {
        fast9::strength_map(image, settings.threshold_min, strength);
        lap(2);
        response.smooth(strength);
        lap(3);
        response::suppress(strength, response, level, peaks, &mut stages.survivors);
        lap(4);
    }
    merge.across_levels(stages.pyramid.levels(image), &stages.survivors, &mut stages.merged);
    lap(5);
    stages.admit(None);
    lap(6);
    let grid = Grid::new(settings, image.width(), image.height());
    selection.water_fill(&stages.candidates, &grid, settings.target, &mut stages.selected);
    lap(7);
    black_box(stages.refine());
    lap(8);
    stages.describe(image, &DetectSettings { describe: true, ..*settings });
    lap(9);
    times
}

fn percentiles(times: &[f64]) -> String {
    let mut sorted = times[WARM_UP..].to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |p: usize| sorted[(sorted.len() * p / 100).min(sorted.len() - 1)];
    format!("{{\"p50\": {:.0}, \"p95\": {:.0}, \"p99\": {:.0}}}", at(50), at(95), at(99))
}

/// The image moved cyclically.
fn shifted(image: &GrayImage, dx: usize, dy: usize) -> GrayImage {
    let (width, height) = (image.width(), image.height());
    GrayImage::from_fn(width, height, |x, y| image.at((x + dx) % width, (y + dy) % height))
}

/// Blurred noise of a fixed seed.
fn noise(width: usize, height: usize) -> GrayImage {
    let mut state = 1_u32;
    let white = GrayImage::from_fn(width, height, |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    GrayImage::from_fn(width, height, |x, y| {
        let at = |dx, dy| u32::from(white.at((x + dx) % width, (y + dy) % height));
        ((at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1)) / 4) as u8
    })
}
