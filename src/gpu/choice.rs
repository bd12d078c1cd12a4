//! Which compiled form a device gets: PTX, a cubin, or the PTX that is kept in this program.

use std::fmt;

use super::image::ImageKind;

/// What has to run the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Of the device, such as 62.
    pub architecture: u32,
    /// CUDA version of the driver.
    pub driver: (u32, u32),
}

/// What a compiler can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abilities {
    pub version: (u32, u32),
    /// Architectures that it lists; empty where it does not say.
    pub architectures: Vec<u32>,
    pub cubins: bool,
}

/// The way from sources to the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Compile for this architecture.
    Compile { kind: ImageKind, architecture: u32 },
    /// Take the kept PTX.
    Kept { reason: Reason },
}

/// Why the sources are not compiled here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// There is no NVRTC: the message says what was tried.
    NoCompiler(String),
    /// It writes PTX that the driver does not know, and no cubin that it could load.
    TooNew { compiler: (u32, u32), driver: (u32, u32) },
    /// It no longer knows the device.
    NoArchitecture { compiler: (u32, u32), architecture: u32 },
    /// It was tried and failed.
    Failed(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCompiler(message) | Self::Failed(message) => f.write_str(message),
            Self::TooNew { compiler, driver } => write!(
                f,
                "NVRTC {}.{} is too new for the driver, which knows CUDA {}.{}",
                compiler.0, compiler.1, driver.0, driver.1
            ),
            Self::NoArchitecture { compiler, architecture } => {
                write!(f, "NVRTC {}.{} does not compile for compute_{architecture}", compiler.0, compiler.1)
            }
        }
    }
}

impl Choice {
    /// PTX where the driver is at least as new as the compiler; else, within a major version, a cubin, which drivers
    /// load across minor versions; else the kept PTX.
    pub fn new(compiler: &Abilities, target: Target) -> Self {
        let Abilities { version, architectures, cubins } = compiler;
        let own = target.architecture;
        let listed = architectures.is_empty() || architectures.contains(&own);
        if *version <= target.driver {
            // A device that is newer than the compiler runs the PTX of the nearest older architecture.
            let nearest = architectures.iter().copied().filter(|&listed| listed <= own).max();
            return match if listed { Some(own) } else { nearest } {
                Some(architecture) => Self::Compile { kind: ImageKind::Ptx, architecture },
                None => Self::Kept { reason: Reason::NoArchitecture { compiler: *version, architecture: own } },
            };
        }
        if version.0 != target.driver.0 || !cubins {
            return Self::Kept { reason: Reason::TooNew { compiler: *version, driver: target.driver } };
        }
        if !listed {
            return Self::Kept { reason: Reason::NoArchitecture { compiler: *version, architecture: own } };
        }
        Self::Compile { kind: ImageKind::Cubin, architecture: own }
    }
}

/// What the compiler is told: the common options, then the architecture, virtual for PTX, real for a cubin.
pub fn options(kind: ImageKind, architecture: u32) -> Vec<String> {
    let prefix = match kind {
        ImageKind::Ptx => "compute",
        ImageKind::Cubin => "sm",
    };
    let mut options: Vec<String> = super::sources::OPTIONS.map(str::to_owned).to_vec();
    options.push(format!("--gpu-architecture={prefix}_{architecture}"));
    options
}
