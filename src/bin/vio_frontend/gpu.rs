//! What of CUDA is here: the options that say where to look, and what was found.

use std::path::PathBuf;
use std::sync::Arc;

use vio_frontend::gpu::GpuError;
use vio_frontend::gpu::builder::Builder;
use vio_frontend::gpu::cache::Cache;
use vio_frontend::gpu::choice::{Abilities, Choice, Target};
use vio_frontend::gpu::device::Device;
use vio_frontend::gpu::driver::Driver;
use vio_frontend::gpu::engine::EngineOptions;
use vio_frontend::gpu::image::ImageKind;
use vio_frontend::gpu::nvrtc::Nvrtc;
use vio_frontend::gpu::program::Sources;
use vio_frontend::params::Params;

use super::load::ParamArgs;

/// Options of every command that looks at CUDA.
#[derive(Debug, clap::Args)]
pub struct GpuArgs {
    #[command(flatten)]
    pub params: ParamArgs,
    /// Folder of compiled kernels, over the parameter `cache_dir`
    #[arg(long, value_name = "DIR", global = true)]
    pub cache_dir: Option<String>,
    /// Folder of kernel sources, over the parameter `kernels_dir`
    #[arg(long, value_name = "DIR", global = true)]
    pub kernels_dir: Option<String>,
    /// The CUDA driver's library [default: searched for]
    #[arg(long, value_name = "FILE", global = true)]
    pub libcuda: Option<PathBuf>,
    /// The CUDA compiler's library [default: searched for]
    #[arg(long, value_name = "FILE", global = true)]
    pub libnvrtc: Option<PathBuf>,
}

/// What was found.
#[derive(Debug)]
pub struct Found {
    pub driver: Result<Arc<Driver>, GpuError>,
    /// The first device; of a missing driver its error.
    pub device: Result<Device, GpuError>,
    pub builder: Builder,
    pub sources: Sources,
}

impl GpuArgs {
    /// What a front end with these parameters would open.
    pub fn options(&self, params: &Params) -> EngineOptions {
        EngineOptions {
            libcuda: self.libcuda.clone(),
            libnvrtc: self.libnvrtc.clone(),
            cache_dir: self.cache_dir.as_ref().unwrap_or(&params.cache_dir).clone(),
            kernels_dir: self.kernels_dir.as_ref().unwrap_or(&params.kernels_dir).clone(),
            ..EngineOptions::from(params)
        }
    }

    pub fn look(&self) -> anyhow::Result<Found> {
        let options = self.options(&self.params.load()?);
        let driver = Driver::load(options.libcuda.as_deref());
        let cache = Cache::from_parameter(&options.cache_dir);
        Ok(Found {
            device: driver.clone().and_then(|driver| Device::open(&driver, 0)),
            driver,
            builder: Builder::new(Nvrtc::load(options.libnvrtc.as_deref()), cache),
            sources: Sources::from_parameter(&options.kernels_dir),
        })
    }
}

impl Found {
    /// How kernels get to the device, in words; `None` without one.
    pub fn way(&self) -> Option<String> {
        let target = Target::of(self.device.as_ref().ok()?);
        Some(way(&self.builder.choose(target)))
    }
}

/// A choice in words.
pub fn way(choice: &Choice) -> String {
    match choice {
        Choice::Compile { kind: ImageKind::Ptx, architecture } => {
            format!("compiled to PTX for compute_{architecture}, which the driver assembles")
        }
        Choice::Compile { kind: ImageKind::Cubin, architecture } => {
            format!("compiled to a cubin for sm_{architecture}: the driver is older than the compiler's PTX")
        }
        Choice::Kept { reason } => format!("the PTX kept in this program, because {reason}"),
    }
}

/// The compiler in words.
pub fn compiler(nvrtc: &Nvrtc) -> String {
    let Abilities { version, architectures, .. } = Abilities::of(nvrtc);
    let known = match (architectures.iter().min(), architectures.iter().max()) {
        (Some(least), Some(most)) => format!("; compiles for {least} to {most}"),
        _ => String::new(),
    };
    format!("{}, version {}.{}{known}", nvrtc.path().display(), version.0, version.1)
}
