//! Where a frame is worked on: by the GPU while there is one, else, and where that fails, by the CPU; the bits are the same.

use std::time::Duration;

use super::gpu::{Gpu, GpuReport};
use super::plain::PlainDevice;
use super::result::{Backend, Stopwatch};
use crate::detect::{DetectSettings, Detection, Gain};
use crate::fallback::Backoff;
use crate::gpu::GpuError;
use crate::gpu::engine::EngineOptions;
use crate::image::{GrayImage, ImageView};
use crate::mask::Mask;
use crate::params::{Device, HistogramMethod, Params, Prefilter};
use crate::track::{Flow, FlowStart, TrackSettings};

/// What is asked of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work<'a> {
    pub mask: Option<&'a Mask>,
    pub detect: DetectSettings,
    /// Points of the frame before; `None` where nothing is tracked.
    pub tracking: Option<(&'a [FlowStart], TrackSettings)>,
}

/// What was made of it.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub detection: Detection,
    /// One for each start.
    pub flows: Vec<Flow>,
}

/// GPU and CPU.
#[derive(Debug)]
pub(super) struct FrameDevice {
    gpu: Gpu,
    plain: PlainDevice,
    /// Of the last frame; its memory serves the next one too.
    seen: Seen,
    /// Who worked on the last frame.
    backend: Backend,
}

impl FrameDevice {
    /// Waits until the GPU is open, where one is wanted.
    ///
    /// Errors: with [`Device::Cuda`], why there is none.
    pub fn start(wanted: Device, options: EngineOptions, backoff: Backoff) -> Result<Self, GpuError> {
        let gpu = Gpu::start(wanted, options, backoff)?;
        let backend = if gpu.is_working() { Backend::Cuda } else { Backend::Cpu };
        Ok(Self { gpu, plain: PlainDevice::default(), seen: Seen::default(), backend })
    }

    /// A frame comes within a moment.
    pub fn wake(&mut self) {
        self.gpu.wake();
    }

    /// Detects in `image` and tracks from the one before. `gain` is read and advanced, once, whoever does the work.
    pub fn work(
        &mut self,
        image: &ImageView<'_>,
        params: &Params,
        work: &Work<'_>,
        gain: &mut Gain,
        watch: &mut Stopwatch,
    ) {
        let Self { gpu, plain, seen, backend } = self;
        gpu.refresh(Duration::ZERO);
        plain.advance();
        // The kernels begin with a grey image: what else is to be done with it is done before.
        let early = params.histogram_method != HistogramMethod::None;
        if early {
            plain.load(image, params);
            watch.lap("gray");
        }
        let is_begun = gpu.is_working();
        let queued = if early {
            gpu.queue(&plain.gray().view(), Prefilter::None, work, plain.previous(), *gain)
        } else {
            gpu.queue(image, params.prefilter, work, plain.previous(), *gain)
        };
        if is_begun {
            watch.lap("upload");
        }
        if !early {
            // A GPU that fails must not take the pixels with it; while it works, this costs the frame no time.
            plain.load(image, params);
            watch.lap("gray");
        }
        let is_done = queued.is_some_and(|queued| gpu.collect(queued, seen, gain, watch));
        *backend = if is_done { Backend::Cuda } else { Backend::Cpu };
        if !is_done {
            if is_begun {
                watch.lap("fallback");
            }
            seen.detection = plain.detect(work.mask, &work.detect, gain);
            watch.lap("detect");
            seen.flows = work.tracking.map(|(starts, settings)| plain.track(starts, &settings)).unwrap_or_default();
        }
        if work.tracking.is_some() {
            watch.lap("track");
        }
    }

    /// Tracks other points between the same images, in place of those of the frame.
    pub fn track_again(&mut self, starts: &[FlowStart], settings: &TrackSettings) {
        let Self { gpu, plain, seen, backend } = self;
        if *backend == Backend::Cpu || !gpu.track(starts, settings, &mut seen.flows) {
            *backend = Backend::Cpu;
            seen.flows = plain.track(starts, settings);
        }
    }

    /// What was made of the last frame.
    pub fn seen(&self) -> &Seen {
        &self.seen
    }

    /// Waits for a GPU that is due to be opened, or is being opened.
    pub fn await_gpu(&mut self, limit: Duration) {
        self.gpu.refresh(limit);
    }

    /// The grey image of the last frame.
    pub fn gray(&self) -> &GrayImage {
        self.plain.gray()
    }

    /// Who finished the last frame, and why, if another had begun it; that is told once.
    pub fn outcome(&mut self) -> (Backend, Option<String>) {
        (self.backend, self.gpu.take_failure())
    }

    pub fn backend(&self) -> Backend {
        self.backend
    }

    pub fn gpu_revision(&self) -> u64 {
        self.gpu.revision()
    }

    pub fn gpu_report(&self) -> GpuReport {
        self.gpu.report()
    }
}
