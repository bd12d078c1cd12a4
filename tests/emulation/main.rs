//! The emulation of CUDA kernels, tested on the kernels of `selftest.cu`: correct ones give the known results in every
//! grid, schedule and sanitizer; each kind of defect is reported with its thread, and nothing hangs.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod defects;
#[path = "../emulator/mod.rs"]
mod emulator;
mod results;

use emulator::{Emulator, Relocation, Schedule};

/// Launches a kernel of `selftest.cu`, blocks of `block` threads; its output.
fn selftest(
    emulator: &mut Emulator,
    kernel: &str,
    (grid, block): (u32, u32),
    schedule: Schedule,
    input: &[u32],
    output: usize,
    [count, mode]: [u32; 2],
) -> Result<Vec<u32>, String> {
    let bytes = input.iter().flat_map(|value| value.to_le_bytes()).collect();
    let mut buffers = [bytes, vec![0; 4 * output], vec![0; 4]];
    let mut args = vec![0; 24];
    args.extend(count.to_le_bytes());
    args.extend(mode.to_le_bytes());
    let relocations = [Relocation::arg(0, 0), Relocation::arg(8, 1), Relocation::arg(16, 2)];
    emulator.launch(kernel, grid, block, schedule, &mut buffers, &args, &relocations)?;
    let words = buffers[1].chunks_exact(4);
    Ok(words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
}
