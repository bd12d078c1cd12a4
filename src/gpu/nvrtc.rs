//! NVRTC, NVIDIA's compiler as a library: found at run time under the names that JetPack 4 to 7 and CUDA 10.2 to 13
//! give it. <https://docs.nvidia.com/cuda/nvrtc/index.html>

mod entries;
mod job;

use std::ffi::CString;
use std::path::{Path, PathBuf};

use super::image::{Image, ImageKind};
use super::library::{Library, LibraryError, Wanted};
use entries::Entries;
use job::Job;

const LIBNVRTC: Wanted = Wanted {
    what: "the CUDA run-time compiler (libnvrtc)",
    names: &[
        "libnvrtc.so.13",
        "libnvrtc.so.12",
        "libnvrtc.so.11.2",
        "libnvrtc.so.11.1",
        "libnvrtc.so.11.0",
        "libnvrtc.so.10.2",
        "libnvrtc.so",
    ],
    folders: &[
        "/usr/local/cuda*/lib64",
        "/usr/local/cuda*/targets/aarch64-linux/lib",
        "/usr/local/cuda*/targets/x86_64-linux/lib",
    ],
};

/// Why a program was not compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// The log names file and line.
    #[error("NVRTC {}.{} refuses the sources of {program}:\n{}", version.0, version.1, log.trim_end())]
    Source { program: String, version: (u32, u32), log: String },
    #[error("{call} of NVRTC {}.{} answers {code} for {program}{}", version.0, version.1, quoted(log))]
    Nvrtc { program: String, call: &'static str, version: (u32, u32), code: u32, log: String },
    #[error("the sources of {program} hold a zero byte")]
    ZeroByte { program: String },
}

/// NVRTC, loaded.
#[derive(Debug)]
pub struct Nvrtc {
    path: PathBuf,
    version: (u32, u32),
    architectures: Vec<u32>,
    entries: Entries,
}

impl Nvrtc {
    /// Loads libnvrtc from the places where it is usually kept, or from one file `only`.
    ///
    /// Errors: no library that can be loaded, or a missing symbol.
    pub fn load(only: Option<&Path>) -> Result<Self, LibraryError> {
        let library = Library::open(&LIBNVRTC, only)?;
        let entries = Entries::find(&library)?;
        let (version, architectures) = (entries.version(), entries.architectures());
        Ok(Self { path: library.into_path(), version, architectures, entries })
    }

    /// The file it was loaded from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Such as (10, 2).
    pub fn version(&self) -> (u32, u32) {
        self.version
    }

    /// Architectures that it compiles for, such as 62; empty before 11.2, which does not say.
    pub fn architectures(&self) -> &[u32] {
        &self.architectures
    }

    /// Whether it makes cubins.
    pub fn makes_cubins(&self) -> bool {
        self.entries.cubin.is_some()
    }

    /// Compiles `source`. The log is empty, or holds warnings.
    ///
    /// Errors: what the compiler says, with its log.
    pub fn compile(
        &self,
        program: &str,
        source: &str,
        options: &[String],
        kind: ImageKind,
    ) -> Result<(Image, String), CompileError> {
        const COMPILATION: u32 = 6;
        let version = self.version;
        let zero = |_| CompileError::ZeroByte { program: program.to_owned() };
        let c_string = |text: &str| CString::new(text).map_err(zero);
        let error = |call, code, log| CompileError::Nvrtc { program: program.to_owned(), call, version, code, log };
        let options = options.iter().map(|option| c_string(option)).collect::<Result<Vec<_>, _>>()?;

        let job = Job::new(&self.entries, &c_string(program)?, &c_string(source)?)
            .map_err(|code| error("nvrtcCreateProgram", code, String::new()))?;
        let compiled = job.compile(&options);
        let log = job.log();
        match compiled {
            Ok(()) => {}
            Err(COMPILATION) => return Err(CompileError::Source { program: program.to_owned(), version, log }),
            Err(code) => return Err(error("nvrtcCompileProgram", code, log)),
        }
        let (kind, bytes) = match (kind, job.cubin()) {
            (ImageKind::Cubin, Some(cubin)) => (kind, cubin.map_err(|code| error("nvrtcGetCUBIN", code, log.clone()))?),
            _ => (ImageKind::Ptx, job.ptx().map_err(|code| error("nvrtcGetPTX", code, log.clone()))?),
        };
        Ok((Image { kind, bytes: bytes.into() }, log))
    }
}

fn quoted(log: &str) -> String {
    if log.trim().is_empty() { String::new() } else { format!(":\n{}", log.trim_end()) }
}
