//! `synth`: a simulated sequence with ground truth, as an EuRoC folder.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::builder::PossibleValuesParser;
use vio_frontend::source::synth::{self, Effects, Light, Synth, SynthOptions};

use super::progress::progress_bar;

/// Write a simulated sequence as an EuRoC folder: images, IMU, calibration, exact poses, true tracks
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Scene
    #[arg(value_parser = PossibleValuesParser::new(synth::names()))]
    name: String,
    /// Folder that `mav0` is written to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Number of images, 20 a second
    #[arg(long, value_name = "N", default_value_t = SynthOptions::default().frames)]
    frames: usize,
    /// Light that changes
    #[arg(long, value_name = "COURSE", default_value = "steady", value_parser = PossibleValuesParser::new(Light::NAMES))]
    light: String,
    /// Motion blur by an exposure time, such as 8ms or 500us
    #[arg(long, value_name = "TIME", default_value = "0")]
    blur: String,
    /// Noise of pixels and rows, standard deviation in grey levels
    #[arg(long, value_name = "LEVELS", default_value = "0")]
    noise: String,
}

pub fn run(args: &Args, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let mut effects = Effects::default();
    for (name, value) in [("light", &args.light), ("blur", &args.blur), ("noise", &args.noise)] {
        effects.set(name, value)?;
    }
    let synth = Synth::new(&args.name, &SynthOptions { frames: args.frames, effects, ..SynthOptions::default() })?;
    let bar = progress_bar(synth.frames());
    let start = Instant::now();
    synth::export(&synth, &args.out, |done| bar.set_position(done as u64))?;
    bar.finish_and_clear();
    let seconds = start.elapsed().as_secs_f64();
    let (frames, mav0) = (synth.frames(), args.out.join("mav0"));
    writeln!(out, "{frames} images, {} IMU samples, poses and true tracks in {}", synth.imu_samples(), mav0.display())?;
    writeln!(out, "written in {seconds:.2} s")?;
    Ok(ExitCode::SUCCESS)
}
