//! `kernels`: the CUDA programs and their compiled forms on disk.

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context as _;
use clap::Subcommand;
use vio_frontend::gpu::builder::Origin;
use vio_frontend::gpu::cache::{Key, Listed};
use vio_frontend::gpu::choice::{Choice, Target};
use vio_frontend::gpu::context::Context;
use vio_frontend::gpu::kernels::Kernels;
use vio_frontend::gpu::program::Program;

use super::gpu::{Found, GpuArgs, compiler, way};

const AFTER_HELP: &str = "\
Exit status:
  0  done
  1  `warm`: a program is not on disk afterwards: it is not compiled here, or cannot be stored
     `verify`: an entry would not be used, or a program does not load on the GPU
  2  an error; standard error says what and why

Without a GPU `list`, `verify` and `clear` work on the disk alone, and `warm` wants --arch.";

/// List, compile ahead, check or remove compiled CUDA kernels
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP, after_long_help = AFTER_HELP)]
pub struct Args {
    #[command(flatten)]
    gpu: GpuArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show the programs and what is kept of them on disk
    List,
    /// Compile every program for the GPU that is here, or for another one, and keep it on disk
    Warm {
        /// Architecture of another GPU: 62 for compute capability 6.2
        #[arg(long, value_name = "NUMBER")]
        arch: Option<u32>,
        /// CUDA version of that GPU's driver [default: that of the compiler]
        #[arg(long, value_name = "MAJOR.MINOR", requires = "arch", value_parser = version)]
        driver: Option<(u32, u32)>,
    },
    /// Read every entry, and load every program where there is a GPU
    Verify,
    /// Remove every entry
    Clear,
}

pub fn run(args: &Args, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let found = args.gpu.look()?;
    match args.command {
        Command::List => list(&found, out),
        Command::Warm { arch, driver } => warm(&found, arch, driver, out),
        Command::Verify => verify(found, out),
        Command::Clear => {
            let count = found.builder.cache().clear()?;
            writeln!(out, "{count} files removed from {}", found.builder.cache().folder()?.display())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn list(found: &Found, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let programs = found.sources.programs()?;
    for program in &programs {
        let kept = if program.kept.is_some() { "PTX kept in this program" } else { "no PTX is kept of these sources" };
        writeln!(out, "program {}: {} bytes; {kept}", program.name, program.text.len())?;
    }
    writeln!(out, "cache {}:", found.builder.cache().folder()?.display())?;
    let entries = found.builder.cache().list()?;
    for entry in &entries {
        writeln!(out, "  {}", describe(entry, &programs))?;
    }
    if entries.is_empty() {
        writeln!(out, "  empty")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn describe(entry: &Listed, programs: &[Program]) -> String {
    let name = entry.path.file_name().unwrap_or_default().to_string_lossy();
    match &entry.content {
        Err(reason) => format!("{name}: would not be used: {reason}"),
        Ok(meta) => {
            let same = |program: &Program| {
                Key::new(&program.name, &program.text, meta.kind, &meta.options, meta.nvrtc).meta() == meta
            };
            let sources = if programs.iter().any(same) { "these sources" } else { "other sources" };
            let (major, minor) = meta.nvrtc;
            let (program, kind, options, size) = (&meta.program, meta.kind, meta.options.join(" "), entry.size);
            format!("{name}: {program} of {sources}, {kind}, {size} bytes, NVRTC {major}.{minor} {options}")
        }
    }
}

fn warm(
    found: &Found,
    arch: Option<u32>,
    driver: Option<(u32, u32)>,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let programs = found.sources.programs()?;
    let nvrtc = match found.builder.compiler() {
        Ok(nvrtc) => nvrtc,
        Err(error) => {
            writeln!(out, "nothing is compiled ahead: {error}")?;
            return Ok(ExitCode::from(1));
        }
    };
    let target = match (arch, &found.device) {
        (Some(architecture), _) => Target { architecture, driver: driver.unwrap_or(nvrtc.version()) },
        (None, Ok(device)) => Target::of(device),
        (None, Err(error)) => {
            writeln!(out, "nothing is compiled ahead: {error}\nfor another machine's GPU: --arch and --driver")?;
            return Ok(ExitCode::from(1));
        }
    };
    writeln!(out, "NVRTC {}", compiler(nvrtc))?;
    let choice = found.builder.choose(target);
    writeln!(out, "kernels are {}", way(&choice))?;
    if let Choice::Kept { .. } = choice {
        return Ok(ExitCode::from(1));
    }
    let folder = found.builder.cache().check()?;
    let mut all = true;
    for program in &programs {
        let start = Instant::now();
        let built = found.builder.build(program, target)?;
        let milliseconds = start.elapsed().as_millis();
        if !built.log.trim().is_empty() {
            writeln!(out, "{}", built.log.trim_end())?;
        }
        let (name, bytes) = (&program.name, built.image.bytes.len());
        match built.origin {
            Origin::Compiled { .. } => {
                all &= built.not_stored.is_none();
                let stored = if built.not_stored.is_none() { "" } else { ", but not stored" };
                writeln!(out, "{name}: compiled in {milliseconds} ms, {bytes} bytes{stored}")?;
            }
            Origin::Cached { .. } => {
                writeln!(out, "{name}: is there already, read in {milliseconds} ms, {bytes} bytes")?
            }
            Origin::Kept { reason } => {
                all = false;
                writeln!(out, "{name}: not compiled: {reason}")?;
            }
        }
    }
    writeln!(out, "cache {}", folder.display())?;
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn verify(found: Found, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let programs = found.sources.programs()?;
    let mut good = true;
    for entry in found.builder.cache().list()? {
        good &= entry.content.is_ok();
        writeln!(out, "{}", describe(&entry, &programs))?;
    }
    match found.device {
        Err(error) => writeln!(out, "not tried on a GPU: {error}")?,
        Ok(device) => {
            let name = device.name.clone();
            let loaded = Context::new(device)
                .and_then(|context| Kernels::load(&context, found.builder.into(), found.sources, None));
            match loaded {
                Ok(kernels) => {
                    for loaded in kernels.loaded() {
                        let (program, kind) = (&loaded.program, loaded.module.image().kind);
                        writeln!(out, "{program}: {kind} loads on {name} ({})", origin(&loaded.origin))?;
                    }
                }
                Err(error) => {
                    good = false;
                    writeln!(out, "on {name}: {error}")?;
                }
            }
        }
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Compiled { architecture } => format!("compiled now for {architecture}"),
        Origin::Cached { architecture } => format!("from the cache, for {architecture}"),
        Origin::Kept { reason } => format!("kept in this program, because {reason}"),
    }
}

fn version(text: &str) -> anyhow::Result<(u32, u32)> {
    let (major, minor) = text.split_once('.').context("not MAJOR.MINOR, such as 12.6")?;
    Ok((major.parse()?, minor.parse()?))
}
