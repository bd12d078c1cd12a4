//! A card whose memory is full: at the start, and where frames of another size need more of it in mid-stream.

use std::sync::Arc;
use std::time::Duration;

use vio_frontend::fallback::Backoff;
use vio_frontend::frontend::{Backend, Frontend};
use vio_frontend::gpu::engine::{Engine, EngineOptions};
use vio_frontend::gpu::{Context, Device as GpuDevice, DeviceBuffer, Driver};
use vio_frontend::image::GrayImage;
use vio_frontend::params::{Device, Params};

use super::{Outcome, process, results};

/// Frames that the GPU may take to come back: 10 ms each at least.
const PATIENCE: usize = 1500;
/// The image grows by this.
const LARGER: usize = 3;

/// What is left of the card's memory, in pieces that become smaller.
struct Full(Vec<DeviceBuffer>);

impl Full {
    fn of(context: &Arc<Context>) -> Self {
        let mut pieces = Vec::new();
        for bytes in (15..35).rev().map(|log2| 1usize << log2) {
            while let Ok(piece) = DeviceBuffer::new(context, bytes) {
                pieces.push(piece);
            }
        }
        Self(pieces)
    }
}

/// Streams on both devices, frame by frame.
struct Pair<'a> {
    gpu: Frontend,
    cpu: Frontend,
    images: std::iter::Cycle<std::slice::Iter<'a, GrayImage>>,
    larger: bool,
    frame: usize,
    equal: bool,
}

impl Pair<'_> {
    /// One frame; its device, and why the CPU finished what the GPU began.
    fn frame(&mut self) -> Outcome<(Backend, Option<String>)> {
        let image = self.images.next().ok_or("no images")?;
        let image = if self.larger {
            GrayImage::from_fn(image.width() * LARGER, image.height() * LARGER, |x, y| image.at(x / LARGER, y / LARGER))
        } else {
            image.clone()
        };
        let (found, expected) =
            (process(&mut self.gpu, self.frame, &image)?, process(&mut self.cpu, self.frame, &image)?);
        self.equal &= results(&found) == results(&expected);
        self.frame += 1;
        std::thread::sleep(Duration::from_millis(10));
        Ok((found.backend, found.fallback))
    }

    /// Frames on the CPU until the GPU is back: how many.
    fn until_back(&mut self) -> Outcome<usize> {
        for count in 0..PATIENCE {
            if self.frame()?.0 == Backend::Cuda {
                return Ok(count);
            }
        }
        Err(format!("the GPU is not back after {PATIENCE} frames: {:?}", self.gpu.gpu_report()).into())
    }
}

pub fn memory(images: &[GrayImage]) -> Outcome<bool> {
    let options = EngineOptions::from(&Params::default());
    // Compiles, so that only memory is short below.
    drop(Engine::open(&options)?);
    let context = Context::new(GpuDevice::open(&Driver::load(None)?, 0)?)?;
    let full = Full::of(&context);
    let backoff = Backoff { first: Duration::from_millis(200), longest: Duration::from_secs(1) };
    let on = |device| Frontend::with_gpu(Params { device, ..Params::default() }, None, options.clone(), backoff);
    let images_twice = images.iter().cycle();
    let mut pair = Pair {
        gpu: on(Device::Auto)?,
        cpu: on(Device::Cpu)?,
        images: images_twice,
        larger: false,
        frame: 0,
        equal: true,
    };
    let why_not = pair.gpu.gpu_report().why_not.ok_or("the GPU opened although its memory was full")?;
    println!("memory full at the start, {} pieces: {why_not}", full.0.len());
    for _ in 0..10 {
        if pair.frame()?.0 != Backend::Cpu {
            return Err("a frame on a GPU whose memory is full".into());
        }
    }
    drop(full);
    println!("memory free again: the GPU takes over after {} frames", pair.until_back()?);

    for _ in 0..20 {
        pair.frame()?;
    }
    let full = Full::of(&context);
    pair.larger = true;
    let (backend, fallback) = pair.frame()?;
    let fallback =
        fallback.filter(|_| backend == Backend::Cpu).ok_or("larger frames fit into a memory that is full")?;
    println!("memory full in mid-stream, frames {LARGER} times as wide: finished on the CPU: {fallback}");
    drop(full);
    println!("memory free again: the GPU takes over after {} frames", pair.until_back()?);
    for _ in 0..5 {
        if pair.frame()?.0 != Backend::Cuda {
            return Err("the GPU went away again".into());
        }
    }
    println!("memory: {} frames, {} of them begun in vain", pair.frame, pair.gpu.gpu_report().failures);
    Ok(pair.equal)
}
