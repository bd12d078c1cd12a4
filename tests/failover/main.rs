//! The front end on a stub of libcuda: the same bits as on the CPU, whatever fails and whenever.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

mod again;
mod buffers;
mod campaign;
mod changes;
#[path = "../common/mod.rs"]
mod common;
#[path = "../emulator/mod.rs"]
mod emulator;
#[path = "../fakecuda/mod.rs"]
mod fakecuda;
#[path = "../detect/images.rs"]
#[allow(dead_code, reason = "one kind of image is enough here")]
mod images;
#[allow(dead_code, reason = "motions of the tests of tracking")]
#[path = "../track/motion.rs"]
mod motion;
mod objects;
mod start;
mod stream;
mod tool;

use std::path::PathBuf;
use std::time::Duration;

use vio_frontend::fallback::Backoff;
use vio_frontend::frame::Frame;
use vio_frontend::frontend::{Backend, FrameOutput, Frontend};
use vio_frontend::gpu::engine::EngineOptions;
use vio_frontend::image::GrayImage;
use vio_frontend::params::{Device, Params};

use fakecuda::FakeCuda;

/// Longest wait for a launch.
const LIMIT: Duration = Duration::from_millis(60);
/// The GPU is tried again with the very next frame.
const AT_ONCE: Backoff = Backoff { first: Duration::ZERO, longest: Duration::ZERO };

/// Few tracks on small images: enough to be born, followed, lost and found again.
fn params(device: Device) -> Params {
    Params { device, max_cnt: 24, detect_cnt: 48, min_dist: 6.0, publish_descriptors: true, ..Params::default() }
}

/// A texture that moves; between two images the light changes, or half is hidden.
fn images(size: (usize, usize), count: usize) -> Vec<GrayImage> {
    let image = |k: usize| {
        let mut image = motion::shifted_texture(size.0, size.1, 5, (2 * k, k));
        if k % 5 == 3 {
            image.pixels_mut().iter_mut().for_each(|pixel| *pixel /= 2);
        }
        image
    };
    (0..count).map(image).collect()
}

fn options(fake: &FakeCuda) -> EngineOptions {
    EngineOptions {
        libcuda: Some(fake.library()),
        libnvrtc: Some(PathBuf::from("no such compiler")),
        limit: LIMIT,
        upload_threads: 1,
        ..EngineOptions::from(&params(Device::Auto))
    }
}

fn on_the_stub(fake: &FakeCuda, params: Params) -> Frontend {
    Frontend::with_gpu(params, None, options(fake), AT_ONCE).unwrap()
}

fn process(frontend: &mut Frontend, k: usize, image: &GrayImage) -> FrameOutput {
    frontend.process(&Frame { stamp_ns: 50_000_000 * (k as i64 + 1), image: image.view() }).unwrap()
}

/// All of a frame's results, bits included: Debug prints floats so that they read back as they were.
fn results(frontend: &Frontend, output: &FrameOutput) -> String {
    let FrameOutput { stamp_ns, points, descriptors, lost, tracking, offered, restart, .. } = output;
    format!("{stamp_ns} {points:?} {descriptors:?} {lost:?} {tracking:?} {offered} {restart:?} {:?}", frontend.gain())
}

/// The results of the whole stream without a GPU.
fn on_the_cpu(params: &Params, images: &[GrayImage]) -> Vec<String> {
    let mut frontend = Frontend::new(Params { device: Device::Cpu, ..params.clone() }, None).unwrap();
    let mut run = |(k, image)| {
        let output = process(&mut frontend, k, image);
        assert_eq!((output.backend, &output.fallback), (Backend::Cpu, &None));
        results(&frontend, &output)
    };
    images.iter().enumerate().map(&mut run).collect()
}
