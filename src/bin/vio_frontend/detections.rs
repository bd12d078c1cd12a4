//! `detections`: the boxes in a network's output.

mod device;
mod document;
mod npy;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::builder::PossibleValuesParser;
use vio_frontend::detections::prepare::square_input;
use vio_frontend::detections::{Heads, Layout, Letterbox, Plan, Settings};

use super::gpu::GpuArgs;
use device::AnyPostprocessor;
use document::{Document, warn_of_overflow};

/// Print the boxes in the output of a YOLO network as JSON
#[derive(Debug, clap::Args)]
pub struct Args {
    /// NumPy array (.npy) of float32 or float16
    tensor: PathBuf,
    /// yolov5: [B, N, 5 + C]; yolov8: [B, 4 + C, N]; yolov8_rows: [B, N, 4 + C]
    #[arg(long, value_parser = PossibleValuesParser::new(Layout::ALL.map(Layout::name)))]
    layout: String,
    /// C; then the shape must have just that [default: as the shape has it]
    #[arg(long, value_name = "N")]
    classes: Option<u32>,
    /// Least score of a box, exclusive, 0 to 1
    #[arg(long, value_name = "SCORE", default_value_t = 0.25)]
    conf: f64,
    /// Greatest overlap with a better box, 0 to 1
    #[arg(long, value_name = "IOU", default_value_t = 0.45)]
    iou: f64,
    /// Boxes of different classes suppress each other
    #[arg(long)]
    agnostic: bool,
    /// Most candidates of an image that are considered
    #[arg(long, value_name = "N", default_value_t = 2048)]
    max_candidates: u32,
    /// Most boxes of an image that are printed
    #[arg(long, value_name = "N", default_value_t = 300)]
    max_detections: u32,
    /// The network's input, px [default: the square with as many anchors at strides 8, 16 and 32]
    #[arg(long, value_name = "WxH", value_parser = size)]
    input: Option<[u32; 2]>,
    /// The image that was fitted into the input; boxes are in its pixels [default: in those of the input]
    #[arg(long, value_name = "WxH", value_parser = size)]
    image: Option<[u32; 2]>,
    /// Values are raw heads of YOLOv5 with its published anchors, before the last decoding
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    gpu: GpuArgs,
    /// Do it N times and tell how long it takes
    #[arg(long, value_name = "N")]
    repeat: Option<u32>,
}

/// WIDTHxHEIGHT.
fn size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once('x').map(|(width, height)| (width.parse(), height.parse()));
    match sides {
        Some((Ok(width @ 1..=32768), Ok(height @ 1..=32768))) => Ok([width, height]),
        _ => Err("WIDTHxHEIGHT is expected, each 1 to 32768".to_owned()),
    }
}

pub fn run(args: &Args, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let path = args.tensor.display().to_string();
    let array = npy::read(&args.tensor).with_context(|| path.clone())?;
    let layout = Layout::ALL.into_iter().find(|layout| layout.name() == args.layout);
    let layout = layout.context("a layout that is none")?;
    let settings = Settings {
        classes: args.classes,
        confidence: args.conf,
        iou: args.iou,
        agnostic: args.agnostic,
        max_candidates: args.max_candidates,
        max_detections: args.max_detections,
        ..Settings::new(layout)
    };
    let plan = Plan::new(&array.shape, array.element(), &settings).with_context(|| path.clone())?;
    let input = args.input.or_else(|| square_input(layout, plan.anchors()));
    let plan = if args.raw {
        let input = input.context("--raw needs --input: no square input has so many anchors")?;
        let settings = Settings { heads: Some(Heads::yolov5(input)), ..settings };
        Plan::new(&array.shape, array.element(), &settings).with_context(|| path.clone())?
    } else {
        plan
    };
    let letterbox = match (args.image, input) {
        (Some(image), Some(input)) => Letterbox::fit(image, input),
        (Some(_), None) => anyhow::bail!("--image needs --input: no square input has so many anchors"),
        (None, Some([width, height])) => Letterbox::identity(width, height),
        (None, None) => Letterbox::identity(1 << 20, 1 << 20),
    };
    let letterboxes = vec![letterbox; plan.batch()];

    let tensor = array.tensor();
    let mut postprocessor = AnyPostprocessor::open(&args.gpu, plan)?;
    let detections = postprocessor.run(&tensor, &letterboxes).with_context(|| path.clone())?;
    let latency_us = args.repeat.map(|times| postprocessor.time(&tensor, &letterboxes, times)).transpose()?;
    warn_of_overflow(&detections);
    let document = Document {
        layout: layout.name(),
        element: array.element().to_string(),
        shape: array.shape,
        input,
        device: postprocessor.device(),
        fallback: postprocessor.fallback(),
        images: document::images(&detections),
        latency_us,
    };
    serde_json::to_writer(&mut *out, &document).map_err(std::io::Error::from)?;
    writeln!(out)?;
    Ok(ExitCode::SUCCESS)
}
