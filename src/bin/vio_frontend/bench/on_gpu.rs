//! A case on the GPU: every memory that an image may lie in, without and with threads that help to copy, and the floors.

use std::time::Duration;

use anyhow::bail;
use serde::Serialize;
use vio_frontend::frontend::StageTimes;
use vio_frontend::gpu::GpuError;
use vio_frontend::gpu::pipeline::{Floors, Pipeline};
use vio_frontend::image::{GrayImage, ImageBuffer, ImageView};
use vio_frontend::telemetry::Tally;

use super::case::Bench;
use super::frames::{Asked, Floor, GpuFrames, PlainFrames};
use super::machine::OpenGpu;
use super::turns::{Figures, Turns, take_turns};

/// Longest wait for a launch: for the worst of all frames, 4K and 20,000 features.
const LIMIT: Duration = Duration::from_secs(2);
/// Frames on whose bits GPU and plain path are compared.
const COMPARED: usize = 3;

/// Where an image lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Memory {
    Ordinary,
    /// In a buffer that the device reads in place, where it can.
    PageLocked,
}

impl Memory {
    pub fn name(self) -> &'static str {
        match self {
            Self::Ordinary => "ordinary memory",
            Self::PageLocked => "page-locked memory",
        }
    }
}

/// What a case takes on the GPU.
#[derive(Clone, Debug, Serialize)]
pub struct OnGpu {
    /// Frames that were compared with the plain path's in every way, and had the same bits.
    pub equal_frames: usize,
    /// How image and results are transferred.
    pub transfers: String,
    pub ways: Vec<Way>,
    /// As many bytes in and out, without the work; image and results in page-locked memory.
    pub floor_frame: Figures,
}

/// A way, and the floor under it.
#[derive(Clone, Debug, Serialize)]
pub struct Way {
    pub memory: Memory,
    /// Threads that help to copy.
    pub upload_threads: u32,
    #[serde(flatten)]
    pub figures: Figures,
    /// Of one thread.
    pub floor: Figures,
    /// p50 over that of the floor.
    pub over_floor: f64,
    /// How much longer the tail is than that of the floor, us.
    pub tail_over_floor_us: f64,
}

impl Way {
    pub fn new(memory: Memory, upload_threads: u32, figures: Figures, floor: Figures) -> Self {
        let over_floor = figures.total().p50 / floor.total().p50.max(f64::MIN_POSITIVE);
        let tail_over_floor_us = figures.tail_us - floor.tail_us;
        Self { memory, upload_threads, figures, floor, over_floor, tail_over_floor_us }
    }
}

/// Frames of one way.
#[derive(Debug)]
struct Stream {
    memory: Memory,
    upload_threads: u32,
    frames: GpuFrames,
}

/// After a failure: the memory of all goes with the first that does, and none may while a kernel of another runs.
fn settle(streams: &mut [Stream]) {
    for stream in streams {
        // One that hangs is why the context is then abandoned, and all of its memory stays.
        let _ = stream.frames.pipeline.finish();
    }
}

