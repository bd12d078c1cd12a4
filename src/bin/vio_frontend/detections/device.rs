//! Where it is done: on the CPU, or on a GPU with the same bits.

use std::time::{Duration, Instant};

use vio_frontend::detections::plain::PlainPostprocessor;
use vio_frontend::detections::{Detections, Letterbox, Plan, Tensor};
use vio_frontend::gpu::detections::Postprocessor;
use vio_frontend::gpu::{Context, GpuError, Kernels};
use vio_frontend::params::Device;
use vio_frontend::telemetry::{Latency, Percentiles};

use crate::gpu::{Found, GpuArgs};

/// Longest wait for a launch.
const LIMIT: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub enum AnyPostprocessor {
    Cpu(Box<PlainPostprocessor>),
    Cuda(Box<Postprocessor>),
}

impl AnyPostprocessor {
    /// By the parameter `device`; with `auto` also why it is not the GPU.
    pub fn open(args: &GpuArgs, plan: Plan) -> anyhow::Result<(Self, Option<String>)> {
        let device = args.params.load()?.device;
        if device == Device::Cpu {
            return Ok((Self::Cpu(Box::new(PlainPostprocessor::new(plan))), None));
        }
        match on_gpu(args.look()?, &plan) {
            Ok(gpu) => Ok((Self::Cuda(Box::new(gpu)), None)),
            Err(error) if device == Device::Cuda => Err(error.into()),
            Err(error) => Ok((Self::Cpu(Box::new(PlainPostprocessor::new(plan))), Some(error.to_string()))),
        }
    }

    pub fn device(&self) -> &'static str {
        match self {
            Self::Cpu(_) => "cpu",
            Self::Cuda(_) => "cuda",
        }
    }

    pub fn run(&mut self, tensor: &Tensor<'_>, letterboxes: &[Letterbox]) -> anyhow::Result<&Detections> {
        Ok(match self {
            Self::Cpu(cpu) => cpu.run(tensor, letterboxes)?,
            Self::Cuda(gpu) => gpu.run(tensor, letterboxes)?,
        })
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
