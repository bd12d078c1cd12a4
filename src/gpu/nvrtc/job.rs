//! One compilation: a program of NVRTC from its creation to its end. Errors are the numbers of nvrtcResult.
#![allow(unsafe_code, reason = "calls NVRTC")]

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;

use cudarc::nvrtc::sys::nvrtcProgram;

use super::entries::{Entries, GetBytes, GetSize};

#[derive(Debug)]
pub(super) struct Job<'a> {
    entries: &'a Entries,
    program: nvrtcProgram,
}

impl<'a> Job<'a> {
    pub(super) fn new(entries: &'a Entries, name: &CStr, source: &CStr) -> Result<Self, u32> {
        let mut job = Self { entries, program: ptr::null_mut() };
        // SAFETY: written to a local; source and name end with zeros and are copied; no headers.
        let code =
            unsafe { (entries.create)(&mut job.program, source.as_ptr(), name.as_ptr(), 0, ptr::null(), ptr::null()) };
        if code == 0 { Ok(job) } else { Err(code) }
    }

    pub(super) fn compile(&self, options: &[CString]) -> Result<(), u32> {
        let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: the program is alive; as many options as are said, each ended by a zero, alive during the call.
        let code = unsafe { (self.entries.compile)(self.program, options.len() as c_int, options.as_ptr()) };
        if code == 0 { Ok(()) } else { Err(code) }
    }

    /// What the compiler said; empty if it does not tell.
    pub(super) fn log(&self) -> String {
        text(&self.bytes(self.entries.log).unwrap_or_default())
    }

    /// PTX, without the zero at its end.
    pub(super) fn ptx(&self) -> Result<Vec<u8>, u32> {
        let mut bytes = self.bytes(self.entries.ptx)?;
        bytes.truncate(bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len()));
        Ok(bytes)
    }

    /// Machine code; `None` where NVRTC makes none.
    pub(super) fn cubin(&self) -> Option<Result<Vec<u8>, u32>> {
        self.entries.cubin.map(|functions| self.bytes(functions))
    }

    /// What two functions, for size and contents, yield.
    fn bytes(&self, (size, get): (GetSize, GetBytes)) -> Result<Vec<u8>, u32> {
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

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches(['\0', '\n', ' ']).to_owned()
}
