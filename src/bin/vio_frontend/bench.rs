//! `bench`: the latency of plain path and GPU, beside the least that a frame's bytes cost, all in one run.

mod case;
mod frames;
mod images;
mod machine;
mod on_gpu;
mod report;
mod table;
mod turns;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{anyhow, bail};
use vio_frontend::gpu::MOST_UPLOAD_THREADS;
use vio_frontend::image::MIN_SIDE;
use vio_frontend::params::Device as Wanted;

use super::gpu::GpuArgs;
use case::{Bench, Case};
use machine::OpenGpu;
use report::Report;

/// Bytes of all images, GiB: more are refused.
const MOST_GIB: usize = 4;

const AFTER_HELP: &str = "\
Times are the host's wall clock, from an image in host memory until every feature was read once; tracks are read as
they come, descriptors by who compares them. The floor of page-locked sources is a copy of the image to the device and a
kernel that sets a flag, waited for by looking at it; that of ordinary memory copies the image to page-locked memory
first. The frame floor moves a frame's bytes in and out, without its work.";

/// Measure latency on CPU and GPU, beside the floor under it, in one run
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP, after_long_help = AFTER_HELP)]
pub struct Args {
    #[command(flatten)]
    gpu: GpuArgs,
    /// Images: what `replay` takes
    #[arg(long, value_name = "SOURCE", default_value = "synth:room", conflicts_with = "image")]
    source: String,
    /// One PNG or JPEG file instead, moved by some pixels from frame to frame
    #[arg(long, value_name = "FILE")]
    image: Option<PathBuf>,
    /// Size of the frames, px: the images are cut, or repeated in mirror images [default: theirs]
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<[usize; 2]>,
    /// Features wanted, in place of 300 and 4600
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    max_cnt: Option<u32>,
    /// Points tracked there and back in the case that tracks; 0 leaves it out
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(..=100_000))]
    tracks: u32,
    /// A table over sizes, features and tracks instead
    #[arg(long, conflicts_with_all = ["size", "max_cnt", "tracks"])]
    table: bool,
    /// Frames that count of each way on the GPU [default: 2000, for a table 200]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    frames: Option<u32>,
    /// Frames that count of the plain path; 0 leaves it out [default: 100, for a table 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    plain_frames: Option<u32>,
    /// Threads that help to copy, measured beside none; 0 leaves them out
    #[arg(long, value_name = "N", default_value_t = MOST_UPLOAD_THREADS,
        value_parser = clap::value_parser!(u32).range(..=i64::from(MOST_UPLOAD_THREADS)))]
    upload_threads: u32,
    /// Images that take turns, each in memory of its own
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u32).range(2..=1000))]
    buffers: u32,
    /// Sleep before every frame: what a camera's rate leaves in no cache
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=1000))]
    pause_ms: u32,
    /// JSON instead of a table
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let params = args.gpu.params.load()?;
    if let Some([width, height]) = args.size {
        let gib = (width * height).saturating_mul(args.buffers as usize) >> 30;
        if gib >= MOST_GIB {
            bail!(
                "--size {width}x{height}, --buffers {}: {gib} GiB of images; less than {MOST_GIB} are taken",
                args.buffers
            );
        }
    }
    let images = images::load(args, args.size)?;
    let gpu = match params.device {
        Wanted::Cpu => Err("device 'cpu' is wanted".to_owned()),
        wanted => match OpenGpu::open(&args.gpu) {
            Err(error) if wanted == Wanted::Cuda => return Err(error.context("device 'cuda' is wanted")),
            other => other.map_err(|error| format!("{error:#}")),
        },
    };
    if gpu.is_err() && args.plain_frames() == 0 {
        return Err(anyhow!("nothing to measure: no GPU, and '--plain-frames' is 0"));
    }
    let bench = Bench { params: &params, args, gpu: gpu.as_ref().ok(), images: &images };
    let cases = if args.table { table::measure(&bench)? } else { bench.measure_all(&cases(args))? };
    let report = Report::new(args, &images, &gpu, cases);
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &report).map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else {
        report.print(args.table, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn frames(&self) -> usize {
        self.frames.unwrap_or(if self.table { 200 } else { 2000 }) as usize
    }

    /// Between two frames.
    fn pause(&self) {
        if self.pause_ms > 0 {
            std::thread::sleep(Duration::from_millis(self.pause_ms.into()));
        }
    }

    fn plain_frames(&self) -> usize {
        self.plain_frames.unwrap_or(if self.table { 2 } else { 100 }) as usize
    }
}

fn cases(args: &Args) -> Vec<Case> {
    let detect = |features, descriptors| Case { features, descriptors, tracks: 0 };
    let mut cases = match args.max_cnt {
        Some(features) => vec![detect(features, false), detect(features, true)],
        None => vec![detect(300, false), detect(4600, false), detect(4600, true)],
    };
    if let (tracks @ 1.., Some(last)) = (args.tracks, cases.last().copied()) {
        cases.push(Case { tracks, ..last });
    }
    cases
}

fn size(text: &str) -> Result<[usize; 2], String> {
    let sides = text.split_once('x').and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    let sides: [usize; 2] = sides.ok_or("not WIDTHxHEIGHT, such as 640x480")?;
    let range = MIN_SIDE as usize..=vio_frontend::gpu::plan::GREATEST_SIDE as usize;
    match sides.iter().all(|side| range.contains(side)) {
        true => Ok(sides),
        false => Err(format!("a side is not within {} to {} px", range.start(), range.end())),
    }
}
