//! Post-processing on the GPU that is here, beside the plain path.
//!
//! | call | |
//! |---|---|
//! | `gpu_detections equal FIRST COUNT` | random and difficult tensors of these seeds, small and large, and what is refused, in every bit |
//! | `gpu_detections time LAYOUT TENSOR.npy [TIMES]` | percentiles of the time to boxes in host memory, one line of JSON |
//!
//! `KERNELS_DIR` names other sources than those of the binary; with `UNCHECKED` set boxes are not compared, for kernels
//! from which a stage was taken out. Exits with 1 if a bit differs.
#![allow(unsafe_code, reason = "hands over addresses")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "the tensors are those of the tests")]

#[allow(dead_code, reason = "not everything of the tests is used")]
#[path = "../tests/detections/cases.rs"]
mod cases;
#[path = "../src/bin/vio_frontend/detections/npy.rs"]
mod npy;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use cases::{Case, LIMITS, Limits};
use vio_frontend::detections::plain::PlainPostprocessor;
use vio_frontend::detections::{Detections, Layout, Letterbox, Plan, Settings};
use vio_frontend::gpu::detections::{PostprocessError, Postprocessor};
use vio_frontend::gpu::event::Event;
use vio_frontend::gpu::{Builder, Cache, Context, Device, DeviceBuffer, Driver, Kernels, Nvrtc, Sources, Stream};

const LIMIT: Duration = Duration::from_secs(2);
/// Several tiles and chunks, several thousand candidates.
const LARGE: Limits = Limits { anchors: 6000, classes: &[1, 3, 80, 133] };
/// Of the tensors, one in so many is large.
const LARGE_EACH: u64 = 16;

fn main() -> anyhow::Result<ExitCode> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    // The context that a network beside this would use.
    let context = Context::shared(Device::open(&Driver::load(None)?, 0)?)?;
    let sources = Sources::from_parameter(&std::env::var("KERNELS_DIR").unwrap_or_default());
    let own: Vec<_> = sources.programs()?.into_iter().filter(|program| program.name == "detections").collect();
    let kernels = Kernels::of(&context, &Builder::new(Nvrtc::load(None), Cache::from_parameter("")), &own)?;
    for loaded in kernels.loaded() {
        eprintln!("{}: {:?}", loaded.program, loaded.origin);
    }
    let equal = match *args.as_slice() {
        ["equal", first, count] => equal(&context, &kernels, first.parse()?, count.parse()?)?,
        ["time", layout, file] => time(&context, &kernels, layout, Path::new(file), 2000)?,
        ["time", layout, file, times] => time(&context, &kernels, layout, Path::new(file), times.parse()?)?,
        _ => bail!("usage: gpu_detections equal FIRST COUNT | time LAYOUT TENSOR.npy [TIMES]"),
    };
    Ok(ExitCode::from(u8::from(!equal)))
}

/// In bits, so that a NaN equals itself.
fn bits(outcome: Result<&Detections, String>) -> Result<Vec<u32>, String> {
    let found = outcome?;
    let counts = found.counts.iter().flat_map(|c| [c.candidates, c.considered, c.kept, c.written]);
    let boxes = found.boxes.iter().flat_map(|d| {
        let [x1, y1, x2, y2, score] = [d.x1, d.y1, d.x2, d.y2, d.score].map(f32::to_bits);
        [x1, y1, x2, y2, score, d.class, d.anchor]
    });
    Ok(counts.chain(boxes).collect())
}

