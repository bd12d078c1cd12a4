//! Frames on the GPU that is here, beside the plain path: `gpu_equality SOURCE [FRAMES [FEATURES]]`.
//!
//! SOURCE is what `replay` takes. Every frame is detected with descriptors, and its features are tracked from the frame
//! before. Prints what the device and its compiler are, the first frame that differs in any bit, and percentiles of the
//! host's time from the grey image to results, as the device is used and for every other way of images and results;
//! exits with 1 if a bit differs.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use vio_frontend::detect::plain::PlainDetector;
use vio_frontend::detect::pyramid::Pyramid;
use vio_frontend::detect::{DetectSettings, Detection, Gain};
use vio_frontend::gpu::kernels::Kernels;
use vio_frontend::gpu::pipeline::{ImageTransfer, Pipeline, ResultTransfer, Transfers};
use vio_frontend::gpu::program::Sources;
use vio_frontend::gpu::{Builder, Cache, Context, Device, Driver, GpuError, Nvrtc};
use vio_frontend::image::GrayImage;
use vio_frontend::params::Params;
use vio_frontend::source;
use vio_frontend::track::{Flow, FlowStart, TrackSettings, plain};

const LIMIT: Duration = Duration::from_secs(1);

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let source = args.next().ok_or("a SOURCE is needed")?;
    let frames: usize = args.next().map_or(Ok(50), |n| n.parse())?;
    let target: u32 = args.next().map_or(Ok(1000), |n| n.parse())?;
    let detect = DetectSettings { target, describe: true, ..DetectSettings::from(&Params::default()) };
    let track = TrackSettings::from(&Params::default());

    let context = Context::new(Device::open(&Driver::load(None)?, 0)?)?;
    let builder = Arc::new(Builder::new(Nvrtc::load(None), Cache::from_parameter("")));
    let kernels = Kernels::load(&context, builder, Sources::Embedded, None)?;
    for loaded in kernels.loaded() {
        println!("{}: {:?}", loaded.program, loaded.origin);
    }
    let frames: Vec<GrayImage> = source::images(&source)?.take(frames).collect();
    let mut device = Pipeline::new(&context, &kernels, LIMIT)?;
    let (mut gain, mut plain_gain) = (Gain::default(), Gain::default());
    let (mut found, mut flows) = (Detection::default(), Vec::new());
    let mut before: Option<(GrayImage, Pyramid, Detection)> = None;
    let (mut times, mut features, mut tracks) = (Vec::new(), 0, 0);
    for (k, image) in frames.iter().enumerate() {
        let starts: Vec<FlowStart> = before.iter().flat_map(|(.., detection)| starts(detection)).collect();
        let begin = Instant::now();
        on_device(&mut device, image, &detect, &mut gain, &starts, &track, &mut found, &mut flows)?;
        times.push(begin.elapsed());

        let detection = PlainDetector::new().detect(image, None, &detect, &mut plain_gain);
        let mut pyramid = Pyramid::default();
        pyramid.build(image, detect.levels as usize);
        let expected = before.as_ref().map_or(Vec::new(), |(previous, levels, _)| {
            let previous: Vec<&GrayImage> = levels.levels(previous).collect();
            let current: Vec<&GrayImage> = pyramid.levels(image).collect();
            plain::track(&previous, &current, &starts, &track)
        });
        if found != detection || gain != plain_gain || flows != expected {
            println!("frame {k} differs: detection {}, tracks {}", found != detection, flows != expected);
            return Ok(ExitCode::FAILURE);
        }
        features += detection.features.len();
        tracks += flows.len();
        before = Some((image.clone(), pyramid, detection));
    }
    let (count, chosen) = (times.len(), device.transfers());
    println!("{source}: {count} frames, {features} features, {tracks} tracks equal in every bit; {}", text(&mut times));
    println!("chosen: {chosen}");
    for image in [ImageTransfer::WriteCombined, ImageTransfer::Mapped, ImageTransfer::Copied] {
        for results in [ResultTransfer::MappedCopied, ResultTransfer::MappedInPlace, ResultTransfer::Copied] {
            let transfers = Transfers { image, results };
            let mut device = Pipeline::with_transfers(&context, &kernels, LIMIT, transfers)?;
            let (mut gain, mut times) = (Gain::default(), Vec::new());
            for image in &frames {
                let starts: Vec<FlowStart> = starts(&found).collect();
                let starts = if times.is_empty() { &[] } else { starts.as_slice() };
                let begin = Instant::now();
                on_device(&mut device, image, &detect, &mut gain, starts, &track, &mut found, &mut flows)?;
                times.push(begin.elapsed());
            }
            println!("{transfers}: {}", text(&mut times));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn text(times: &mut [Duration]) -> String {
    times.sort();
    let at = |share: usize| times.get(times.len().saturating_sub(1) * share / 100).copied().unwrap_or_default();
    format!("p50 {:?}, p95 {:?}, p99 {:?}", at(50), at(95), at(99))
}

#[allow(clippy::too_many_arguments, reason = "a frame and what is kept from one to the next")]
fn on_device(
    device: &mut Pipeline,
    image: &GrayImage,
    detect: &DetectSettings,
    gain: &mut Gain,
    starts: &[FlowStart],
    track: &TrackSettings,
    found: &mut Detection,
    flows: &mut Vec<Flow>,
) -> Result<(), GpuError> {
    device.load(&image.view(), detect)?;
    let detection = device.queue_detection(None, *gain, false)?;
    let tracks = device.queue_tracks(starts, track)?;
    device.detection_into(detection, gain, found)?;
    device.flows_into(tracks, flows)
}

fn starts(detection: &Detection) -> impl Iterator<Item = FlowStart> {
    detection.features.iter().map(|feature| FlowStart::resting([feature.u, feature.v]))
}
