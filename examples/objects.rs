//! What masking things that move costs and does: `objects [FRAMES [DEVICE]]`, on `synth:moving_objects`.
//!
//! Runs the front end without a mask, with the true boxes of every frame, and with those of every second frame, two frames
//! late, in turns. Prints latency percentiles of a frame and the share of features on what moves on its own.

use std::error::Error;
use std::time::Duration;

use vio_frontend::frame::Frame;
use vio_frontend::frontend::Frontend;
use vio_frontend::image::GrayImage;
use vio_frontend::mask::Objects;
use vio_frontend::params::{Device, Params};
use vio_frontend::source::synth::{Synth, SynthOptions};
use vio_frontend::telemetry::Latency;

/// Runs of each kind.
const TURNS: usize = 5;
/// First frames of a run that do not count.
const SETTLING: usize = 10;
/// Boxes of every so manieth frame, so many frames late; `None` for no mask.
const DETECTORS: [(&str, Option<(usize, usize)>); 3] =
    [("without", None), ("every frame", Some((1, 0))), ("every second frame, two late", Some((2, 2)))];

#[derive(Debug, Default)]
struct Figures {
    latency: Latency,
    /// Of that, making the mask.
    mask: Latency,
    features: usize,
    moving: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let frames = args.next().map_or(Ok(100), |n| n.parse())?;
    let device = match args.next().as_deref() {
        None | Some("cpu") => Device::Cpu,
        Some("cuda") => Device::Cuda,
        Some(other) => return Err(format!("'{other}' is none of cpu, cuda").into()),
    };
    let synth = Synth::new("moving_objects", &SynthOptions { frames, ..SynthOptions::default() })?;
    let mut images = vec![GrayImage::default(); frames];
    images.iter_mut().enumerate().for_each(|(k, image)| synth.render(k, image));
    let mut figures = DETECTORS.map(|_| Figures::default());
    for _ in 0..TURNS {
        for ((_, detector), figures) in DETECTORS.iter().zip(&mut figures) {
            run(&synth, &images, device, *detector, figures)?;
        }
    }
    println!("| boxes | frame, us p50 / p95 / p99 | p50 beside none | mask, us p50 | features on what moves |");
    println!("|---|---|---|---|---|");
    let base = figures.first().map_or(0.0, |figures| figures.latency.percentiles().p50);
    for ((name, _), Figures { latency, mask, features, moving }) in DETECTORS.iter().zip(&figures) {
        let (p, mask) = (latency.percentiles(), mask.percentiles().p50);
        let three = format!("{:.0} / {:.0} / {:.0}", p.p50, p.p95, p.p99);
        let share = 100.0 * *moving as f64 / (*features).max(1) as f64;
        let growth = 100.0 * (p.p50 / base - 1.0);
        println!("| {name} | {three} | {growth:+.1} % | {mask:.0} | {moving} of {features}: {share:.2} % |");
    }
    Ok(())
}

fn run(
    synth: &Synth,
    images: &[GrayImage],
    device: Device,
    detector: Option<(usize, usize)>,
    figures: &mut Figures,
) -> Result<(), Box<dyn Error>> {
    let mut frontend = Frontend::new(Params { device, ..Params::default() }, Some(synth.camera().clone()))?;
    frontend.set_cam_imu(Some(synth.cam_imu()));
    let mut imu = (0..synth.imu_samples()).map(|j| synth.imu(j)).peekable();
    for (k, image) in images.iter().enumerate() {
        let stamp_ns = synth.stamp_ns(k);
        while let Some(sample) = imu.next_if(|sample| sample.stamp_ns <= stamp_ns + 5_000_000) {
            frontend.add_imu(sample);
        }
        if let Some((every, late)) = detector
            && let Some(seen) = k.checked_sub(late).filter(|seen| seen.is_multiple_of(every))
        {
            let boxes = synth.moving_boxes(seen).iter().map(|edges| edges.map(|edge| edge as f32)).collect();
            frontend.set_objects(Objects {
                stamp_ns: synth.stamp_ns(seen),
                size: [image.width() as u32, image.height() as u32],
                boxes,
            });
        }
        let output = frontend.process(&Frame { stamp_ns, image: image.view() })?;
        if k >= SETTLING {
            figures.latency.record(output.times.total);
            let mask = output.times.stages.iter().find(|(stage, _)| *stage == "mask");
            figures.mask.record(mask.map_or(Duration::ZERO, |(_, took)| *took));
            let moves = |u: f32, v: f32| synth.moving(k, [f64::from(u), f64::from(v)]);
            figures.features += output.points.len();
            figures.moving += output.points.iter().filter(|point| moves(point.feature.u, point.feature.v)).count();
        }
    }
    Ok(())
}
