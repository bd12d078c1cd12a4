//! The GPU's part of a frame, and what happens when it fails: it is closed, and perhaps opened again, beside the frames.

use std::time::{Duration, Instant};

use super::device::{Seen, Work};
use super::result::Stopwatch;
use crate::detect::{DetectSettings, Gain};
use crate::fallback::{Backoff, Fallback, State};
use crate::gpu::GpuError;
use crate::gpu::engine::{Engine, EngineOptions};
use crate::gpu::opener::{Answer, Opener};
use crate::gpu::pipeline::{QueuedDetection, QueuedTracks, Transfers};
use crate::image::{GrayImage, ImageView};
use crate::params::{Device, Prefilter};
use crate::track::{Flow, FlowStart, TrackSettings};

/// Longest wait for the GPU at start, which compiles the kernels where no cache has them; then frames begin on the CPU.
const START_LIMIT: Duration = Duration::from_secs(60);

/// A GPU that comes and goes.
#[derive(Debug)]
pub(super) struct Gpu {
    fallback: Fallback,
    /// `None` where no GPU is wanted.
    opener: Option<Opener>,
    engine: Option<Box<Engine>>,
    /// Whether the engine has the image before.
    in_stream: bool,
    /// How it exchanges images and results with the host, once that is settled.
    transfers: Option<Transfers>,
    /// Of the report.
    revision: u64,
    /// Why frames are not worked on by it.
    reason: Option<GpuError>,
    /// Frames that it began and the CPU finished.
    failures: u64,
    /// Of the frame that is being worked on, why the CPU finishes it.
    failure: Option<String>,
}

/// What is to be told of the GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuReport {
    pub state: State,
    /// Another one if anything has changed since.
    pub revision: u64,
    /// The device, while it is open.
    pub name: Option<String>,
    /// How it exchanges images and results with the host; `None` before its first frame.
    pub transfers: Option<Transfers>,
    /// Why frames are not worked on by it; `None` while they are, and where none is wanted.
    pub why_not: Option<String>,
    /// Whether that is because there is none.
    pub is_absent: bool,
    /// Frames that it began and the CPU finished.
    pub failures: u64,
}

impl GpuReport {
    /// In words: what works on frames, or why it is not the GPU.
    pub fn in_words(&self) -> String {
        match (&self.name, &self.why_not) {
            (Some(name), _) => format!("cuda ({name})"),
            (None, Some(_)) if self.is_absent => "cpu (no GPU)".to_owned(),
            (None, Some(why_not)) => format!("cpu ({why_not})"),
            (None, None) => "cpu".to_owned(),
        }
    }
}

/// The launches of a frame.
#[derive(Debug)]
pub(super) struct Queued(QueuedDetection, Option<QueuedTracks>);

impl Gpu {
    /// Opens the GPU, if `wanted`, and waits for it.
    ///
    /// Errors: with [`Device::Cuda`], why it is not there.
    pub fn start(wanted: Device, options: EngineOptions, backoff: Backoff) -> Result<Self, GpuError> {
        let fallback = Fallback::new(wanted != Device::Cpu, backoff);
        let mut gpu = Self {
            fallback,
            opener: None,
            engine: None,
            in_stream: false,
            transfers: None,
            revision: 0,
            reason: None,
            failures: 0,
            failure: None,
        };
        if wanted == Device::Cpu {
            return Ok(gpu);
        }
        let opener = Opener::start(options).map_err(|error| GpuError::Thread { message: error.to_string() });
        let answer = match opener {
            Ok(opener) => gpu.opener.insert(opener).wait(START_LIMIT),
            Err(error) => Some(Err(error)),
        };
        gpu.reason = Some(GpuError::Thread { message: format!("the GPU is not open after {START_LIMIT:?}") });
        if let Some(answer) = answer {
            gpu.take(answer);
        }
        match gpu.reason.take() {
            Some(error) if wanted == Device::Cuda => Err(error),
            reason => {
                if let Some(error) = reason.as_ref().filter(|error| !error.is_absence()) {
                    tracing::warn!("the CPU works on frames, {}: {error}", gpu.outlook());
                }
                Ok(Self { reason, ..gpu })
            }
        }
    }

    fn take(&mut self, answer: Answer) {
        self.revision += 1;
        match answer {
            Ok(engine) => {
                self.fallback.opened(Instant::now());
                self.engine = Some(engine);
                (self.in_stream, self.transfers) = (false, None);
                self.reason = None;
            }
            Err(error) => {
                self.fallback.failed(error.severity(), Instant::now());
                self.reason = Some(error);
            }
        }
    }

    /// Between two frames: what was opened or compiled meanwhile is taken over, and what has rested is opened again.
    /// An answer of the thread is waited for no longer than `limit`.
    pub fn refresh(&mut self, limit: Duration) {
        let Some(opener) = &self.opener else { return };
        if let Some(engine) = &mut self.engine {
            engine.refresh();
            return;
        }
        if self.fallback.opens(Instant::now()) {
            self.revision += 1;
            opener.open();
        }
        let limit = if self.fallback.state() == State::Opening { limit } else { Duration::ZERO };
        if let Some(answer) = opener.wait(limit) {
            self.take(answer);
            match &self.reason {
                None => tracing::info!("frames go to the GPU again"),
                Some(error) => tracing::warn!("the CPU works on frames, {}: {error}", self.outlook()),
            }
        }
    }

