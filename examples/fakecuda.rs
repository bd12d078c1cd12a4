//! A libcuda without a GPU, for programs that are run by hand: `fakecuda FOLDER [PROFILE]`, where PROFILE is `tx2`,
//! `orin` or `discrete`.
//!
//!     cargo run --example fakecuda -- stub
//!     LD_LIBRARY_PATH=stub vio_frontend replay synth:room --max-frames 5 --device cuda --out stub_run
//!
//! `tests/fakecuda/README.md` says what it does and how it is told to fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "shared with tests")]

#[path = "../tests/emulator/mod.rs"]
mod emulator;
#[path = "../tests/fakecuda/mod.rs"]
mod fakecuda;

use std::path::Path;
use std::process::ExitCode;

fn main() -> std::io::Result<ExitCode> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (folder, profile) = match args.as_slice() {
        [folder] => (folder, "tx2"),
        [folder, profile] => (folder, profile.as_str()),
        _ => {
            eprintln!("usage: fakecuda FOLDER [tx2 | orin | discrete]");
            return Ok(ExitCode::from(2));
        }
    };
    let fake = fakecuda::FakeCuda::new(profile);
    std::fs::create_dir_all(folder)?;
    for name in ["libcuda.so.1", "control.txt"] {
        std::fs::copy(fake.folder().join(name), Path::new(folder).join(name))?;
    }
    Ok(ExitCode::SUCCESS)
}
