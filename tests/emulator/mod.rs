//! Runs CUDA kernels on the CPU, for tests: a child process that is built from `tests/emulation/` and the kernels.
//! A kernel that fails (a data race, an access out of bounds, a deadlock) costs that process, not the test.
#![allow(dead_code, unused_imports, reason = "each test binary uses its own part")]

pub mod build;
mod process;
mod request;

use std::fmt;
use std::path::PathBuf;

pub use build::{Build, Sanitizer};
use process::Process;
pub use request::{Place, Relocation, Request, Schedule};

/// An emulated device. Launches of one `Emulator` share a process until a kernel fails.
pub struct Emulator {
    program: PathBuf,
    process: Option<Process>,
    fixed_addresses: bool,
}

impl Emulator {
    /// Of the project's own kernels.
    ///
    /// # Errors
    /// What the compiler said, or that there is none.
    pub fn build(sanitizer: Sanitizer) -> Result<Self, String> {
        Self::build_with(&Build::new(sanitizer))
    }

    /// # Errors
    /// What the compiler said, or that there is none.
    pub fn build_with(build: &Build) -> Result<Self, String> {
        Ok(Self { program: build.run()?, process: None, fixed_addresses: false })
    }

    /// The executable, to be run with `--abi`.
    pub fn program(&self) -> &std::path::Path {
        &self.program
    }

    /// Runs `kernel` and replaces the contents of `buffers`.
    ///
    /// # Errors
    /// What is wrong with the request, or with the kernel: the message or the sanitizer's report, with the thread. The
    /// buffers then hold what they did.
    #[allow(clippy::too_many_arguments, reason = "what a launch consists of")]
    pub fn launch(
        &mut self,
        kernel: &str,
        grid: u32,
        block: u32,
        schedule: Schedule,
        buffers: &mut [Vec<u8>],
        args: &[u8],
        relocations: &[Relocation],
    ) -> Result<(), String> {
        let grid = [grid, 1, 1];
        let block = [block, 1, 1];
        self.run(&Request { kernel, grid, block, schedule, args, relocations }, buffers)
    }

    /// The same with all three sides of grid and blocks.
    ///
    /// # Errors
    /// As `launch`.
    pub fn run(&mut self, request: &Request<'_>, buffers: &mut [Vec<u8>]) -> Result<(), String> {
        let bytes = request.encode(buffers);
        let words = match self.attempt(&bytes, buffers)? {
            Outcome::Reply(reply) => return reply,
            Outcome::Ended(words) => words,
        };
        // ThreadSanitizer of gcc 12 gives up where the kernel randomises more address bits than it knew of.
        if self.fixed_addresses || !words.contains("unexpected memory mapping") {
            return Err(words);
        }
        self.fixed_addresses = true;
        match self.attempt(&bytes, buffers)? {
            Outcome::Reply(reply) => reply,
            Outcome::Ended(words) => Err(words),
        }
    }

    fn attempt(&mut self, request: &[u8], buffers: &mut [Vec<u8>]) -> Result<Outcome, String> {
        let mut process = match self.process.take() {
            Some(process) => process,
            None => Process::start(&self.program, self.fixed_addresses)?,
        };
        Ok(match process.exchange(request, buffers) {
            Ok(reply) => {
                self.process = Some(process);
                Outcome::Reply(reply)
            }
            Err(_) => Outcome::Ended(process.last_words()),
        })
    }
}

enum Outcome {
    Reply(Result<(), String>),
    /// The process ended; its last words.
    Ended(String),
}

impl fmt::Debug for Emulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Emulator").field("program", &self.program).finish_non_exhaustive()
    }
}
