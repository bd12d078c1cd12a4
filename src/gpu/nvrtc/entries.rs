//! The entry points of libnvrtc, found one by one. nvrtcResult is the number that it is.
#![allow(unsafe_code, reason = "calls NVRTC")]

use std::ffi::{c_char, c_int};

use cudarc::nvrtc::sys::nvrtcProgram;

use crate::gpu::library::{Library, LibraryError};

pub(super) type GetSize = unsafe extern "C" fn(nvrtcProgram, *mut usize) -> u32;
pub(super) type GetBytes = unsafe extern "C" fn(nvrtcProgram, *mut c_char) -> u32;
type Number = unsafe extern "C" fn(*mut c_int) -> u32;
type Strings = *const *const c_char;

#[derive(Debug)]
pub(super) struct Entries {
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> u32,
    /// Program, source, name, number of headers, headers, their names.
    pub(super) create:
        unsafe extern "C" fn(*mut nvrtcProgram, *const c_char, *const c_char, c_int, Strings, Strings) -> u32,
    pub(super) destroy: unsafe extern "C" fn(*mut nvrtcProgram) -> u32,
    pub(super) compile: unsafe extern "C" fn(nvrtcProgram, c_int, Strings) -> u32,
    pub(super) log: (GetSize, GetBytes),
    pub(super) ptx: (GetSize, GetBytes),
    /// From 11.1 on.
    pub(super) cubin: Option<(GetSize, GetBytes)>,
    /// From 11.2 on: how many architectures there are, and which.
    architectures: Option<(Number, Number)>,
}

impl Entries {
    pub(super) fn find(library: &Library) -> Result<Self, LibraryError> {
        // SAFETY: the types are those of nvrtc.h.
        unsafe {
            Ok(Self {
                version: library.symbol("nvrtcVersion")?,
                create: library.symbol("nvrtcCreateProgram")?,
                destroy: library.symbol("nvrtcDestroyProgram")?,
                compile: library.symbol("nvrtcCompileProgram")?,
                log: (library.symbol("nvrtcGetProgramLogSize")?, library.symbol("nvrtcGetProgramLog")?),
                ptx: (library.symbol("nvrtcGetPTXSize")?, library.symbol("nvrtcGetPTX")?),
                cubin: library.symbol("nvrtcGetCUBINSize").ok().zip(library.symbol("nvrtcGetCUBIN").ok()),
                architectures: library
                    .symbol("nvrtcGetNumSupportedArchs")
                    .ok()
                    .zip(library.symbol("nvrtcGetSupportedArchs").ok()),
            })
        }
    }

    /// Such as (10, 2); (0, 0) if it does not say.
    pub(super) fn version(&self) -> (u32, u32) {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: written to locals.
        unsafe { (self.version)(&mut major, &mut minor) };
        (major.max(0).unsigned_abs(), minor.max(0).unsigned_abs())
    }

    /// Those that it compiles for, such as 62; empty if it does not say.
    pub(super) fn architectures(&self) -> Vec<u32> {
        let Some((number, list)) = self.architectures else { return Vec::new() };
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
        values.into_iter().map(|value: c_int| value.max(0).unsigned_abs()).collect()
    }
}
