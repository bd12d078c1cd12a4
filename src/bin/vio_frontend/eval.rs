//! `eval`: how good detection and tracks are, beside other detectors and trackers.

mod detection;
mod peer;
mod sequence;
mod table;
mod track_table;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::ValueEnum;
use serde::Serialize;
use vio_frontend::eval::Figures;
use vio_frontend::eval::tracks::TrackFigures;
use vio_frontend::params::Value;

use super::load::ParamArgs;

/// Judge detection (count, spread, precision, repeatability) and tracks (error, drift, survival, length, outliers)
#[derive(Debug, clap::Args)]
pub struct Args {
    /// synth:NAME, whose truth is exact; for tracks also an EuRoC or TUM folder or a folder of images, with what truth
    /// there is in it: poses, corner_tracks.csv
    #[arg(required_unless_present = "photos", conflicts_with = "photos")]
    source: Option<String>,
    /// Folder of photos (PNG or JPEG, 200 px and more) that are moved and changed in known ways
    #[arg(long, value_name = "DIR")]
    photos: Option<PathBuf>,
    /// What is judged; detection needs synth:NAME or photos, tracks any sequence
    #[arg(long, value_enum, default_value_t = What::All)]
    what: What,
    #[command(flatten)]
    params: ParamArgs,
    /// Points wanted an image, over the parameter `max_cnt`
    #[arg(long, value_name = "N")]
    max_cnt: Option<u32>,
    /// Use N frames or photos at most [default: all; detection on a sequence 60]
    #[arg(long, value_name = "N", alias = "frames")]
    max_frames: Option<usize>,
    /// Tracks of another program to judge in the same way: a CSV file with columns stamp_ns, id, u, v, perhaps sigma, and
    /// perhaps a lost.csv (stamp_ns, id, reason) beside it; may be repeated
    #[arg(long, value_name = "FILE", conflicts_with = "photos")]
    tracks: Vec<PathBuf>,
    /// Track without the IMU
    #[arg(long, conflicts_with = "photos")]
    without_imu: bool,
    /// Another detector to judge in the same run, a shell command that reads lines `IMAGE<tab>COUNT` and answers each
    /// with lines `u,v,level[,l2:HEX|,hamming:HEX]`, the best first, and an empty line; may be repeated
    #[arg(long, value_name = "COMMAND")]
    peer: Vec<String>,
    /// JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// Which stages are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    Tracks,
    Detection,
    /// All that the source allows
    All,
}

/// The JSON document.
#[derive(Debug, Serialize)]
struct Document {
    source: String,
    /// Frames or photos on which detection was judged.
    images: usize,
    /// Photos left out, and why.
    left_out: Vec<String>,
    /// This project's first; empty where detection was not judged.
    detectors: Vec<Figures>,
    /// This project's figures over those of each other detector.
    ratios: Vec<table::Ratios>,
    tracking: Option<Tracking>,
}

/// Tracks on a sequence.
#[derive(Debug, Serialize)]
struct Tracking {
    frames: usize,
    /// What the sequence knows of itself.
    known: Vec<&'static str>,
    /// This project's first.
    trackers: Vec<TrackFigures>,
}

pub fn run(args: &Args, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let mut params = args.params.load()?;
    if let Some(max_cnt) = args.max_cnt {
        params.set("max_cnt", &Value::Integer(i64::from(max_cnt)))?;
    }
    params.check()?;
    let document = match (&args.photos, &args.source) {
        (Some(_), _) if args.what == What::Tracks => bail!("photos have no tracks: a sequence is needed"),
        (Some(folder), _) => detection::on_photos(args, folder, &params)?,
        (None, Some(source)) => {
            let judges_tracks = args.what != What::Detection;
            let judges_detection = match args.what {
                What::Tracks => false,
                What::Detection => true,
                What::All => source.starts_with("synth:"),
            };
            // What is wrong with the source or the tracks shows before the long part.
            let tracking = if judges_tracks { sequence::tracking(args, source, &params)? } else { None };
            let document =
                if judges_detection { detection::on_sequence(args, source, &params)? } else { detection::none(source) };
            Document { tracking, ..document }
        }
        (None, None) => bail!("a source is needed: a sequence or --photos DIR"),
    };
    if args.json {
        serde_json::to_writer(&mut *out, &document).map_err(std::io::Error::from)?;
        writeln!(out)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(tracking) = &document.tracking {
        track_table::print(out, &document.source, tracking)?;
    }
    if !document.detectors.is_empty() {
        table::print(out, &document)?;
    }
    Ok(ExitCode::SUCCESS)
}
