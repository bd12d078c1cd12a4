//! Frames from image buffers, which the GPU reads where they lie: the same bits, also where it fails and is opened again.

use std::time::Duration;

use vio_frontend::frame::Frame;
use vio_frontend::frontend::Backend;
use vio_frontend::image::{GrayImage, ImageBuffer};
use vio_frontend::params::{Device, Params};

use crate::fakecuda::FakeCuda;
use crate::{images, on_the_cpu, on_the_stub, params, results};

const SIZE: (usize, usize) = (97, 75);

fn buffer() -> ImageBuffer {
    ImageBuffer::new(SIZE.0 as u32, SIZE.1 as u32, "mono8", false).unwrap()
}

/// Who worked on each frame; two buffers take turns, which hold no image but their own.
fn backends(fake: &FakeCuda, params: &Params, images: &[GrayImage], fault: (usize, &[&str])) -> Vec<Backend> {
    let expected = on_the_cpu(params, images);
    let (mut frontend, mut buffers) = (on_the_stub(fake, params.clone()), [buffer(), buffer()]);
    let mut backends = Vec::new();
    for (k, (image, expected)) in images.iter().zip(&expected).enumerate() {
        if k == fault.0 {
            fake.control(fault.1);
        }
        frontend.await_gpu(Duration::from_secs(10));
        let buffer = &mut buffers[k % 2];
        buffer.copy_from(&image.view()).unwrap();
        let output = frontend.process(&Frame { stamp_ns: 50_000_000 * (k as i64 + 1), image: buffer.view() }).unwrap();
        assert_eq!(&results(&frontend, &output), expected, "{fault:?}, frame {k}");
        backends.push(output.backend);
    }
    backends
}

#[test]
fn frames_from_buffers_have_the_bits_of_the_cpu_on_every_profile() {
    let (images, params) = (images(SIZE, 6), params(Device::Auto));
    for profile in ["tx2", "orin", "discrete"] {
        let fake = FakeCuda::new(profile);
        let worked = backends(&fake, &params, &images, (9, &[]));
        assert_eq!(worked, [Backend::Cuda; 6], "{profile}");
        // The buffers, and three memories for results, of the frames and of the trial when the GPU is opened.
        let locked = if profile == "tx2" { 0 } else { 2 + 2 * 3 };
        assert_eq!(fake.count("cuMemHostRegister_v2"), locked, "{profile}");
        assert_eq!(fake.leaks(), Vec::<String>::new());
    }
}

#[test]
fn a_buffer_serves_gpu_and_cpu_whatever_fails() {
    let (images, params) = (images(SIZE, 6), params(Device::Auto));
    for (fault, back) in [
        // Opened again, where it is locked anew.
        ("fail cuLaunchKernel 1 2", true),
        ("lose cuLaunchCooperativeKernel 1 2", true),
        ("late cuLaunchCooperativeKernel 1", true),
        // Lost, or left behind with all that it may still read.
        ("lose cuLaunchCooperativeKernel 1 719", false),
        ("hang cuLaunchCooperativeKernel 1", false),
    ] {
        let fake = FakeCuda::new("orin");
        let worked = backends(&fake, &params, &images, (2, &["profile orin", fault]));
        let last = if back { Backend::Cuda } else { Backend::Cpu };
        assert_eq!((worked[1], worked[5]), (Backend::Cuda, last), "{fault}: {worked:?}");
    }
}
