//! Streams on a GPU that works, and on one that fails once.

use std::time::{Duration, Instant};

use vio_frontend::fallback::State;
use vio_frontend::frontend::Backend;
use vio_frontend::params::{Device, HistogramMethod, Mode, Params, Prefilter};

use crate::fakecuda::FakeCuda;
use crate::{images, on_the_cpu, on_the_stub, params, process, results};

const SIZE: (usize, usize) = (97, 75);

#[test]
fn every_profile_gives_the_bits_of_the_cpu() {
    let images = images(SIZE, 8);
    let plain = params(Device::Cuda);
    let variants = [
        plain.clone(),
        Params { prefilter: Prefilter::Binomial3, ..plain.clone() },
        Params { histogram_method: HistogramMethod::Clahe, prefilter: Prefilter::Binomial3, ..plain.clone() },
        Params { mode: Mode::Detect, ..plain },
    ];
    for profile in ["tx2", "orin", "discrete"] {
        let fake = FakeCuda::new(profile);
        for params in &variants {
            let expected = on_the_cpu(params, &images);
            let mut frontend = on_the_stub(&fake, params.clone());
            for (k, (image, expected)) in images.iter().zip(&expected).enumerate() {
                let output = process(&mut frontend, k, image);
                assert_eq!(&results(&frontend, &output), expected, "{profile}, frame {k}");
                assert_eq!((output.backend, output.fallback), (Backend::Cuda, None));
            }
            drop(frontend);
            assert_eq!(fake.leaks(), Vec::<String>::new());
        }
    }
}

#[test]
fn a_failure_that_may_pass_costs_one_frame_on_the_cpu() {
    let images = images(SIZE, 8);
    let params = params(Device::Auto);
    let expected = on_the_cpu(&params, &images);
    let fake = FakeCuda::new("tx2");
    let mut frontend = on_the_stub(&fake, params);
    let mut backends = Vec::new();
    for (k, (image, expected)) in images.iter().zip(&expected).enumerate() {
        if k == 3 {
            fake.control(&["profile tx2", "fail cuLaunchKernel 1 2"]);
        }
        frontend.await_gpu(Duration::from_secs(10));
        let output = process(&mut frontend, k, image);
        assert_eq!(&results(&frontend, &output), expected, "frame {k}");
        let reason = "cuLaunchKernel answers 2 (CUDA_ERROR_OUT_OF_MEMORY)";
        assert_eq!(output.fallback.as_deref(), (k == 3).then_some(reason));
        backends.push(output.backend);
    }
    let mut wanted = [Backend::Cuda; 8];
    wanted[3] = Backend::Cpu;
    assert_eq!(backends, wanted);
    assert_eq!(frontend.gpu_report().failures, 1);
}

#[test]
fn a_kernel_that_hangs_is_left_behind_and_the_gpu_with_it() {
    let images = images(SIZE, 6);
    let params = params(Device::Auto);
    let expected = on_the_cpu(&params, &images);
    for launch in ["cuLaunchCooperativeKernel", "cuLaunchKernel"] {
        // A driver of its own: what hangs in one does so for good.
        let fake = FakeCuda::new("orin");
        let mut frontend = on_the_stub(&fake, params.clone());
        for (k, (image, expected)) in images.iter().zip(&expected).enumerate() {
            if k == 2 {
                fake.control(&["profile orin", &format!("hang {launch} 1")]);
            }
            frontend.await_gpu(Duration::from_secs(10));
            let start = Instant::now();
            let output = process(&mut frontend, k, image);
            assert_eq!(&results(&frontend, &output), expected, "frame {k}");
            assert_eq!(output.backend == Backend::Cuda, k < 2);
            assert!(start.elapsed() < Duration::from_secs(1), "the frame waits for what hangs");
        }
        let report = frontend.gpu_report();
        assert_eq!((report.state, report.failures), (State::Lost, 1));
        assert_eq!(report.why_not.as_deref(), Some("the device has not ended its work after 2s: it hangs"));
    }
}

#[test]
fn a_gpu_that_is_lost_is_lost_until_the_end_and_is_told_once() {
    let images = images(SIZE, 6);
    let params = params(Device::Cuda);
    let expected = on_the_cpu(&params, &images);
    let fake = FakeCuda::new("discrete");
    let mut frontend = on_the_stub(&fake, params);
    for (k, (image, expected)) in images.iter().zip(&expected).enumerate() {
        if k == 2 {
            fake.control(&["profile discrete", "lose cuLaunchKernel 1 700"]);
        }
        let output = process(&mut frontend, k, image);
        assert_eq!(&results(&frontend, &output), expected, "frame {k}");
        assert_eq!(output.fallback.is_some(), k == 2);
    }
    assert_eq!(frontend.gpu_report().state, State::Lost);
    assert_eq!(fake.count("cuCtxCreate_v2"), 0, "not opened again");
}