impl Bench<'_> {
    pub fn on_gpu(&self, gpu: &OpenGpu, asked: &Asked, features: &mut Tally) -> anyhow::Result<OnGpu> {
        let (images, buffers) = (self.images, buffers(self.images)?);
        let equal_frames = self.compare(gpu, asked, &buffers)?;
        let views: Vec<ImageView<'_>> = images.iter().map(GrayImage::view).collect();
        let mut floors = Floors::new(&gpu.context, &gpu.kernels, &views, &asked.detect, LIMIT)?;
        let mut streams = self.streams(gpu)?;
        let (frames, count) = (self.args.frames(), streams.len());
        let turns = Turns { frames, warm_up: frames.min(100), settle: frames.min(10) };
        let mut transfers = None;
        let times = take_turns(count + 3, turns, images.len(), |way, k| {
            let (Some(image), Some(buffer)) = (images.get(k), buffers.get(k)) else { bail!("no image {k}") };
            self.args.pause();
            if let Some(stream) = streams.get_mut(way) {
                let times = stream.frame(image, buffer, asked)?;
                features.add(stream.frames.found.detection.features.len() as u64);
                transfers = Some(stream.frames.pipeline.transfers());
                return Ok(times);
            }
            let floor = match way - count {
                0 => Floor::Ordinary,
                1 => Floor::PageLocked,
                _ => Floor::Frame,
            };
            let Some(transfers) = transfers else { bail!("no frame before the floor") };
            Ok(floor.frame(&mut floors, transfers, &image.view(), k)?)
        });
        let times = match times {
            Ok(times) => times,
            Err(error) => {
                settle(&mut streams);
                drop(floors); // which waits for its own kernels
                return Err(error);
            }
        };
        let mut floors = times.iter().skip(count).cloned();
        let mut next = || floors.next().unwrap_or_default();
        let [ordinary, page_locked, floor_frame] = [next(), next(), next()];
        let ways = streams.iter().zip(times).map(|(stream, figures)| {
            let floor = if stream.memory == Memory::Ordinary { &ordinary } else { &page_locked };
            Way::new(stream.memory, stream.upload_threads, figures, floor.clone())
        });
        let transfers = transfers.map(|transfers| transfers.to_string()).unwrap_or_default();
        Ok(OnGpu { equal_frames, transfers, ways: ways.collect(), floor_frame })
    }

    /// Every way.
    fn streams(&self, gpu: &OpenGpu) -> Result<Vec<Stream>, GpuError> {
        let helpers = [0, self.args.upload_threads];
        let helpers = helpers.get(..if self.args.upload_threads == 0 { 1 } else { 2 }).unwrap_or_default();
        let ways = helpers.iter().flat_map(|&count| [(Memory::Ordinary, count), (Memory::PageLocked, count)]);
        let stream = |(memory, upload_threads)| {
            let mut pipeline = Pipeline::new(&gpu.context, &gpu.kernels, LIMIT)?;
            pipeline.set_helpers(upload_threads);
            Ok(Stream { memory, upload_threads, frames: GpuFrames::new(pipeline) })
        };
        ways.map(stream).collect()
    }

    /// Whether GPU and plain path agree on the first frames. Errors: where they do not.
    fn compare(&self, gpu: &OpenGpu, asked: &Asked, buffers: &[ImageBuffer]) -> anyhow::Result<usize> {
        let (images, mut plain) = (self.images.get(..COMPARED).unwrap_or(self.images), PlainFrames::default());
        let mut streams = self.streams(gpu)?;
        for (k, (image, buffer)) in images.iter().zip(buffers).enumerate() {
            plain.frame(images, k, asked);
            let done = streams.iter_mut().try_for_each(|stream| stream.frame(image, buffer, asked).map(|_| ()));
            if let Err(error) = done {
                settle(&mut streams);
                return Err(error.into());
            }
            for stream in &streams {
                let found = &stream.frames.found;
                if plain.found.detection != found.detection || plain.found.flows != found.flows {
                    bail!("frame {k}, {}: results differ from those of the plain path", stream.memory.name());
                }
            }
        }
        Ok(images.len())
    }
}

impl Stream {
    fn frame(&mut self, image: &GrayImage, buffer: &ImageBuffer, asked: &Asked) -> Result<StageTimes, GpuError> {
        match self.memory {
            Memory::Ordinary => self.frames.frame(&image.view(), asked),
            Memory::PageLocked => self.frames.frame(&buffer.view(), asked),
        }
    }
}

/// The images in buffers that a device can read.
fn buffers(images: &[GrayImage]) -> anyhow::Result<Vec<ImageBuffer>> {
    let copy = |image: &GrayImage| {
        let mut buffer = ImageBuffer::new(image.width() as u32, image.height() as u32, "mono8", false)?;
        buffer.copy_from(&image.view())?;
        Ok(buffer)
    };
    images.iter().map(copy).collect()
}