    /// A frame comes within a moment.
    pub fn wake(&mut self) {
        if let Some(engine) = &mut self.engine {
            engine.pipeline().wake();
        }
    }

    pub fn is_working(&self) -> bool {
        self.engine.is_some()
    }

    /// Queues a frame. The image before, as the plain path sees it, with its number of levels, is for a
    /// GPU that is new to the stream. `None` without a GPU, or if it fails.
    pub fn queue(
        &mut self,
        image: &ImageView<'_>,
        prefilter: Prefilter,
        work: &Work<'_>,
        (gray, levels): (&GrayImage, usize),
        gain: Gain,
    ) -> Option<Queued> {
        let pipeline = self.engine.as_mut()?.pipeline();
        let is_new = !std::mem::replace(&mut self.in_stream, true);
        let outcome = (|| {
            let (starts, track) = match work.tracking {
                Some((starts, settings)) => (starts, Some(settings)),
                None => (&[][..], None),
            };
            if is_new && !starts.is_empty() {
                pipeline.load(&gray.view(), &DetectSettings { levels: levels as u32, ..work.detect })?;
                let queued = pipeline.queue_detection(None, gain, false)?;
                pipeline.detection(queued, &mut gain.clone())?;
            }
            pipeline.load(image, &work.detect)?;
            let detection = pipeline.queue_detection(work.mask, gain, prefilter == Prefilter::Binomial3)?;
            let tracks = track.map(|settings| pipeline.queue_tracks(starts, &settings)).transpose()?;
            Ok(Queued(detection, tracks))
        })();
        let transfers = Some(pipeline.transfers());
        if outcome.is_ok() && self.transfers != transfers {
            self.transfers = transfers;
            self.revision += 1;
        }
        outcome.map_err(|error| self.fail(error)).ok()
    }

    /// Waits for a frame, replaces `seen` by it, and advances `gain`. False if it fails, with `gain` as it was.
    pub fn collect(
        &mut self,
        Queued(detection, tracks): Queued,
        seen: &mut Seen,
        gain: &mut Gain,
        watch: &mut Stopwatch,
    ) -> bool {
        let Some(engine) = &mut self.engine else { return false };
        let (pipeline, mut next) = (engine.pipeline(), *gain);
        let outcome = pipeline.detection_into(detection, &mut next, &mut seen.detection).and_then(|()| {
            watch.lap("detect");
            tracks.map_or(Ok(()), |tracks| pipeline.flows_into(tracks, &mut seen.flows))
        });
        match outcome {
            Ok(()) => *gain = next,
            Err(error) => self.fail(error),
        }
        self.is_working()
    }

    /// Tracks once more between the images of the last frame, to `flows`. False if that fails.
    pub fn track(&mut self, starts: &[FlowStart], settings: &TrackSettings, flows: &mut Vec<Flow>) -> bool {
        let Some(engine) = &mut self.engine else { return false };
        let pipeline = engine.pipeline();
        let outcome = pipeline.queue_tracks(starts, settings).and_then(|queued| pipeline.flows_into(queued, flows));
        outcome.map_err(|error| self.fail(error)).is_ok()
    }

    /// The frame goes to the CPU, and the engine out of the way.
    fn fail(&mut self, error: GpuError) {
        self.fallback.failed(error.severity(), Instant::now());
        (self.failures, self.revision) = (self.failures + 1, self.revision + 1);
        self.failure = Some(error.to_string());
        if let (Some(opener), Some(engine)) = (&self.opener, self.engine.take()) {
            opener.close(engine);
        }
        tracing::warn!("the CPU finishes this frame, {}: {error}", self.outlook());
        self.reason = Some(error);
    }

    /// Why the CPU finishes the frame that is being worked on, once.
    pub fn take_failure(&mut self) -> Option<String> {
        self.failure.take()
    }

    pub fn report(&self) -> GpuReport {
        GpuReport {
            state: self.fallback.state(),
            revision: self.revision,
            transfers: self.transfers.filter(|_| self.is_working()),
            name: self.engine.as_ref().map(|engine| engine.name().to_owned()),
            why_not: self.reason.as_ref().map(GpuError::to_string),
            is_absent: self.reason.as_ref().is_some_and(GpuError::is_absence),
            failures: self.failures,
        }
    }

    /// That of the report, which is worth asking for if it is another one.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// What comes next, in words.
    fn outlook(&self) -> String {
        match self.fallback.state() {
            State::Resting { until } => {
                format!("and the GPU is tried again in {:.1} s", (until - Instant::now()).as_secs_f64())
            }
            State::Opening => "and those that follow until the GPU is open".to_owned(),
            _ => "and the ones that follow until this process ends".to_owned(),
        }
    }
}
