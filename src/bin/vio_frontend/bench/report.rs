//! What a run found: the JSON document, and the same as a table.

use std::io::Write;

use serde::Serialize;
use vio_frontend::image::GrayImage;

use super::Args;
use super::case::{Measured, OnGpu};
use super::machine::{Machine, OpenGpu};
use super::table;
use super::turns::Figures;

/// Stages of a frame on the GPU, in order.
const STAGES: [&str; 4] = ["load", "queue", "detect", "track"];

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
}

impl Report {
    pub fn new(args: &Args, images: &[GrayImage], gpu: &Result<OpenGpu, String>, cases: Vec<Measured>) -> Self {
        let file = args.image.as_ref().map(|file| file.display().to_string());
        let method = Method {
            clock: "host wall clock, from an image in host memory to parsed results",
            source: file.unwrap_or_else(|| args.source.clone()),
            size: images.first().map_or([0, 0], |image| [image.width(), image.height()]),
            frames: args.frames(),
            plain_frames: args.plain_frames(),
            buffers: args.buffers,
        };
        Self { machine: Machine::new(gpu), method, cases }
    }

    pub fn print(&self, table: bool, out: &mut impl Write) -> std::io::Result<()> {
        for line in self.machine.lines() {
            writeln!(out, "{line}")?;
        }
        let Method { clock, source, frames, plain_frames, buffers, .. } = &self.method;
        writeln!(
            out,
            "{source}, {buffers} images in turn; {frames} frames on the GPU, {plain_frames} by the \
             plain path; us, {clock}"
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
    let Some(OnGpu { ordinary, page_locked, floor_frame, transfers, .. }) = gpu else { return Ok(()) };
    for (memory, floor, way) in
        [("ordinary memory", "memcpy, copy, flag", ordinary), ("page-locked memory", "copy, flag", page_locked)]
    {
        row(&format!("GPU, image in {memory}"), &way.figures, format!("{:.2}", way.over_floor))?;
        row(&format!("  floor: {floor}"), &way.floor, String::new())?;
    }
    row("  floor: all bytes, no work", floor_frame, String::new())?;
    for (memory, way) in [("ordinary", ordinary), ("page-locked", page_locked)] {
        let stage = |stage: &str| way.figures.latency_us.get(stage).map_or(0.0, |time| time.p50);
        let stages = STAGES.map(|name| format!("{name} {:.1}", stage(name)));
        writeln!(out, "  p50 by stage, {memory}: {}", stages.join(", "))?;
    }
    writeln!(out, "  {transfers}")
}
