//! Where it is done: on the CPU, or on a GPU with the same bits.

use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use vio_frontend::detections::anywhere::Anywhere;
use vio_frontend::detections::{Detections, Letterbox, Plan, Tensor};
use vio_frontend::fallback::Backoff;
use vio_frontend::gpu::engine::EngineOptions;
use vio_frontend::params::Device;
use vio_frontend::telemetry::{Latency, Percentiles};

use crate::gpu::GpuArgs;

/// Longest wait for a launch.
const LIMIT: Duration = Duration::from_secs(5);

/// Post-processing of tensors of one plan.
#[derive(Debug)]
pub struct AnyPostprocessor {
    plan: Plan,
    /// By the parameter `device`: whether it is to be a GPU whatever happens.
    insists: bool,
    anywhere: Anywhere,
}

impl AnyPostprocessor {
    /// By the parameter `device`.
    pub fn open(args: &GpuArgs, plan: Plan) -> anyhow::Result<Self> {
        let params = args.params.load()?;
        let options = EngineOptions { limit: LIMIT, ..args.options(&params) };
        let mut anywhere = Anywhere::new(params.device != Device::Cpu, options, Backoff::default());
        anywhere.refresh();
        let opened = Self { plan, insists: params.device == Device::Cuda, anywhere };
        opened.check().context("parameter 'device': 'cuda' cannot be had")?;
        Ok(opened)
    }

    /// Whether it is where it has to be.
    fn check(&self) -> anyhow::Result<()> {
        match self.anywhere.why_not() {
            Some(error) if self.insists => Err(anyhow!("{error}")),
            _ => Ok(()),
        }
    }

    pub fn device(&self) -> &'static str {
        if self.anywhere.is_on_gpu() { "cuda" } else { "cpu" }
    }

    /// With `auto`, why it is not the GPU.
    pub fn fallback(&self) -> Option<String> {
        self.anywhere.why_not().map(ToString::to_string)
    }

    /// Errors: a tensor that is refused; with `cuda`, a GPU that fails.
    pub fn run(&mut self, tensor: &Tensor<'_>, letterboxes: &[Letterbox]) -> anyhow::Result<Detections> {
        let found = self.anywhere.run(&self.plan, tensor, letterboxes)?.clone();
        self.check()?;
        Ok(found)
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
