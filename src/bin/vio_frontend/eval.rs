//! `eval`: how good detection is, beside other detectors.

mod peer;
mod table;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow, bail};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use vio_frontend::eval::photos::{LEAST_SIDE, Photos};
use vio_frontend::eval::{Detector, Figures, Ours, sequence};
use vio_frontend::image::GrayImage;
use vio_frontend::params::{Params, Value};
use vio_frontend::source;
use vio_frontend::source::synth::{Synth, SynthOptions};

use super::load::ParamArgs;
use peer::Peer;

/// Judge detection: count, spread, precision, bias and repeatability, on a simulated sequence or on photos
#[derive(Debug, clap::Args)]
pub struct Args {
    /// synth:NAME, whose truth is exact
    #[arg(required_unless_present = "photos", conflicts_with = "photos")]
    source: Option<String>,
    /// Folder of photos (PNG or JPEG, 200 px and more) that are moved and changed in known ways
    #[arg(long, value_name = "DIR")]
    photos: Option<PathBuf>,
    #[command(flatten)]
    params: ParamArgs,
    /// Points wanted an image, over the parameter `max_cnt`
    #[arg(long, value_name = "N")]
    max_cnt: Option<u32>,
    /// Use N frames or photos at most [default: 60 frames, all photos]
    #[arg(long, value_name = "N")]
    frames: Option<usize>,
    /// Another detector to judge in the same run, a shell command that reads lines `IMAGE<tab>COUNT` and answers each
    /// with lines `u,v,level[,l2:HEX|,hamming:HEX]`, the best first, and an empty line; may be repeated
    #[arg(long, value_name = "COMMAND")]
    peer: Vec<String>,
    /// JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// The JSON document.
#[derive(Debug, Serialize)]
struct Document {
    source: String,
    /// Frames or photos used.
    images: usize,
    /// Photos left out, and why.
    left_out: Vec<String>,
    /// This project's first.
    detectors: Vec<Figures>,
    /// This project's figures over those of each other detector.
    ratios: Vec<table::Ratios>,
}

pub fn run(args: &Args, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let mut params = args.params.load()?;
    if let Some(max_cnt) = args.max_cnt {
        params.set("max_cnt", &Value::Integer(i64::from(max_cnt)))?;
    }
    params.check()?;
    let document = match (&args.photos, &args.source) {
        (Some(folder), _) => on_photos(args, folder, &params)?,
        (None, Some(source)) => on_sequence(args, source, &params)?,
        (None, None) => bail!("a source is needed: synth:NAME or --photos DIR"),
    };
    if args.json {
        serde_json::to_writer(&mut *out, &document).map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else {
        table::print(out, &document)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn on_photos(args: &Args, folder: &Path, params: &Params) -> anyhow::Result<Document> {
    let mut files = source::image_files(folder)?;
    if files.is_empty() {
        bail!("{}: no PNG or JPEG files in it", folder.display());
    }
    files.truncate(args.frames.unwrap_or(files.len()));
    let mut detectors = detectors(args, Ours::on_photos(params))?;
    let mut photos = Photos::new(detectors.len(), params.max_cnt as usize);
    let mut left_out = Vec::new();
    let bar = progress_bar(files.len());
    for file in &files {
        let name = || file.display().to_string();
        let photo = std::fs::read(file).map_err(|error| error.to_string()).and_then(|bytes| GrayImage::decode(&bytes));
        match photo {
            Ok(photo) if photo.width().min(photo.height()) >= LEAST_SIDE => {
                photos.add(&photo, &mut detectors).map_err(|e| anyhow!(e)).with_context(name)?;
            }
            Ok(photo) => left_out.push(format!("{}: {} x {}, too small", name(), photo.width(), photo.height())),
            Err(message) => left_out.push(format!("{}: {message}", name())),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let images = files.len() - left_out.len();
    Ok(document(folder.display().to_string(), images, left_out, photos.figures(&detectors)))
}

fn on_sequence(args: &Args, source: &str, params: &Params) -> anyhow::Result<Document> {
    let Some(name) = source.strip_prefix("synth:") else {
        bail!("'{source}': only synth:NAME is judged as a sequence, and --photos DIR as single images");
    };
    let synth = Synth::new(name, &SynthOptions { frames: args.frames.unwrap_or(60), ..SynthOptions::default() })?;
    let mut detectors = detectors(args, Ours::on_sequence(params))?;
    let bar = progress_bar(synth.frames());
    let figures = sequence::evaluate(&synth, params.max_cnt as usize, &mut detectors, || bar.inc(1));
    bar.finish_and_clear();
    Ok(document(source.to_owned(), synth.frames(), Vec::new(), figures.map_err(|e| anyhow!(e))?))
}

fn detectors(args: &Args, ours: Ours) -> anyhow::Result<Vec<Box<dyn Detector>>> {
    let mut detectors: Vec<Box<dyn Detector>> = vec![Box::new(ours)];
    for command in &args.peer {
        detectors.push(Box::new(Peer::start(command)?));
    }
    Ok(detectors)
}

fn document(source: String, images: usize, left_out: Vec<String>, detectors: Vec<Figures>) -> Document {
    let ratios = detectors
        .split_first()
        .map_or_else(Vec::new, |(ours, peers)| peers.iter().map(|peer| table::Ratios::new(ours, peer)).collect());
    Document { source, images, left_out, detectors, ratios }
}

/// Shown on a terminal only.
fn progress_bar(images: usize) -> ProgressBar {
    let bar = ProgressBar::new(images as u64);
    match ProgressStyle::with_template("{bar:40} {pos}/{len} images, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
