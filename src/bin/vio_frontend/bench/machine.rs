//! What the figures were measured on.

use std::sync::Arc;

use serde::Serialize;
use vio_frontend::gpu::context::Context;
use vio_frontend::gpu::kernels::Kernels;

use super::super::doctor::cpu_name;
use super::super::gpu::{Found, GpuArgs, compiler};

/// A GPU with the kernels on it.
#[derive(Debug)]
pub struct OpenGpu {
    pub context: Arc<Context>,
    pub kernels: Kernels,
    pub about: About,
}

/// What it is.
#[derive(Clone, Debug, Serialize)]
pub struct About {
    name: String,
    multiprocessors: u32,
    memory: String,
    /// CUDA version that the driver supports.
    cuda: String,
    /// The driver's own version, where the system tells it.
    driver: Option<String>,
    /// What compiles kernels at run time, or why nothing does.
    compiler: String,
    /// How kernels get to the device.
    kernels: String,
}

/// Without the GPU.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    cpu: String,
    cores: usize,
    system: String,
    version: String,
    /// Of the sources, where the build was told by the environment variable VIO_COMMIT.
    commit: Option<&'static str>,
    pub gpu: Option<About>,
    /// Why the GPU is not measured.
    pub no_gpu: Option<String>,
}

impl OpenGpu {
    pub fn open(args: &GpuArgs) -> anyhow::Result<Self> {
        let found = args.look()?;
        let (compiler, way) = (found.builder.compiler().map_or_else(|error| error.to_string(), compiler), found.way());
        let Found { device, builder, sources, .. } = found;
        let context = Context::new(device?)?;
        let kernels = Kernels::load(&context, Arc::new(builder), sources, None)?;
        let device = context.device();
        let (major, minor) = device.driver().version();
        let about = About {
            name: device.name.clone(),
            multiprocessors: device.multiprocessors,
            memory: device.memory.to_string(),
            cuda: format!("{major}.{minor}"),
            driver: driver_version(),
            compiler,
            kernels: way.unwrap_or_default(),
        };
        Ok(Self { context, kernels, about })
    }
}

impl Machine {
    pub fn new(gpu: &Result<OpenGpu, String>) -> Self {
        Self {
            cpu: cpu_name().unwrap_or_else(|| "unknown".to_owned()),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: option_env!("VIO_COMMIT"),
            gpu: gpu.as_ref().ok().map(|gpu| gpu.about.clone()),
            no_gpu: gpu.as_ref().err().cloned(),
        }
    }

    /// In a few lines.
    pub fn lines(&self) -> Vec<String> {
        let Self { cpu, cores, system, version, commit, gpu, no_gpu } = self;
        let commit = commit.map(|commit| format!(", commit {commit}")).unwrap_or_default();
        let mut lines = vec![format!("vio_frontend {version}{commit}; {system}; {cpu}, {cores} cores usable")];
        if let Some(gpu) = gpu {
            let driver = gpu.driver.as_ref().map(|version| format!("driver {version}, ")).unwrap_or_default();
            lines.push(format!(
                "{}, {} multiprocessors, {}; {driver}CUDA {}; NVRTC: {}; kernels: {}",
                gpu.name, gpu.multiprocessors, gpu.memory, gpu.cuda, gpu.compiler, gpu.kernels
            ));
        }
        lines.extend(no_gpu.iter().map(|reason| format!("not measured: the GPU and its floor ({reason})")));
        lines
    }
}

/// As the kernel module of the driver tells it.
fn driver_version() -> Option<String> {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    let after = text.lines().next()?.split("Module").nth(1)?;
    after.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit())).map(str::to_owned)
}
