//! Copies whose bytes go to memory around the caches of the CPU: a device on a bus reads memory sooner than lines that a
//! cache holds modified.
#![allow(unsafe_code, reason = "copies between memory that others own")]

/// Copies `bytes` bytes, complete for devices when it returns.
///
/// # Safety
/// Both ranges hold as many, apart from each other; nobody else writes to either meanwhile.
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
    const LINE: usize = 64;
    const LANE: usize = size_of::<__m128i>();
    let lines = if to.align_offset(LANE) == 0 { bytes / LINE } else { 0 };
    for line in 0..lines {
        let at = line * LINE;
        // SAFETY: the line lies within both ranges, and `to` is aligned. SSE2 is part of every x86-64.
        unsafe {
            let lanes = [0, 1, 2, 3].map(|lane| _mm_loadu_si128(from.add(at + lane * LANE).cast()));
            for (lane, value) in lanes.into_iter().enumerate() {
                _mm_stream_si128(to.add(at + lane * LANE).cast(), value);
            }
        }
    }
    let done = lines * LINE;
    // SAFETY: the rest of both ranges; what was streamed is ordered before whatever tells of it.
    unsafe {
        std::ptr::copy_nonoverlapping(from.add(done), to.add(done), bytes - done);
        _mm_sfence();
    }
}

/// As any other copy: the GPUs of these systems share the memory, or nobody has measured.
///
/// # Safety
/// Both ranges hold as many, apart from each other; nobody else writes to either meanwhile.
#[cfg(not(target_arch = "x86_64"))]
pub(super) unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: passed on to the caller.
    unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
}
