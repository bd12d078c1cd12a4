//! The offline tool: the front end on recorded and simulated sequences, without ROS.

mod bench;
mod compare;
mod detect;
mod detections;
mod doctor;
mod eval;
mod gpu;
mod kernels;
mod load;
mod params;
mod progress;
mod replay;
mod synth;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

const AFTER_HELP: &str = "\
Exit status:
  0  done
  1  `compare` found a difference, `replay` could not account for every frame, `kernels warm` or `verify` found
     something missing
  2  an error; standard error says what and why";

/// Visual-inertial front end, offline: images and IMU in, feature tracks out.
#[derive(Debug, Parser)]
#[command(version, after_help = AFTER_HELP, after_long_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Replay(replay::Args),
    Detect(detect::Args),
    Detections(detections::Args),
    Synth(synth::Args),
    Eval(eval::Args),
    Compare(compare::Args),
    Params(params::Args),
    Kernels(kernels::Args),
    Doctor(doctor::Args),
    Bench(bench::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let colours = io::stderr().is_terminal();
    tracing_subscriber::fmt().with_writer(io::stderr).with_ansi(colours).with_target(false).without_time().init();
    let mut out = BufWriter::new(io::stdout().lock());
    let outcome = match &cli.command {
        Command::Replay(args) => replay::run(args, &mut out),
        Command::Detect(args) => detect::run(args, &mut out),
        Command::Detections(args) => detections::run(args, &mut out),
        Command::Synth(args) => synth::run(args, &mut out),
        Command::Eval(args) => eval::run(args, &mut out),
        Command::Compare(args) => compare::run(args, &mut out),
        Command::Params(args) => params::run(args, &mut out),
        Command::Kernels(args) => kernels::run(args, &mut out),
        Command::Doctor(args) => doctor::run(args, &mut out),
        Command::Bench(args) => bench::run(args, &mut out),
    };
    match outcome.and_then(|code| Ok(out.flush().map(|()| code)?)) {
        Ok(code) => code,
        // `vio_frontend ... | head`: who reads us has enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to do if standard error is closed too.
            let _ = writeln!(io::stderr(), "error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).any(|e| e.kind() == io::ErrorKind::BrokenPipe)
}
