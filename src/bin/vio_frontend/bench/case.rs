//! One case: what is asked of a frame, measured in every way that there is.

use std::time::Duration;

use anyhow::bail;
use serde::Serialize;
use vio_frontend::detect::DetectSettings;
use vio_frontend::gpu::GpuError;
use vio_frontend::gpu::pipeline::{Floors, Pipeline};
use vio_frontend::image::{GrayImage, ImageBuffer, ImageView};
use vio_frontend::params::Params;
use vio_frontend::telemetry::Tally;
use vio_frontend::track::TrackSettings;

use super::Args;
use super::frames::{Asked, Floor, GpuFrames, PlainFrames};
use super::machine::OpenGpu;
use super::turns::{Figures, Turns, take_turns};

/// Longest wait for a launch: for the worst of all frames, 4K and 20,000 features.
const LIMIT: Duration = Duration::from_secs(2);
/// Frames on whose bits GPU and plain path are compared.
const COMPARED: usize = 3;

/// What is asked of a frame.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Case {
    pub features: u32,
    pub descriptors: bool,
    pub tracks: u32,
}

/// What it takes.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    #[serde(flatten)]
    pub case: Case,
    pub size: [usize; 2],
    /// Features that a frame had on average.
    pub features_mean: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain: Option<Figures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu: Option<OnGpu>,
}

/// What it takes on the GPU.
#[derive(Clone, Debug, Serialize)]
pub struct OnGpu {
    /// Frames that were compared with the plain path's and had the same bits.
    pub equal_frames: usize,
    /// How image and results are transferred.
    pub transfers: String,
    pub ordinary: OverFloor,
    /// The image lies in a buffer that the device reads in place, where it can.
    pub page_locked: OverFloor,
    /// As many bytes in and out, without the work; image and results in page-locked memory.
    pub floor_frame: Figures,
}

/// A way, and the floor under it.
#[derive(Clone, Debug, Serialize)]
pub struct OverFloor {
    #[serde(flatten)]
    pub figures: Figures,
    pub floor: Figures,
    /// p50 over that of the floor.
    pub over_floor: f64,
    /// How much longer the tail is than that of the floor, us.
    pub tail_over_floor_us: f64,
}

impl OverFloor {
    pub fn new(figures: Figures, floor: Figures) -> Self {
        let over_floor = figures.total().p50 / floor.total().p50.max(f64::MIN_POSITIVE);
        let tail_over_floor_us = figures.tail_us - floor.tail_us;
        Self { figures, floor, over_floor, tail_over_floor_us }
    }
}

impl OpenGpu {
    /// A stream of frames on it.
    fn frames(&self) -> Result<GpuFrames, GpuError> {
        Ok(GpuFrames::new(Pipeline::new(&self.context, &self.kernels, LIMIT)?))
    }
}

/// What all cases share.
#[derive(Clone, Copy, Debug)]
pub struct Bench<'a> {
    pub params: &'a Params,
    pub args: &'a Args,
    pub gpu: Option<&'a OpenGpu>,
    pub images: &'a [GrayImage],
}

impl Bench<'_> {
    pub fn measure_all(&self, cases: &[Case]) -> anyhow::Result<Vec<Measured>> {
        cases.iter().map(|case| self.measure(case)).collect()
    }

    fn measure(&self, case: &Case) -> anyhow::Result<Measured> {
        let detect =
            DetectSettings { target: case.features, describe: case.descriptors, ..DetectSettings::from(self.params) };
        let asked = Asked { detect, track: TrackSettings::from(self.params), tracks: case.tracks as usize };
        let mut features = Tally::default();
        let plain = self.plain(&asked, &mut features)?;
        let gpu = self.gpu.map(|gpu| self.on_gpu(gpu, &asked, &mut features)).transpose()?;
        let size = self.images.first().map_or([0, 0], |image| [image.width(), image.height()]);
        Ok(Measured { case: *case, size, features_mean: features.mean().unwrap_or_default(), plain, gpu })
    }

    fn plain(&self, asked: &Asked, features: &mut Tally) -> anyhow::Result<Option<Figures>> {
        let (frames, mut plain) = (self.args.plain_frames(), PlainFrames::default());
        if frames == 0 {
            return Ok(None);
        }
        // It has nothing to load or to wake up.
        let turns = Turns { frames, warm_up: 1, settle: 0 };
        let times = take_turns(1, turns, self.images.len(), |_, k| {
            let times = plain.frame(self.images, k, asked);
            features.add(plain.found.detection.features.len() as u64);
            Ok(times.unwrap_or_default())
        })?;
        Ok(times.into_iter().next())
    }

    fn on_gpu(&self, gpu: &OpenGpu, asked: &Asked, features: &mut Tally) -> anyhow::Result<OnGpu> {
        let images = self.images;
        let equal_frames = self.compare(gpu, asked)?;
        let views: Vec<ImageView<'_>> = images.iter().map(GrayImage::view).collect();
        let mut floors = Floors::new(&gpu.context, &gpu.kernels, &views, &asked.detect, LIMIT)?;
        let ([mut ordinary, mut page_locked], buffers) = ([gpu.frames()?, gpu.frames()?], buffers(images)?);
        let frames = self.args.frames();
        let turns = Turns { frames, warm_up: frames.min(100), settle: frames.min(10) };
        let times = take_turns(5, turns, images.len(), |way, k| {
            let ways = ordinary.pipeline.transfers();
            let (Some(image), Some(buffer)) = (images.get(k), buffers.get(k)) else { bail!("no image {k}") };
            let floor = match way {
                0 => {
                    let times = ordinary.frame(&image.view(), asked)?;
                    features.add(ordinary.found.detection.features.len() as u64);
                    return Ok(times);
                }
                1 => return Ok(page_locked.frame(&buffer.view(), asked)?),
                2 => Floor::Ordinary,
                3 => Floor::PageLocked,
                _ => Floor::Frame,
            };
            Ok(floor.frame(&mut floors, ways, &image.view(), k)?)
        })?;
        let mut figures = times.into_iter();
        let mut next = || figures.next().unwrap_or_default();
        let [ordinary_figures, page_locked_figures] = [next(), next()];
        Ok(OnGpu {
            equal_frames,
            ordinary: OverFloor::new(ordinary_figures, next()),
            page_locked: OverFloor::new(page_locked_figures, next()),
            floor_frame: next(),
            transfers: ordinary.pipeline.transfers().to_string(),
        })
    }

    /// Whether GPU and plain path agree on the first frames. Errors: where they do not.
    fn compare(&self, gpu: &OpenGpu, asked: &Asked) -> anyhow::Result<usize> {
        let images = self.images.get(..COMPARED).unwrap_or(self.images);
        let (buffers, mut plain) = (buffers(images)?, PlainFrames::default());
        let [mut ordinary, mut page_locked] = [gpu.frames()?, gpu.frames()?];
        for (k, (image, buffer)) in images.iter().zip(&buffers).enumerate() {
            plain.frame(images, k, asked);
            for (device, image) in [(&mut ordinary, image.view()), (&mut page_locked, buffer.view())] {
                device.frame(&image, asked)?;
                if plain.found.detection != device.found.detection || plain.found.flows != device.found.flows {
                    bail!("frame {k}: the GPU's results differ from those of the plain path");
                }
            }
        }
        Ok(images.len())
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
