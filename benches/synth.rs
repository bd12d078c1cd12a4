//! Speed of the simulator's images: `cargo bench --bench synth [-- SCENE...]`.
//!
//! Prints one line for each scene, or each `NAME?KEY=VALUE` given: 640 x 480 images a second on one core, the best of
//! five runs of 20 images each, so that other programs on the machine count least.

use std::time::Instant;

use vio_frontend::image::GrayImage;
use vio_frontend::source::synth::{self, Synth, SynthOptions};

const RUNS: usize = 5;
const FRAMES: usize = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut lines: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    if lines.is_empty() {
        lines = synth::names().into_iter().map(str::to_owned).collect();
    }
    for line in lines {
        let synth = Synth::new(&line, &SynthOptions::default())?;
        let mut image = GrayImage::default();
        let mut best = f64::INFINITY;
        for run in 0..RUNS {
            let start = Instant::now();
            for k in 0..FRAMES {
                synth.render(FRAMES * run + k, &mut image);
            }
            best = best.min(start.elapsed().as_secs_f64());
        }
        println!("{line}: {:.1} images a second", FRAMES as f64 / best);
    }
    Ok(())
}
