//! The offline tool as its users meet it: the built program, its files, its exit status and its messages.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests fail by panicking")]

mod bad_input;
mod bench;
mod compare;
mod detect;
mod disk;
mod eval;
mod params;
mod replay;
mod synth;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a finished program left.
struct Outcome {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Outcome {
    /// The program did its work, or says why not.
    #[track_caller]
    fn succeeded(self) -> Self {
        assert_eq!(self.code, 0, "stderr: {}", self.stderr);
        self
    }

    /// The program failed with status 2 and one line of error that holds all `parts`.
    #[track_caller]
    fn refused(self, parts: &[&str]) -> Self {
        assert_eq!(self.code, 2, "stdout: {} stderr: {}", self.stdout, self.stderr);
        let errors: Vec<&str> = self.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
        assert_eq!(errors.len(), 1, "{}", self.stderr);
        for part in parts {
            assert!(errors[0].contains(part), "'{part}' is not in: {}", errors[0]);
        }
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self
    }
}

fn tool(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vio_frontend"));
    command.args(arguments).env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

fn finish(command: &mut Command) -> Outcome {
    let output = command.output().unwrap();
    Outcome {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn run(arguments: &[&str]) -> Outcome {
    finish(&mut tool(arguments))
}

/// Grey blocks of pseudo-random brightness, moved by `shift` pixels: corners everywhere.
fn texture(width: u32, height: u32, shift: u32) -> image::GrayImage {
    image::GrayImage::from_fn(width, height, |x, y| {
        let block = ((x + shift) / 7) ^ ((y / 5) << 10);
        image::Luma([(block.wrapping_mul(2_654_435_761) >> 24) as u8])
    })
}

/// A folder `images` with `frames` textures of 160 x 120 pixels.
fn sequence(folder: &Path, frames: u32) -> PathBuf {
    let images = folder.join("images");
    fs::create_dir_all(&images).unwrap();
    for frame in 0..frames {
        texture(160, 120, 3 * frame).save(images.join(format!("{frame}.png"))).unwrap();
    }
    images
}

fn params_file(folder: &Path, lines: &[&str]) -> PathBuf {
    let path = folder.join("params.yaml");
    fs::write(&path, format!("/**:\n  ros__parameters:\n    {}\n", lines.join("\n    "))).unwrap();
    path
}

fn summary(out: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(out.join("summary.json")).unwrap()).unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
