//! A frame in each of the ways that are measured.

use std::time::Instant;

use vio_frontend::detect::plain::PlainDetector;
use vio_frontend::detect::pyramid::Pyramid;
use vio_frontend::detect::{DetectSettings, Detection, Gain};
use vio_frontend::feature::Feature;
use vio_frontend::frontend::StageTimes;
use vio_frontend::gpu::GpuError;
use vio_frontend::gpu::pipeline::{Floors, Pipeline, Transfers};
use vio_frontend::image::{GrayImage, ImageView};
use vio_frontend::track::{Flow, FlowStart, TrackSettings, plain};

/// What is asked of every frame.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub detect: DetectSettings,
    pub track: TrackSettings,
    /// Points tracked from the frame before: features of it, spread over their order.
    pub tracks: usize,
}

/// What a frame gave, and what the next one starts from.
#[derive(Debug, Default)]
pub struct Found {
    gain: Gain,
    pub detection: Detection,
    pub flows: Vec<Flow>,
    starts: Vec<FlowStart>,
}

impl Found {
    /// Looks at every feature once, as whoever uses them does. Descriptors are looked at by who compares them.
    fn read(&self) {
        let sum = |sum: u32, feature: &Feature| sum.wrapping_add(feature.u.to_bits() ^ feature.v.to_bits());
        std::hint::black_box(self.detection.features.iter().fold(0, sum));
    }

    fn choose_starts(&mut self, count: usize) {
        let features = &self.detection.features;
        let step = (features.len() / count.max(1)).max(1);
        self.starts.clear();
        let spread = features.iter().step_by(step).take(count);
        self.starts.extend(spread.map(|feature| FlowStart::resting([feature.u, feature.v])));
    }
}

/// Frames by the plain path.
#[derive(Debug, Default)]
pub struct PlainFrames {
    detector: PlainDetector,
    before: Option<(usize, Pyramid)>,
    pub found: Found,
}

impl PlainFrames {
    pub fn frame(&mut self, images: &[GrayImage], k: usize, asked: &Asked) -> Option<StageTimes> {
        let (image, found) = (images.get(k)?, &mut self.found);
        let mut before = self.before.take();
        let begin = Instant::now();
        found.detection = self.detector.detect(image, None, &asked.detect, &mut found.gain);
        let detected = begin.elapsed();
        if let Some((j, pyramid)) = &before {
            let previous: Vec<&GrayImage> = pyramid.levels(images.get(*j)?).collect();
            let current: Vec<&GrayImage> = self.detector.stages().pyramid.levels(image).collect();
            found.flows = plain::track(&previous, &current, &found.starts, &asked.track);
        }
        let tracked = begin.elapsed();
        found.read();
        let total = begin.elapsed();
        found.choose_starts(asked.tracks);
        let mut pyramid = before.take().map_or_else(Pyramid::default, |(_, pyramid)| pyramid);
        self.detector.swap_pyramid(&mut pyramid);
        self.before = Some((k, pyramid));
        let stages = vec![("detect", detected), ("track", tracked - detected), ("read", total - tracked)];
        Some(StageTimes { stages, total })
    }
}

/// Frames on a GPU.
#[derive(Debug)]
pub struct GpuFrames {
    pub pipeline: Pipeline,
    pub found: Found,
}

impl GpuFrames {
    pub fn new(pipeline: Pipeline) -> Self {
        Self { pipeline, found: Found::default() }
    }

    pub fn frame(&mut self, image: &ImageView<'_>, asked: &Asked) -> Result<StageTimes, GpuError> {
        let Self { pipeline, found } = self;
        // As the front end does while it predicts where tracks will be.
        pipeline.wake();
        let begin = Instant::now();
        pipeline.load(image, &asked.detect)?;
        let loaded = begin.elapsed();
        let detection = pipeline.queue_detection(None, found.gain, false)?;
        let tracks = pipeline.queue_tracks(&found.starts, &asked.track)?;
        let queued = begin.elapsed();
        pipeline.await_detection(&detection)?;
        let waited = begin.elapsed();
        pipeline.detection_into(detection, &mut found.gain, &mut found.detection)?;
        let detected = begin.elapsed();
        pipeline.flows_into(tracks, &mut found.flows)?;
        let tracked = begin.elapsed();
        found.read();
        let total = begin.elapsed();
        found.choose_starts(asked.tracks);
        let stages = vec![
            ("load", loaded),
            ("queue", queued - loaded),
            ("detect", waited - queued),
            ("results", detected - waited),
            ("track", tracked - detected),
            ("read", total - tracked),
        ];
        Ok(StageTimes { stages, total })
    }
}

/// A floor under it.
#[derive(Clone, Copy, Debug)]
pub enum Floor {
    PageLocked,
    Ordinary,
    Frame,
}

impl Floor {
    pub fn frame(
        self,
        floors: &mut Floors,
        ways: Transfers,
        image: &ImageView<'_>,
        k: usize,
    ) -> Result<StageTimes, GpuError> {
        let begin = Instant::now();
        match self {
            Self::PageLocked => floors.from_page_locked(k)?,
            Self::Ordinary => floors.from_ordinary(image)?,
            Self::Frame => floors.frame(ways)?,
        }
        Ok(StageTimes { stages: Vec::new(), total: begin.elapsed() })
    }
}
