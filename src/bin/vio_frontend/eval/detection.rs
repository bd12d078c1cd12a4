//! Detection on photos and on simulated sequences.

use std::path::Path;

use anyhow::{Context, anyhow, bail};
use vio_frontend::eval::photos::{LEAST_SIDE, Photos};
use vio_frontend::eval::{Detector, Figures, Ours, sequence};
use vio_frontend::image::GrayImage;
use vio_frontend::params::Params;
use vio_frontend::source;
use vio_frontend::source::synth::{Synth, SynthOptions};

use super::peer::Peer;
use super::{Args, Document, table};
use crate::progress::progress_bar;

/// Frames of a sequence if no other number is asked for.
const FRAMES: usize = 60;

pub fn on_photos(args: &Args, folder: &Path, params: &Params) -> anyhow::Result<Document> {
    let mut files = source::image_files(folder)?;
    if files.is_empty() {
        bail!("{}: no PNG or JPEG files in it", folder.display());
    }
    files.truncate(args.max_frames.unwrap_or(files.len()));
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

pub fn on_sequence(args: &Args, source: &str, params: &Params) -> anyhow::Result<Document> {
    let Some(name) = source.strip_prefix("synth:") else {
        bail!("'{source}': detection is judged on synth:NAME as a sequence, and on --photos DIR as single images");
    };
    let frames = args.max_frames.unwrap_or(FRAMES);
    let synth = Synth::new(name, &SynthOptions { frames, ..SynthOptions::default() })?;
    let mut detectors = detectors(args, Ours::on_sequence(params))?;
    let bar = progress_bar(synth.frames());
    let figures = sequence::evaluate(&synth, params.max_cnt as usize, &mut detectors, || bar.inc(1));
    bar.finish_and_clear();
    Ok(document(source.to_owned(), synth.frames(), Vec::new(), figures.map_err(|e| anyhow!(e))?))
}

/// A document without detection.
pub fn none(source: &str) -> Document {
    document(source.to_owned(), 0, Vec::new(), Vec::new())
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
    Document { source, images, left_out, detectors, ratios, tracking: None }
}
