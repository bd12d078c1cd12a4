//! `params`: shows and checks parameter files.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use vio_frontend::params::{Params, read_param_file};

use super::load::ParamArgs;

/// Show every parameter, or check parameter files
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print a parameter file with every parameter's meaning, unit and range
    Print(ParamArgs),
    /// Read parameter files as the node would and name what is wrong
    Check {
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Node whose sections apply
        #[arg(long, value_name = "NAME", default_value = "/vio_frontend")]
        node: String,
    },
}

pub fn run(args: &Args, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    match &args.command {
        Command::Print(args) => write!(out, "{}", args.load()?.to_yaml())?,
        Command::Check { files, node } => {
            for file in files {
                Params::from_file(file, node)?;
                let entries = read_param_file(file, node)?;
                let set: Vec<String> = entries.iter().map(|entry| format!("{}: {}", entry.name, entry.value)).collect();
                writeln!(out, "{}: good; sets {}", file.display(), set.join(", "))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
