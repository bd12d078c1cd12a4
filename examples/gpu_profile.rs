//! Frames for a profiler, which alone sees what they cost: `gpu_profile SOURCE [KERNELS]`, one line of JSON a launch, in
//! order.
//!
//!     ncu --kernel-name 'regex:^(detect|track)$' --section SourceCounters -o frames gpu_profile synth:room
//!
//! SOURCE is what `replay` takes; a folder of kernels may follow. Every case begins a stream and ends with the launches of
//! its third frame, which are the ones that count; kernels carry the lines that their instructions come from.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use vio_frontend::detect::{DetectSettings, Detection, Gain};
use vio_frontend::gpu::kernels::Kernels;
use vio_frontend::gpu::pipeline::{Pipeline, Transfers};
use vio_frontend::gpu::{Builder, Cache, Context, Device, Driver, Nvrtc, Sources};
use vio_frontend::image::GrayImage;
use vio_frontend::params::Params;
use vio_frontend::source;
use vio_frontend::track::{FlowStart, TrackSettings};

/// A profiler runs a launch several times.
const LIMIT: Duration = Duration::from_secs(60);
const FRAMES: usize = 3;

/// What is launched.
struct Case {
    name: &'static str,
    /// Features wanted, and whether they are described.
    target: u32,
    describe: bool,
    /// Tracked there and back.
    points: usize,
    /// Copies of the image side by side, and as many on top of each other.
    copies: usize,
    /// Most blocks of a launch: a TX2 holds 8 of `detect`, which so do what its own would.
    blocks: u32,
}

const PLAIN: Case = Case { name: "300", target: 300, describe: false, points: 0, copies: 1, blocks: 8 };
const CASES: [Case; 7] = [
    PLAIN,
    Case { name: "4600", target: 4600, ..PLAIN },
    Case { name: "4600 described", target: 4600, describe: true, ..PLAIN },
    Case { name: "200 tracks", points: 200, ..PLAIN },
    Case { name: "300, full card", blocks: u32::MAX, ..PLAIN },
    Case { name: "4600 described, full card", target: 4600, describe: true, blocks: u32::MAX, ..PLAIN },
    // Every multiprocessor has tens of tiles to itself, as those of a small GPU always have.
    Case { name: "16 images", target: 65535, describe: true, points: 3200, copies: 4, blocks: u32::MAX },
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let source = arguments.next().ok_or("a SOURCE is needed")?;
    let sources = Sources::from_parameter(&arguments.next().unwrap_or_default());
    let context = Context::new(Device::open(&Driver::load(None)?, 0)?)?;
    let builder = Builder::new(Nvrtc::load(None), Cache::disabled()).with_line_info();
    let kernels = Kernels::load(&context, Arc::new(builder), sources, None)?;
    let images: Vec<GrayImage> = source::images(&source)?.take(FRAMES).collect();
    for Case { name, target, describe, points, copies, blocks } in CASES {
        // Copies are not measured: the launches are these alone.
        let mut device = Pipeline::with_transfers(&context, &kernels, LIMIT, Transfers::of(context.device().memory))?;
        device.set_most_blocks(blocks);
        let detect = DetectSettings { target, describe, ..DetectSettings::from(&Params::default()) };
        let track = TrackSettings::from(&Params::default());
        let (mut gain, mut found) = (Gain::default(), Detection::default());
        for (k, image) in images.iter().enumerate() {
            let image = tiled(image, copies);
            let every = (found.features.len() / points.max(1)).max(1);
            let starts: Vec<FlowStart> = found
                .features
                .iter()
                .step_by(every)
                .take(points)
                .map(|feature| FlowStart::resting([feature.u, feature.v]))
                .collect();
            device.load(&image.view(), &detect)?;
            let detection = device.queue_detection(None, gain, false)?;
            let tracks = device.queue_tracks(&starts, &track)?;
            device.detection_into(detection, &mut gain, &mut found)?;
            device.flows(tracks)?;
            let counts = k + 1 == images.len();
            let size = [image.width(), image.height()];
            let tell = |kernel: &str, found: usize| {
                let line = json!({ "kernel": kernel, "case": name, "counts": counts, "size": size, "found": found });
                println!("{line}");
            };
            tell("detect", found.features.len());
            if !starts.is_empty() {
                tell("track", starts.len());
            }
        }
    }
    Ok(())
}

/// `copies` x `copies` of an image in one.
fn tiled(image: &GrayImage, copies: usize) -> GrayImage {
    let (width, height) = (image.width(), image.height());
    GrayImage::from_fn(width * copies, height * copies, |x, y| image.at(x % width, y % height))
}
