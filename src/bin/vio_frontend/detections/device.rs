//! Where it is done: on the CPU, or on a GPU with the same bits.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use vio_frontend::detections::plain::PlainPostprocessor;
use vio_frontend::detections::{Detections, Letterbox, Plan, Tensor};
use vio_frontend::gpu::detections::{PostprocessError, Postprocessor};
use vio_frontend::gpu::{Context, GpuError, Kernels};
use vio_frontend::params::Device;
use vio_frontend::telemetry::{Latency, Percentiles};

use crate::gpu::{Found, GpuArgs};

/// Longest wait for a launch.
const LIMIT: Duration = Duration::from_secs(5);

/// On a GPU while there is one, else on the CPU.
#[derive(Debug)]
pub struct AnyPostprocessor {
    plan: Plan,
    gpu: Option<Box<Postprocessor>>,
    /// Whether it is to be a GPU whatever happens.
    insists: bool,
    /// With `auto`, why it is not the GPU.
    pub fallback: Option<String>,
    plain: Option<Box<PlainPostprocessor>>,
    found: Detections,
}

impl AnyPostprocessor {
    /// By the parameter `device`.
    pub fn open(args: &GpuArgs, plan: Plan) -> anyhow::Result<Self> {
        let device = args.params.load()?.device;
        let (insists, found) = (device == Device::Cuda, Detections::default());
        let mut opened = Self { plan, gpu: None, insists, fallback: None, plain: None, found };
        if device != Device::Cpu {
            match on_gpu(args.look()?, &opened.plan) {
                Ok(gpu) => opened.gpu = Some(Box::new(gpu)),
                Err(error) if insists => return Err(error).context("parameter 'device': 'cuda' cannot be had"),
                Err(error) => opened.fallback = Some(error.to_string()),
            }
        }
        Ok(opened)
    }

    pub fn device(&self) -> &'static str {
        if self.gpu.is_some() { "cuda" } else { "cpu" }
    }

    /// Errors: a tensor that is refused; with `cuda`, a GPU that fails.
    pub fn run(&mut self, tensor: &Tensor<'_>, letterboxes: &[Letterbox]) -> anyhow::Result<&Detections> {
        if let Some(gpu) = &mut self.gpu {
            match gpu.run(tensor, letterboxes) {
                Ok(found) => {
                    self.found.clone_from(found);
                    return Ok(&self.found);
                }
                Err(PostprocessError::Refused(refused)) => return Err(refused.into()),
                Err(PostprocessError::Gpu(error)) if self.insists => return Err(error.into()),
                Err(PostprocessError::Gpu(error)) => {
                    tracing::warn!("boxes are made on the CPU: {error}");
                    (self.gpu, self.fallback) = (None, Some(error.to_string()));
                }
            }
        }
        let plain = self.plain.get_or_insert_with(|| Box::new(PlainPostprocessor::new(self.plan.clone())));
        Ok(plain.run(tensor, letterboxes)?)
    }

    /// How long a run takes, tensor in host memory to boxes in host memory.
    pub fn time(&mut self, tensor: &Tensor<'_>, letterboxes: &[Letterbox], times: u32) -> anyhow::Result<Percentiles> {
        let mut latency = Latency::default();
        for _ in 0..times {
            let start = Instant::now();
            self.run(tensor, letterboxes)?;
            latency.record(start.elapsed());
        }
        Ok(latency.percentiles())
    }
}

fn on_gpu(found: Found, plan: &Plan) -> Result<Postprocessor, GpuError> {
    let context = Context::new(found.device?)?;
    let programs = found.sources.programs()?;
    let own: Vec<_> = programs.into_iter().filter(|program| program.name == "detections").collect();
    let kernels = Kernels::of(&context, &found.builder, &own)?;
    Postprocessor::new(&context, &kernels, plan.clone(), LIMIT)
}
