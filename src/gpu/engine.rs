//! Everything that frames need of a GPU, from its library to its first result, opened in one call.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::builder::Builder;
use super::cache::Cache;
use super::context::Context;
use super::device::Device;
use super::driver::Driver;
use super::error::GpuError;
use super::kernels::Kernels;
use super::nvrtc::Nvrtc;
use super::pipeline::Pipeline;
use super::program::Sources;
use super::trial::try_out;
use crate::params::Params;

/// How often a folder of kernels is looked at; what has changed is compiled once two looks agree.
const WATCH: Duration = Duration::from_millis(200);

/// Longest wait for a launch while the device is tried out: the first ones also load and set up.
const FIRST_LIMIT: Duration = Duration::from_secs(2);

/// Where the GPU's parts are, and how long a frame may take.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineOptions {
    /// The CUDA driver's library; `None` looks where it usually is.
    pub libcuda: Option<PathBuf>,
    /// The CUDA compiler's library, likewise.
    pub libnvrtc: Option<PathBuf>,
    /// Parameter `cache_dir`.
    pub cache_dir: String,
    /// Parameter `kernels_dir`.
    pub kernels_dir: String,
    /// Parameter `upload_threads`.
    pub upload_threads: u32,
    /// Longest wait for a launch, before the CPU does its work.
    pub limit: Duration,
}

impl From<&Params> for EngineOptions {
    fn from(params: &Params) -> Self {
        Self {
            libcuda: None,
            libnvrtc: None,
            cache_dir: params.cache_dir.clone(),
            kernels_dir: params.kernels_dir.clone(),
            upload_threads: params.upload_threads,
            // Longer than any frame on a Jetson beside a busy network, shorter than what a back end takes for a gap.
            limit: Duration::from_millis(100),
        }
    }
}

/// A GPU that works on frames.
#[derive(Debug)]
pub struct Engine {
    // Before the kernels: it may have to wait for them.
    pipeline: Pipeline,
    kernels: Kernels,
    context: Arc<Context>,
}

impl Engine {
    /// Opens the first device, loads the kernels and tries them out. Takes what creating a context takes, and the time
    /// of compiling (seconds) where the cache has no kernels for this device.
    ///
    /// Errors: whatever is missing, or does not do as it should.
    pub fn open(options: &EngineOptions) -> Result<Self, GpuError> {
        let context = Context::new(Device::open(&Driver::load(options.libcuda.as_deref())?, 0)?)?;
        let nvrtc = Nvrtc::load(options.libnvrtc.as_deref());
        let builder = Arc::new(Builder::new(nvrtc, Cache::from_parameter(&options.cache_dir)));
        let sources = Sources::from_parameter(&options.kernels_dir);
        let own = sources == Sources::Embedded;
        let kernels = Kernels::load(&context, builder, sources, Some(WATCH))?;
        let mut pipeline = Pipeline::new(&context, &kernels, FIRST_LIMIT)?;
        match try_out(&mut pipeline) {
            // Whoever changes kernels may want other results.
            Err(error @ GpuError::OtherResult { .. }) if !own => tracing::warn!("{error}"),
            Err(error @ GpuError::Timeout { .. }) => return Err(pipeline.finish().err().unwrap_or(error)),
            outcome => outcome?,
        }
        pipeline.set_limit(options.limit);
        pipeline.set_helpers(options.upload_threads);
        Ok(Self { pipeline, kernels, context })
    }

    pub fn pipeline(&mut self) -> &mut Pipeline {
        &mut self.pipeline
    }

    /// The device's name.
    pub fn name(&self) -> &str {
        &self.context.device().name
    }

    /// Takes over kernels whose sources have changed, and tells whether there were any. To be called between two frames;
    /// does not wait for the compiler.
    pub fn refresh(&mut self) -> bool {
        let is_new = !self.kernels.take_changes().is_empty();
        if is_new && let Err(error) = self.pipeline.replace(&self.kernels) {
            tracing::error!("the kernels before stay: {error}");
        }
        is_new
    }

    /// Lets go of the device, once its work is done.
    ///
    /// Errors: [`GpuError::Hangs`], and everything stays as it is until the process ends: any other call could hang too.
    pub fn close(mut self) -> Result<(), GpuError> {
        self.pipeline.finish()
    }
}
