//! Streams on which everything changes while calls fail: parameters, sizes, masks, restarts, refused frames.

use std::time::Duration;

use vio_frontend::fallback::State;
use vio_frontend::frame::Frame;
use vio_frontend::frontend::{Backend, Frontend};
use vio_frontend::image::GrayImage;
use vio_frontend::params::{Device, HistogramMethod, Mode, Params, Prefilter};

use crate::fakecuda::FakeCuda;
use crate::{on_the_stub, params, results};

const FRAMES: i64 = 40;
const SIZES: [(usize, usize); 3] = [(64, 32), (97, 75), (40, 61)];
/// What leaves the process its GPU, unless it comes while the GPU is opened.
const FAULTS: [&str; 9] = [
    "fail cuLaunchCooperativeKernel 1 2",
    "fail cuLaunchKernel 1 701",
    "fail cuStreamQuery 1 801",
    "fail cuMemAlloc_v2 1 2",
    "fail cuMemHostAlloc 2 2",
    "fail cuCtxSetCurrent 3 1",
    "late cuLaunchCooperativeKernel 1",
    "late cuLaunchKernel 1",
    "lose cuLaunchKernel 1 1",
];

/// Knuth's linear congruential generator, its upper bits.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// One of `choices`.
fn of<T: Copy>(random: &mut Random, choices: &[T]) -> T {
    choices[random.below(choices.len() as u64) as usize]
}

/// Parameters of the next frames.
fn changed(random: &mut Random, before: Params) -> Params {
    let window = of(random, &[9, 21]);
    let choice = random.below(9);
    match choice {
        0 => Params { prefilter: of(random, &[Prefilter::None, Prefilter::Binomial3]), ..before },
        1 => {
            let methods = [HistogramMethod::None, HistogramMethod::Histogram, HistogramMethod::Clahe];
            Params { histogram_method: of(random, &methods), ..before }
        }
        2 | 3 => Params { pyramid_levels: of(random, &[1, 2, 3]), ..before },
        4 => Params { publish_descriptors: !before.publish_descriptors, ..before },
        5 => Params { max_cnt: of(random, &[1, 24, 60]), detect_cnt: of(random, &[0, 48, 300]), ..before },
        6 => Params { mode: of(random, &[Mode::Track, Mode::Detect]), ..before },
        7 => Params { mask_border_left: of(random, &[0, 9]), reacquire_frames: of(random, &[0, 5]), ..before },
        _ => Params { klt_win_size: window, flow_back: window > 9, illumination: window > 9, ..before },
    }
}

/// One stream; yields how many frames the GPU worked on, and how many it gave up.
fn run(profile: &str, seed: u64) -> (u64, u64) {
    let fake = FakeCuda::new(profile);
    let mut random = Random(seed);
    let mut parameters = params(Device::Auto);
    let mut cpu = Frontend::new(Params { device: Device::Cpu, ..parameters.clone() }, None).unwrap();
    let mut gpu = on_the_stub(&fake, parameters.clone());
    let (mut size, mut on_gpu) = (SIZES[0], 0);
    for k in 0..FRAMES {
        let what = random.below(20);
        let mut deeds = String::new();
        if what < 6 {
            parameters = changed(&mut random, parameters);
            cpu.set_params(Params { device: Device::Cpu, ..parameters.clone() }).unwrap();
            gpu.set_params(parameters.clone()).unwrap();
            deeds += &format!("{parameters:?}; ");
        }
        if what == 6 || what == 7 {
            size = of(&mut random, &SIZES);
        }
        if what == 8 {
            cpu.request_restart();
            gpu.request_restart();
        }
        if what == 9 || what == 10 {
            let mask = GrayImage::from_fn(size.0, size.1, |x, y| if (x / 9 + y / 7) % 5 == 0 { 0 } else { 255 });
            cpu.set_mask(mask.clone());
            gpu.set_mask(mask);
        }
        if random.below(3) == 0 {
            let fault = of(&mut random, &FAULTS);
            fake.control(&[&format!("profile {profile}"), fault]);
            deeds += fault;
        }
        if random.below(4) > 0 {
            gpu.await_gpu(Duration::from_secs(10));
        }
        let image = crate::motion::shifted_texture(size.0, size.1, 5, (2 * k as usize, k as usize));
        let refused = i64::from(what == 11 && k > 0);
        for stamp in (0..=refused).rev() {
            let frame = Frame { stamp_ns: 50_000_000 * (k + 1 - stamp), image: image.view() };
            let outcomes = [&mut cpu, &mut gpu].map(|frontend| {
                let outcome = frontend.process(&frame);
                let backend = outcome.as_ref().map(|output| output.backend).ok();
                let words = outcome.map(|output| results(frontend, &output)).map_err(|refusal| refusal.to_string());
                (words, backend, frontend.gray().clone())
            });
            let [(words, _, gray), (gpu_words, backend, gpu_gray)] = outcomes;
            assert_eq!(gpu_words, words, "{profile}, seed {seed}, frame {k}: {what} {deeds}");
            assert!(gray == gpu_gray, "{profile}, seed {seed}, frame {k}: {what} {deeds}");
            on_gpu += u64::from(backend == Some(Backend::Cuda));
        }
        if gpu.gpu_report().state == State::Lost {
            // What is permanent while the GPU is opened.
            break;
        }
    }
    let failures = gpu.gpu_report().failures;
    fake.control(&[&format!("profile {profile}")]);
    drop(gpu);
    (on_gpu, failures)
}

#[test]
fn whatever_changes_while_calls_fail_changes_no_bit() {
    let seeds = 2;
    for (profile, base) in [("tx2", 0), ("orin", 1000), ("discrete", 2000)] {
        let (mut on_gpu, mut given_up) = (0, 0);
        for seed in base..base + seeds {
            let (one, other) = run(profile, seed);
            (on_gpu, given_up) = (on_gpu + one, given_up + other);
        }
        assert!(on_gpu > 20 && given_up > 2, "{profile}: {on_gpu} frames on the GPU, {given_up} given up");
    }
}
