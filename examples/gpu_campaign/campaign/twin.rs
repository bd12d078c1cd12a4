//! A stream of frames through the plain path and, on grids of several sizes, through the device: every bit compared.

use std::fmt::Write as _;

use vio_frontend::detect::plain::PlainDetector;
use vio_frontend::detect::pyramid::Pyramid;
use vio_frontend::detect::{DetectSettings, Detection, Gain};
use vio_frontend::gpu::GpuError;
use vio_frontend::gpu::pipeline::{Pipeline, Transfers};
use vio_frontend::image::{GrayImage, ImageView};
use vio_frontend::mask::Mask;
use vio_frontend::track::{Flow, FlowStart, TrackSettings, plain};

use super::Gpu;
use crate::motion::bits;

/// Blocks of a launch: one, few, and as many as the device holds.
pub const GRIDS: [u32; 3] = [1, 16, u32::MAX];

/// What is asked of a frame.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    pub image: ImageView<'a>,
    pub mask: Option<Mask>,
    pub detect: DetectSettings,
    pub prefilter: bool,
    /// Points of the frame before; left out where that one had another size.
    pub starts: Vec<FlowStart>,
    pub track: TrackSettings,
}

/// What became of a frame: the same on all grids, or not.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub features: usize,
    pub descriptors: usize,
    pub tracks: usize,
    /// One for each grid that differs.
    pub differences: Vec<String>,
}

#[derive(Debug)]
struct OnDevice {
    most_blocks: u32,
    pipeline: Pipeline,
    gain: Gain,
    detection: Detection,
    flows: Vec<Flow>,
}

/// One stream, on every grid and on the plain path.
#[derive(Debug)]
pub struct Twin {
    devices: Vec<OnDevice>,
    gain: Gain,
    before: Option<(GrayImage, Pyramid)>,
    /// Of the frame before, by the plain path.
    pub detection: Detection,
}

impl Twin {
    /// `transfers`: the ways of images and results; `None` as the device is used.
    pub fn new(gpu: &Gpu, grids: &[u32], transfers: Option<Transfers>) -> Result<Self, GpuError> {
        let device = |&most_blocks: &u32| {
            let mut pipeline = match transfers {
                None => Pipeline::new(&gpu.context, &gpu.kernels, gpu.limit)?,
                Some(ways) => Pipeline::with_transfers(&gpu.context, &gpu.kernels, gpu.limit, ways)?,
            };
            pipeline.set_most_blocks(most_blocks);
            let (gain, detection, flows) = (Gain::default(), Detection::default(), Vec::new());
            Ok(OnDevice { most_blocks, pipeline, gain, detection, flows })
        };
        let devices = grids.iter().map(device).collect::<Result<_, GpuError>>()?;
        Ok(Self { devices, gain: Gain::default(), before: None, detection: Detection::default() })
    }

    /// Threads that help to copy images and results.
    pub fn set_helpers(&mut self, count: u32) {
        self.devices.iter_mut().for_each(|device| device.pipeline.set_helpers(count));
    }

    pub fn grids(&self) -> usize {
        self.devices.len()
    }

