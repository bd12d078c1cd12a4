//! `detect`: the features of one image.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use vio_frontend::camera::Camera;
use vio_frontend::feature::{Descriptor, Feature};
use vio_frontend::frame::Frame;
use vio_frontend::frontend::{Frontend, OutputPoint};
use vio_frontend::image::GrayImage;
use vio_frontend::params::{Mode, Value};

use super::load::ParamArgs;

/// Print all features of one image, in their published order
#[derive(Debug, clap::Args)]
pub struct Args {
    /// PNG or JPEG file
    image: PathBuf,
    #[command(flatten)]
    params: ParamArgs,
    /// Features wanted, over the parameter `max_cnt`
    #[arg(long, value_name = "N")]
    max_cnt: Option<u32>,
    /// JSON instead of CSV
    #[arg(long)]
    json: bool,
    /// Descriptors in the JSON (128 bytes in base64), as with the parameter `publish_descriptors`
    #[arg(long, requires = "json")]
    descriptors: bool,
}

/// The JSON document. Positions are level-0 pixels, pixel centres at integers.
#[derive(Debug, Serialize)]
struct Document {
    width: u32,
    height: u32,
    device: &'static str,
    /// Candidates after merge and mask.
    offered: u32,
    features: Vec<FeatureRow>,
}

#[derive(Debug, Serialize)]
struct FeatureRow {
    u: f32,
    v: f32,
    level: u8,
    score: u32,
    threshold: u8,
    /// The bytes of contract C10 in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    descriptor: Option<String>,
}

impl FeatureRow {
    fn new(point: &OutputPoint, descriptor: Option<&Descriptor>) -> Self {
        let Feature { u, v, level, score, threshold, .. } = point.feature;
        let descriptor = descriptor.map(|descriptor| STANDARD.encode(descriptor.0));
        Self { u, v, level, score, threshold, descriptor }
    }
}

pub fn run(args: &Args, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let mut params = args.params.load()?;
    if let Some(max_cnt) = args.max_cnt {
        params.set("max_cnt", &Value::Integer(i64::from(max_cnt)))?;
    }
    params.publish_descriptors |= args.descriptors;
    params.mode = Mode::Detect;
    let camera = Camera::resolve(&params, || Ok(None))?;
    let mut frontend = Frontend::new(params, camera)?;

    let path = args.image.display().to_string();
    let bytes = std::fs::read(&args.image).with_context(|| path.clone())?;
    let image = GrayImage::decode(&bytes).map_err(|message| anyhow!("{path}: {message}"))?;
    // A single image has no stamp; any but 0 will do.
    let frame = Frame { stamp_ns: 1, image: image.checked_view().with_context(|| path.clone())? };
    let output = frontend.process(&frame).context(path)?;

    let [width, height] = output.size;
    let descriptor = |i: usize| output.descriptors.get(i);
    let features = output.points.iter().enumerate().map(|(i, point)| FeatureRow::new(point, descriptor(i)));
    let features: Vec<FeatureRow> = features.collect();
    if args.json {
        let document = Document { width, height, device: output.backend.name(), offered: output.offered, features };
        serde_json::to_writer(&mut *out, &document).map_err(std::io::Error::from)?;
        writeln!(out)?;
    } else {
        writeln!(out, "u,v,level,score,threshold")?;
        for f in features {
            writeln!(out, "{},{},{},{},{}", f.u, f.v, f.level, f.score, f.threshold)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
