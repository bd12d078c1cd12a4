//! Objects that come and go: the stub of a GPU masks what the CPU masks, through a failure as well.

use std::time::Duration;

use vio_frontend::frontend::{Backend, Frontend};
use vio_frontend::image::GrayImage;
use vio_frontend::mask::Objects;
use vio_frontend::params::{Device, Params};
use vio_frontend::tracks::LossReason;

use crate::fakecuda::FakeCuda;
use crate::{images, on_the_stub, params, process, results};

const SIZE: (usize, usize) = (97, 75);

/// The stream, an object crossing it from the second image on; `before` is called before each frame.
fn run(frontend: &mut Frontend, images: &[GrayImage], before: impl Fn(usize, &mut Frontend)) -> Vec<String> {
    let mut frames = Vec::new();
    for (k, image) in images.iter().enumerate() {
        if (2..6).contains(&k) {
            let x = 8.0 * k as f32;
            let (stamp_ns, size) = (50_000_000 * (k as i64 + 1), [97, 75]);
            frontend.set_objects(Objects { stamp_ns, size, boxes: vec![[x, 20.0, x + 24.5, 60.0]] });
        }
        before(k, frontend);
        let output = process(frontend, k, image);
        let masked = output.lost.iter().filter(|lost| lost.reason == LossReason::Object).count();
        frames.push(format!("{masked} {}", results(frontend, &output)));
    }
    frames
}

#[test]
fn the_bits_are_those_of_the_cpu_whoever_works() {
    let (images, params) =
        (images(SIZE, 9), Params { detector_max_age_s: 0.1, detector_dilate_px: 3.0, ..params(Device::Auto) });
    let mut cpu = Frontend::new(Params { device: Device::Cpu, ..params.clone() }, None).unwrap();
    let expected = run(&mut cpu, &images, |_, _| {});
    assert!(expected.iter().any(|frame| !frame.starts_with('0')), "no track was on the object");
    for profile in ["tx2", "discrete"] {
        let fake = FakeCuda::new(profile);
        let mut frontend = on_the_stub(&fake, params.clone());
        let found = run(&mut frontend, &images, |k, frontend| {
            if k == 4 {
                fake.control(&[&format!("profile {profile}"), "fail cuLaunchKernel 1 2"]);
            }
            frontend.await_gpu(Duration::from_secs(10));
            assert_eq!(frontend.backend() == Backend::Cuda, k != 5, "frame {k}");
        });
        assert_eq!(found, expected, "{profile}");
        assert_eq!(frontend.gpu_report().failures, 1);
    }
}