    /// The next frame.
    ///
    /// Errors: what the device answers; it may be lost.
    pub fn frame(&mut self, request: &Request<'_>) -> Result<Outcome, GpuError> {
        let mut gray = GrayImage::default();
        request.image.to_gray(&mut gray);
        if request.prefilter {
            gray.clone().binomial3(&mut gray);
        }
        let (before, size) = (self.before.take(), (gray.width(), gray.height()));
        let before = before.filter(|(image, _)| (image.width(), image.height()) == size);
        let starts = if before.is_some() { request.starts.as_slice() } else { &[] };
        let frame = Frame { request, starts };
        let mut detector = PlainDetector::new();
        let detection = detector.detect(&gray, request.mask.as_ref(), &request.detect, &mut self.gain);
        let mut pyramid = Pyramid::default();
        pyramid.build(&gray, request.detect.levels as usize);
        let flows = before.as_ref().map_or(Vec::new(), |(previous, levels)| {
            let previous: Vec<&GrayImage> = levels.levels(previous).collect();
            let current: Vec<&GrayImage> = pyramid.levels(&gray).collect();
            plain::track(&previous, &current, starts, &request.track)
        });
        let mut outcome = Outcome {
            features: detection.features.len(),
            descriptors: detection.descriptors.len(),
            tracks: flows.len(),
            differences: Vec::new(),
        };
        for device in &mut self.devices {
            device.frame(&frame)?;
            if let Some(difference) = device.difference(&detection, self.gain, &flows) {
                let grid = device.most_blocks;
                let grid = if grid == u32::MAX { "all blocks".to_owned() } else { format!("{grid} block(s)") };
                outcome.differences.push(format!("{grid}: {difference}"));
            }
        }
        self.before = Some((gray, pyramid));
        self.detection = detection;
        Ok(outcome)
    }

    /// The next frame on the devices alone: the bits of what each finds are put behind `seen`.
    pub fn alone(&mut self, request: &Request<'_>, seen: &mut String) -> Result<(), GpuError> {
        for device in &mut self.devices {
            device.frame(&Frame { request, starts: &request.starts })?;
            let flows: Vec<_> = device.flows.iter().map(bits).collect();
            // Writing to a string does not fail.
            let _ = write!(seen, "{:?}{:?}{flows:?}", device.detection, device.gain);
        }
        Ok(())
    }
}

/// A request, and the starts that hold for it.
struct Frame<'a> {
    request: &'a Request<'a>,
    starts: &'a [FlowStart],
}

impl OnDevice {
    fn frame(&mut self, Frame { request, starts }: &Frame<'_>) -> Result<(), GpuError> {
        self.pipeline.load(&request.image, &request.detect)?;
        let detection = self.pipeline.queue_detection(request.mask.as_ref(), self.gain, request.prefilter)?;
        let tracks = self.pipeline.queue_tracks(starts, &request.track)?;
        self.pipeline.detection_into(detection, &mut self.gain, &mut self.detection)?;
        self.pipeline.flows_into(tracks, &mut self.flows)
    }

    /// The first thing that is not as the plain path has it.
    fn difference(&self, expected: &Detection, gain: Gain, flows: &[Flow]) -> Option<String> {
        let found = &self.detection;
        if (found.offered, found.offered_class0) != (expected.offered, expected.offered_class0) {
            return Some(format!(
                "offered {} ({} of class 0), not {} ({})",
                found.offered, found.offered_class0, expected.offered, expected.offered_class0
            ));
        }
        let feature_bits = |detection: &Detection| -> Vec<_> {
            detection.features.iter().map(|f| (f.u.to_bits(), f.v.to_bits(), *f)).collect()
        };
        first("feature", &feature_bits(found), &feature_bits(expected))
            .or_else(|| first("descriptor", &found.descriptors, &expected.descriptors))
            .or_else(|| (self.gain != gain).then(|| format!("gain {:?}, not {gain:?}", self.gain)))
            .or_else(|| {
                let bits = |flows: &[Flow]| -> Vec<_> { flows.iter().map(bits).collect() };
                first("track", &bits(&self.flows), &bits(flows))
            })
    }
}

/// The first that differs.
fn first<T: PartialEq + std::fmt::Debug>(what: &str, found: &[T], expected: &[T]) -> Option<String> {
    let differs = found.iter().zip(expected).enumerate().find(|(_, (a, b))| a != b);
    match differs {
        Some((k, (a, b))) => Some(format!("{what} {k} of {}: {a:?}, not {b:?}", expected.len())),
        None if found.len() != expected.len() => Some(format!("{} {what}s, not {}", found.len(), expected.len())),
        None => None,
    }
}
