//! `synth`: a simulated sequence with ground truth, as an EuRoC folder.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use vio_frontend::source::synth::{self, Synth, SynthOptions};

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
}

pub fn run(args: &Args, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let options = SynthOptions { frames: args.frames, ..SynthOptions::default() };
    let synth = Synth::new(&args.name, &options)?;
    synth::export(&synth, &args.out, |_| {})?;
    let (frames, mav0) = (synth.frames(), args.out.join("mav0"));
    writeln!(out, "{frames} images, {} IMU samples, poses and true tracks in {}", synth.imu_samples(), mav0.display())?;
    Ok(ExitCode::SUCCESS)
}
