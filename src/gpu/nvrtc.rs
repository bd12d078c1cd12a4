//! NVRTC, NVIDIA's compiler as a library: found at run time under the names that JetPack 4 to 7 and CUDA 10.2 to 13
//! give it. <https://docs.nvidia.com/cuda/nvrtc/index.html>
#![allow(unsafe_code, reason = "calls NVRTC")]

use std::ffi::{CString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::ptr;

use cudarc::nvrtc::sys::nvrtcProgram;

use super::image::{Image, ImageKind};
use super::library::{Library, LibraryError, Wanted};

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

type GetSize = unsafe extern "C" fn(nvrtcProgram, *mut usize) -> u32;
type GetBytes = unsafe extern "C" fn(nvrtcProgram, *mut c_char) -> u32;

#[derive(Debug)]
struct Entries {
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> u32,
    create: unsafe extern "C" fn(
        *mut nvrtcProgram,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> u32,
    destroy: unsafe extern "C" fn(*mut nvrtcProgram) -> u32,
    compile: unsafe extern "C" fn(nvrtcProgram, c_int, *const *const c_char) -> u32,
    log_size: GetSize,
    log: GetBytes,
    ptx_size: GetSize,
    ptx: GetBytes,
    /// From 11.1 on.
    cubin: Option<(GetSize, GetBytes)>,
}

impl Nvrtc {
    /// Loads libnvrtc from the places where it is usually kept, or from one file `only`.
    ///
    /// Errors: no library that can be loaded, or a missing symbol.
    pub fn load(only: Option<&Path>) -> Result<Self, LibraryError> {
        let library = Library::open(&LIBNVRTC, only)?;
        // SAFETY: the types are those of nvrtc.h, with nvrtcResult as the number that it is.
        let entries = unsafe {
            Entries {
                version: library.symbol("nvrtcVersion")?,
                create: library.symbol("nvrtcCreateProgram")?,
                destroy: library.symbol("nvrtcDestroyProgram")?,
                compile: library.symbol("nvrtcCompileProgram")?,
                log_size: library.symbol("nvrtcGetProgramLogSize")?,
                log: library.symbol("nvrtcGetProgramLog")?,
                ptx_size: library.symbol("nvrtcGetPTXSize")?,
                ptx: library.symbol("nvrtcGetPTX")?,
                cubin: library.symbol("nvrtcGetCUBINSize").ok().zip(library.symbol("nvrtcGetCUBIN").ok()),
            }
        };
        let (mut major, mut minor) = (0, 0);
        // SAFETY: written to locals.
        unsafe { (entries.version)(&mut major, &mut minor) };
        let architectures = architectures(&library);
        let version = (major.max(0).unsigned_abs(), minor.max(0).unsigned_abs());
        Ok(Self { path: library.leak(), version, architectures, entries })
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
        let zero = |_| CompileError::ZeroByte { program: program.to_owned() };
        let source = CString::new(source).map_err(zero)?;
        let name = CString::new(program).map_err(zero)?;
        let options: Vec<CString> =
            options.iter().map(|o| CString::new(o.as_str())).collect::<Result<_, _>>().map_err(zero)?;
        let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let error = |call, code, log| CompileError::Nvrtc {
            program: program.to_owned(),
            call,
            version: self.version,
            code,
            log,
        };

        let mut job = Job { entries: &self.entries, program: ptr::null_mut() };
        // SAFETY: source and name end with zeros; no headers.
        let code = unsafe {
            (self.entries.create)(&mut job.program, source.as_ptr(), name.as_ptr(), 0, ptr::null(), ptr::null())
        };
        if code != 0 {
            return Err(error("nvrtcCreateProgram", code, String::new()));
        }
        // SAFETY: as many options as are said, each with a zero at its end; they outlive the call.
        let code = unsafe { (self.entries.compile)(job.program, options.len() as c_int, options.as_ptr()) };
        let log = job.bytes(self.entries.log_size, self.entries.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log).into_owned();
        const COMPILATION: u32 = 6;
        match code {
            0 => {}
            COMPILATION => {
                return Err(CompileError::Source { program: program.to_owned(), version: self.version, log });
            }
            _ => return Err(error("nvrtcCompileProgram", code, log)),
        }
        let (call, get) = match (kind, self.entries.cubin) {
            (ImageKind::Cubin, Some(get)) => ("nvrtcGetCUBIN", get),
            _ => ("nvrtcGetPTX", (self.entries.ptx_size, self.entries.ptx)),
        };
        let kind = if call == "nvrtcGetPTX" { ImageKind::Ptx } else { ImageKind::Cubin };
        let mut bytes = job.bytes(get.0, get.1).map_err(|code| error(call, code, log.clone()))?;
        if kind == ImageKind::Ptx {
            bytes.truncate(bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len()));
        }
        Ok((Image { kind, bytes: bytes.into() }, log.trim_end_matches('\0').to_owned()))
    }
}

/// A program of NVRTC, destroyed in the end.
struct Job<'a> {
    entries: &'a Entries,
    program: nvrtcProgram,
}

impl Job<'_> {
    /// What two functions, for size and contents, yield.
    fn bytes(&self, size: GetSize, get: GetBytes) -> Result<Vec<u8>, u32> {
        let mut length = 0;
        // SAFETY: the program is alive; written to a local.
        match unsafe { size(self.program, &mut length) } {
            0 => {}
            code => return Err(code),
        }
        let mut bytes = vec![0u8; length];
        // SAFETY: as long as `size` has just said.
        match unsafe { get(self.program, bytes.as_mut_ptr().cast()) } {
            0 => Ok(bytes),
            code => Err(code),
        }
    }
}

impl Drop for Job<'_> {
    fn drop(&mut self) {
        if !self.program.is_null() {
            // SAFETY: created once, destroyed once.
            unsafe { (self.entries.destroy)(&mut self.program) };
        }
    }
}

/// What nvrtcGetSupportedArchs lists, where it exists (11.2 on).
fn architectures(library: &Library) -> Vec<u32> {
    type Number = unsafe extern "C" fn(*mut c_int) -> u32;
    // SAFETY: the types are those of nvrtc.h.
    let found = unsafe {
        library.symbol::<Number>("nvrtcGetNumSupportedArchs").ok().zip(library.symbol("nvrtcGetSupportedArchs").ok())
    };
    let Some((number, list)): Option<(Number, Number)> = found else { return Vec::new() };
    let mut count = 0;
    // SAFETY: written to a local.
    if unsafe { number(&mut count) } != 0 {
        return Vec::new();
    }
    let mut values = vec![0; count.max(0).unsigned_abs() as usize];
    // SAFETY: as long as has just been said.
    if unsafe { list(values.as_mut_ptr()) } != 0 {
        return Vec::new();
    }
    values.into_iter().map(|value| value.max(0).unsigned_abs()).collect()
}

fn quoted(log: &str) -> String {
    if log.trim().is_empty() { String::new() } else { format!(":\n{}", log.trim_end()) }
}
