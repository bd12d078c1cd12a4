//! What a run found: the JSON document, and the same as a table.

use std::io::Write;

use serde::Serialize;
use vio_frontend::image::GrayImage;

use super::Args;
use super::case::Measured;
use super::machine::{Machine, OpenGpu};
use super::on_gpu::{Memory, OnGpu, Way};
use super::table;
use super::turns::Figures;

/// Stages of a frame on the GPU, in order: `results` are handed out, or copied; `read` looks at every feature once.
const STAGES: [&str; 6] = ["load", "queue", "detect", "results", "track", "read"];

/// The JSON document. Times are us.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    machine: Machine,
    method: Method,
    cases: Vec<Measured>,
}

#[derive(Clone, Debug, Serialize)]
struct Method {
    clock: &'static str,
    source: String,
    size: [usize; 2],
    /// Frames that count of each way on the GPU, and of the plain path.
    frames: usize,
    plain_frames: usize,
    /// Images that take turns.
    buffers: u32,
    /// Sleep before every frame, ms.
    pause_ms: u32,
}

impl Report {
    pub fn new(args: &Args, images: &[GrayImage], gpu: &Result<OpenGpu, String>, cases: Vec<Measured>) -> Self {
        let file = args.image.as_ref().map(|file| file.display().to_string());
        let method = Method {
            clock: "host wall clock, from an image in host memory until every feature was read once",
            source: file.unwrap_or_else(|| args.source.clone()),
            size: images.first().map_or([0, 0], |image| [image.width(), image.height()]),
            frames: args.frames(),
            plain_frames: args.plain_frames(),
            buffers: args.buffers,
            pause_ms: args.pause_ms,
        };
        Self { machine: Machine::new(gpu), method, cases }
    }

    pub fn print(&self, table: bool, out: &mut impl Write) -> std::io::Result<()> {
        for line in self.machine.lines() {
            writeln!(out, "{line}")?;
        }
        let Method { clock, source, frames, plain_frames, buffers, pause_ms, .. } = &self.method;
        let has_gpu = self.cases.iter().any(|measured| measured.gpu.is_some());
        let on_gpu = if has_gpu { format!("{frames} frames on the GPU, ") } else { String::new() };
        let pause = if *pause_ms > 0 { format!(", {pause_ms} ms after one another") } else { String::new() };
        writeln!(
            out,
            "{source}, {buffers} images in turn; {on_gpu}{plain_frames} frames by the plain path{pause}; us, {clock}"
        )?;
        if table {
            return table::print(&self.cases, out);
        }
        self.cases.iter().try_for_each(|case| print_case(case, out))
    }
}

fn print_case(measured: &Measured, out: &mut impl Write) -> std::io::Result<()> {
    let Measured { case, size: [width, height], features_mean, plain, gpu } = measured;
    let descriptors = if case.descriptors { " with descriptors" } else { "" };
    let tracks = if case.tracks > 0 { format!(", {} tracked there and back", case.tracks) } else { String::new() };
    writeln!(out, "\n{width}x{height}, {} features{descriptors}{tracks} ({features_mean:.0} found)", case.features)?;
    writeln!(out, "  {:<34}{:>9}{:>9}{:>9}{:>9}  over floor", "", "p50", "p95", "p99", "p99-p50")?;
    let mut row = |name: &str, figures: &Figures, over: String| {
        let total = figures.total();
        let tail = figures.tail_us;
        writeln!(out, "  {name:<34}{:>9.1}{:>9.1}{:>9.1}{tail:>9.1}  {over}", total.p50, total.p95, total.p99)
    };
    if let Some(plain) = plain {
        row("plain path", plain, String::new())?;
    }
    let Some(OnGpu { ways, floor_frame, transfers, .. }) = gpu else { return Ok(()) };
    for Way { memory, upload_threads, figures, floor, over_floor, .. } in ways {
        let helped = if *upload_threads > 0 { format!(", +{upload_threads} threads") } else { String::new() };
        row(&format!("GPU, {}{helped}", memory.name()), figures, format!("{over_floor:.2}"))?;
        if *upload_threads == 0 {
            let floor_of = if *memory == Memory::Ordinary { "memcpy, copy, flag" } else { "copy, flag" };
            row(&format!("  floor: {floor_of}"), floor, String::new())?;
        }
    }
    row("  floor: all bytes, no work", floor_frame, String::new())?;
    for Way { memory, upload_threads, figures, .. } in ways {
        let stage = |stage: &str| figures.latency_us.get(stage).map_or(0.0, |time| time.p50);
        let stages = STAGES.map(|name| format!("{name} {:.1}", stage(name)));
        writeln!(out, "  p50 by stage, {}, {upload_threads} threads help: {}", memory.name(), stages.join(", "))?;
    }
    writeln!(out, "  {transfers}")
}
