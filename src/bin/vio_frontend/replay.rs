//! `replay`: a recorded or simulated sequence through the front end.

mod folder;
mod report;
mod session;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use vio_frontend::camera::{CamImu, Camera};
use vio_frontend::error::Refusal;
use vio_frontend::frontend::Frontend;
use vio_frontend::output::{Fallback, Summary};
use vio_frontend::source::{self, Event, Source as _, Synchronised};

use super::load::ParamArgs;
use super::progress::progress_bar;
use folder::OutFolder;
use session::Session;

/// Run the front end over a sequence and write features, a summary, overlays, a report
#[derive(Debug, clap::Args)]
pub struct Args {
    /// EuRoC or TUM RGB-D folder, folder of images, or synth:NAME[?light=step&blur=8ms&noise=3]
    source: String,
    #[command(flatten)]
    params: ParamArgs,
    /// Folder for features.csv and summary.json [default: ./out with --overlay or --report, else nothing is written]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Stop after N frames
    #[arg(long, value_name = "N")]
    max_frames: Option<usize>,
    /// Write DIR/overlay/*.png: each frame with its features
    #[arg(long)]
    overlay: bool,
    /// Write DIR/report.html: latency and feature-count plots, sample overlays
    #[arg(long)]
    report: bool,
}

pub fn run(args: &Args, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let params = args.params.load()?;
    let source = source::open(&args.source)?;
    let camera = Camera::resolve(&params, || Ok(source.camera().cloned()))?;
    let wait_s = params.imu_wait_ms * 1e-3;
    let cam_imu = CamImu::resolve(&params, source.cam_imu())?;
    let mut frontend = Frontend::new(params, camera)?;
    frontend.set_cam_imu(cam_imu);
    let mut source = Synchronised::new(source, frontend.imu_offset_s().unwrap_or(0.0), wait_s);
    let wanted = args.max_frames.map_or(source.frames(), |n| n.min(source.frames()));
    let folder =
        args.out_folder().map(|path| OutFolder::create(path, args.overlay, args.report, wanted)).transpose()?;

    let bar = progress_bar(wanted);
    let start = Instant::now();
    let mut session = Session::new(frontend, folder, &bar);
    while session.frames() < wanted
        && let Some(event) = source.next_event()
    {
        match event {
            Event::Image { stamp_ns, image } => session.image(stamp_ns, &image)?,
            Event::Unreadable { stamp_ns, message } => session.refuse(stamp_ns, &Refusal::Unreadable { message }),
            Event::Imu(sample) => session.imu(sample),
        }
        bar.set_position(session.frames() as u64);
    }
    bar.finish_and_clear();
    let seconds = start.elapsed().as_secs_f64();

    let (summary, written) = session.finish(&args.source)?;
    print_summary(out, &summary, seconds, &written)?;
    if summary.frames != wanted as u64 {
        let (found, source) = (summary.frames, &args.source);
        tracing::error!("{source} announced {wanted} frames and gave {found}");
        return Ok(ExitCode::from(1));
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// Where files go; `None` if none are wanted.
    fn out_folder(&self) -> Option<&Path> {
        let default = (self.overlay || self.report).then(|| Path::new("out"));
        self.out.as_deref().or(default)
    }
}

fn print_summary(out: &mut impl Write, summary: &Summary, seconds: f64, written: &[String]) -> anyhow::Result<()> {
    let Summary { frames, processed, skipped, refused, restarts, .. } = summary;
    let refused_total: u64 = refused.values().sum();
    writeln!(
        out,
        "{frames} frames in {seconds:.2} s: {processed} processed, {refused_total} refused, {skipped} skipped"
    )?;
    for (reason, count) in refused {
        writeln!(out, "  refused for {reason}: {count}")?;
    }
    writeln!(out, "restarts: {restarts}")?;
    match &summary.gpu {
        Some(name) => writeln!(out, "device: {} ({name})", summary.device)?,
        None => writeln!(out, "device: {}", summary.device)?,
    }
    for Fallback { frame, reason } in &summary.fallbacks {
        writeln!(out, "  frame {frame} finished on the CPU: {reason}")?;
    }
    if let (Some(mean), Some(min), Some(max)) = (summary.features_mean, summary.features_min, summary.features_max) {
        writeln!(out, "features per frame: {mean:.1} on average, {min} to {max}")?;
    }
    if let (Some(mean), Some(length)) = (summary.tracks_alive_mean, summary.track_length_median) {
        writeln!(out, "tracks: {mean:.1} alive on average, median length {length} frames")?;
    }
    for (stage, p) in &summary.latency_us {
        writeln!(out, "{stage:>10}: p50 {:.3} ms, p95 {:.3} ms, p99 {:.3} ms", p.p50 / 1e3, p.p95 / 1e3, p.p99 / 1e3)?;
    }
    if !written.is_empty() {
        writeln!(out, "written: {}", written.join(", "))?;
    }
    Ok(())
}