fn equal(context: &Arc<Context>, kernels: &Kernels, first: u64, count: u64) -> anyhow::Result<bool> {
    let (mut images, mut boxes, mut suppressed, mut refused) = (0, 0, 0, 0);
    for seed in first..first + count {
        let limits = if seed % LARGE_EACH == 0 { LARGE } else { LIMITS };
        let mut case = Case::random(seed, limits);
        if seed % 10 == 7 {
            let at = seed as usize * 7919 % case.values.len();
            case = case.with(at, [f32::NAN, f32::INFINITY, 3.0e6, -0.5][seed as usize / 10 % 4]);
        }
        let mut plain = PlainPostprocessor::new(case.plan());
        let mut gpu = Postprocessor::new(context, kernels, case.plan(), LIMIT)?;
        let expected = bits(plain.run(&case.tensor(), &case.letterboxes).map_err(|error| error.to_string()));
        // Twice: the second launch finds what the first has left.
        for _ in 0..2 {
            let found = match gpu.run(&case.tensor(), &case.letterboxes) {
                Err(PostprocessError::Gpu(error)) => return Err(error).context(format!("seed {seed}")),
                outcome => bits(outcome.map_err(|error| error.to_string())),
            };
            if found != expected {
                println!("seed {seed} differs: {:?} {:?}", case.shape, case.settings);
                return Ok(false);
            }
        }
        match plain.run(&case.tensor(), &case.letterboxes) {
            Ok(found) => {
                images += found.counts.len();
                boxes += found.boxes.len();
                suppressed += found.counts.iter().map(|c| c.considered - c.kept).sum::<u32>();
            }
            Err(_) => refused += 1,
        }
    }
    println!(
        "seeds {first} to {}: {images} images, {boxes} boxes, {suppressed} suppressed, {refused} tensors refused: equal",
        first + count - 1
    );
    Ok(true)
}

fn time(context: &Arc<Context>, kernels: &Kernels, layout: &str, file: &Path, times: usize) -> anyhow::Result<bool> {
    let array = npy::read(file)?;
    let layout = Layout::ALL.into_iter().find(|known| known.name() == layout).context("no such layout")?;
    let plan = Plan::new(&array.shape, array.element(), &Settings::new(layout))?;
    let letterboxes = vec![Letterbox::fit([1280, 720], [640, 640]); plan.batch()];
    let stream = Stream::new(context)?;
    let tensor = DeviceBuffer::new(context, plan.tensor_bytes())?;
    tensor.write(array.tensor().bytes(), &stream)?;
    // SAFETY: the stream is of the device's primary context, and is dropped after what borrows it.
    let borrowed = unsafe { Stream::borrow(context, stream.as_raw()) };
    let mut gpu = Postprocessor::on(borrowed, kernels, plan.clone(), LIMIT)?;
    let mut plain = PlainPostprocessor::new(plan);
    let expected = bits(plain.run(&array.tensor(), &letterboxes).map_err(|error| error.to_string()));
    let checked = std::env::var_os("UNCHECKED").is_none();

    let (mut on_device, mut from_host, mut on_cpu, mut alone) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (from, to) = (Event::new(context)?, Event::new(context)?);
    for turn in 0..times {
        let begin = Instant::now();
        // SAFETY: the buffer has the plan's size and stays as it is.
        let queued = unsafe { gpu.queue_on_device(tensor.address(), &letterboxes) }?;
        let outcome = gpu.wait(queued);
        on_device.push(begin.elapsed());
        if checked && (turn == 0 || turn + 1 == times) && bits(outcome.map_err(|error| error.to_string())) != expected {
            println!("{layout} differs");
            return Ok(false);
        }
    }
    for _ in 0..times.min(500) {
        from.record(&stream)?;
        // SAFETY: as above.
        let queued = unsafe { gpu.queue_on_device(tensor.address(), &letterboxes) }?;
        to.record(&stream)?;
        alone.push(Duration::from_secs_f32(to.milliseconds_since(&from)? * 1e-3));
        let _ = gpu.wait(queued);
    }
    for _ in 0..times.min(500) {
        let begin = Instant::now();
        let outcome = gpu.run(&array.tensor(), &letterboxes).map_err(|error| error.to_string());
        from_host.push(begin.elapsed());
        if checked && bits(outcome) != expected {
            println!("{layout} differs from the host");
            return Ok(false);
        }
        let begin = Instant::now();
        let _ = plain.run(&array.tensor(), &letterboxes);
        on_cpu.push(begin.elapsed());
    }
    println!(
        "{{\"launch_to_boxes_us\":{},\"between_events_us\":{},\"host_to_boxes_us\":{},\"plain_us\":{}}}",
        percentiles(on_device),
        percentiles(alone),
        percentiles(from_host),
        percentiles(on_cpu)
    );
    Ok(true)
}

fn percentiles(mut times: Vec<Duration>) -> String {
    times.sort();
    let at = |share: usize| {
        let time = times.get(times.len().saturating_sub(1) * share / 100).copied().unwrap_or_default();
        time.as_secs_f64() * 1e6
    };
    format!("{{\"p50\":{:.1},\"p95\":{:.1},\"p99\":{:.1}}}", at(50), at(95), at(99))
}
