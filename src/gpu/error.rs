//! What the driver answers when it does not do as asked, and what that means for the rest of the run.

use super::builder::BuildError;
use super::library::LibraryError;
use super::program::SourceError;

/// A call of the CUDA driver that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{call} answers {code} ({name})")]
pub struct CudaError {
    /// The entry point.
    pub call: &'static str,
    /// CUresult.
    pub code: u32,
    /// The driver's name of the code, such as CUDA_ERROR_OUT_OF_MEMORY.
    pub name: String,
}

/// What can be hoped for after an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// It may pass: try again later.
    Transient,
    /// The same call would fail again; other work may go on.
    Permanent,
    /// Every later call in this process fails as well: the GPU is lost until the process ends.
    Sticky,
}

impl CudaError {
    /// Out of memory, not initialised in time, no (or a busy) device, not ready, system not ready.
    const TRANSIENT: [u32; 6] = [2, 46, 100, 101, 600, 802];
    /// Illegal address, launch timeout, context destroyed, and what the hardware reports of a kernel. After 700 a new
    /// context was refused with 700 as well; the others are documented to leave the process in the same state.
    const STICKY: [u32; 10] = [700, 702, 709, 714, 715, 716, 717, 718, 719, 999];

    pub fn severity(&self) -> Severity {
        if Self::STICKY.contains(&self.code) {
            Severity::Sticky
        } else if Self::TRANSIENT.contains(&self.code) {
            Severity::Transient
        } else {
            Severity::Permanent
        }
    }
}

/// Why the GPU is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    #[error(transparent)]
    Library(#[from] LibraryError),
    #[error(transparent)]
    Cuda(#[from] CudaError),
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error("there is no program {program}")]
    NoProgram { program: String },
    #[error("the CUDA driver {}.{} is older than 10.2", version.0, version.1)]
    OldDriver { version: (u32, u32) },
    #[error("there is no device {ordinal}: the driver counts {count}")]
    NoDevice { ordinal: u32, count: u32 },
    #[error("{device} lacks {lacks}")]
    Unfit { device: String, lacks: &'static str },
    #[error("program {program} cannot be loaded: {error}{}", quoted(log))]
    Load { program: String, error: CudaError, log: String },
    #[error("program {program} has no kernel {kernel} that takes {bytes} bytes: {found}")]
    Signature { program: String, kernel: String, bytes: usize, found: String },
    #[error("an image of {width} x {height} is too large for the device")]
    TooLarge { width: u32, height: u32 },
    #[error("no image is loaded")]
    NothingLoaded,
    #[error("launch {launch} ended and wrote nothing")]
    Unwritten { launch: u64 },
    #[error("a launch has not ended after {limit:?}")]
    Timeout { limit: std::time::Duration },
    #[error("the device has not ended its work after {limit:?}: it hangs")]
    Hangs { limit: std::time::Duration },
    #[error("kernel {kernel} gives another result here than the plain path")]
    OtherResult { kernel: &'static str },
    #[error("the GPU's thread: {message}")]
    Thread { message: String },
    #[error("a buffer of {bytes} bytes is asked for {wanted} from {offset} on")]
    Range { bytes: usize, offset: usize, wanted: usize },
}

impl GpuError {
    /// Whether it says that there is no GPU, as on most machines.
    pub fn is_absence(&self) -> bool {
        const NO_DEVICE: u32 = 100;
        match self {
            Self::Library(LibraryError::Missing { .. }) | Self::NoDevice { .. } => true,
            Self::Cuda(error) => error.code == NO_DEVICE,
            _ => false,
        }
    }

    /// What can be hoped for after it.
    pub fn severity(&self) -> Severity {
        match self {
            Self::Cuda(error) | Self::Load { error, .. } => error.severity(),
            // A launch that is late may be behind the work of others.
            Self::NoDevice { .. } | Self::Timeout { .. } => Severity::Transient,
            // The GPU is abandoned.
            Self::Hangs { .. } => Severity::Sticky,
            _ => Severity::Permanent,
        }
    }
}

/// A log as further lines of a message.
fn quoted(log: &str) -> String {
    if log.trim().is_empty() { String::new() } else { format!("\n{}", log.trim_end()) }
}
