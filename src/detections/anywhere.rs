//! Post-processing wherever it can be had: on a GPU while there is one, else, and where that fails, on the CPU.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::plain::PlainPostprocessor;
use super::{Detections, Letterbox, Plan, Refused, Tensor};
use crate::fallback::{Backoff, Fallback, State};
use crate::gpu::detections::{PostprocessError, Postprocessor};
use crate::gpu::engine::EngineOptions;
use crate::gpu::{Builder, Cache, Context, Device, Driver, GpuError, Kernels, Nvrtc, Sources};

/// The program of `kernels/programs.txt`.
const PROGRAM: &str = "detections";

/// A device with the kernel.
#[derive(Debug)]
struct Gpu {
    // Before what it was made of.
    postprocessor: Option<Postprocessor>,
    kernels: Kernels,
    context: Arc<Context>,
    limit: Duration,
}

impl Gpu {
    fn open(options: &EngineOptions) -> Result<Self, GpuError> {
        let context = Context::new(Device::open(&Driver::load(options.libcuda.as_deref())?, 0)?)?;
        let builder = Builder::new(Nvrtc::load(options.libnvrtc.as_deref()), Cache::from_parameter(&options.cache_dir));
        let mut programs = Sources::from_parameter(&options.kernels_dir).programs()?;
        programs.retain(|program| program.name == PROGRAM);
        let kernels = Kernels::of(&context, &builder, &programs)?;
        Ok(Self { postprocessor: None, kernels, context, limit: options.limit })
    }

    /// Memory is allocated when the plan is another one.
    fn run(&mut self, plan: &Plan, tensor: &Tensor<'_>, boxes: &[Letterbox]) -> Result<&Detections, PostprocessError> {
        let reusable = self.postprocessor.take().filter(|postprocessor| postprocessor.plan() == plan);
        let postprocessor = match reusable {
            Some(postprocessor) => postprocessor,
            None => Postprocessor::new(&self.context, &self.kernels, plan.clone(), self.limit)?,
        };
        self.postprocessor.insert(postprocessor).run(tensor, boxes)
    }
}

/// Post-processing of tensors of any plan, one after the other. Both devices give the same bits.
#[derive(Debug)]
pub struct Anywhere {
    options: EngineOptions,
    fallback: Fallback,
    gpu: Option<Box<Gpu>>,
    /// Why it is not the GPU.
    reason: Option<GpuError>,
    plain: Option<PlainPostprocessor>,
    detections: Detections,
}

impl Anywhere {
    /// On the CPU until [`Anywhere::refresh`] has opened a GPU, if one is wanted.
    pub fn new(wants_gpu: bool, options: EngineOptions, backoff: Backoff) -> Self {
        Self {
            options,
            fallback: Fallback::new(wants_gpu, backoff),
            gpu: None,
            reason: None,
            plain: None,
            detections: Detections::default(),
        }
    }

    /// Between two tensors: opens the GPU when it is due, which can take seconds.
    pub fn refresh(&mut self) {
        let is_due = self.fallback.state() == State::Opening || self.fallback.opens(Instant::now());
        if !is_due {
            return;
        }
        match Gpu::open(&self.options) {
            Ok(gpu) => {
                self.fallback.opened(Instant::now());
                (self.gpu, self.reason) = (Some(Box::new(gpu)), None);
            }
            Err(error) => self.fail(error),
        }
    }

    /// The boxes of a batch.
    ///
    /// Errors: a tensor that is refused.
    pub fn run(&mut self, plan: &Plan, tensor: &Tensor<'_>, boxes: &[Letterbox]) -> Result<&Detections, Refused> {
        // Before memory is allocated for what the plan claims.
        plan.check(tensor, boxes)?;
        if let Some(gpu) = &mut self.gpu {
            match gpu.run(plan, tensor, boxes) {
                Ok(found) => {
                    self.detections.clone_from(found);
                    return Ok(&self.detections);
                }
                Err(PostprocessError::Refused(refused)) => return Err(refused),
                Err(PostprocessError::Gpu(error)) => self.fail(error),
            }
        }
        let plain = match self.plain.take().filter(|plain| plain.plan() == plan) {
            Some(plain) => plain,
            None => PlainPostprocessor::new(plan.clone()),
        };
        self.plain.insert(plain).run(tensor, boxes)
    }

    fn fail(&mut self, error: GpuError) {
        self.gpu = None;
        self.fallback.failed(error.severity(), Instant::now());
        if !error.is_absence() {
            tracing::warn!("boxes are made on the CPU: {error}");
        }
        self.reason = Some(error);
    }

    /// Whether a GPU does it.
    pub fn is_on_gpu(&self) -> bool {
        self.gpu.is_some()
    }

    /// Why it is not the GPU; `None` while it is, and where none is wanted.
    pub fn why_not(&self) -> Option<&GpuError> {
        self.reason.as_ref()
    }
}
