//! Every call of the driver fails once, at start and at every frame, with every kind of answer: nothing is lost.

use std::collections::BTreeMap;
use std::time::Duration;

use vio_frontend::fallback::State;
use vio_frontend::gpu::{CudaError, Severity};
use vio_frontend::image::GrayImage;
use vio_frontend::params::{Device, Params};

use crate::fakecuda::FakeCuda;
use crate::{images, on_the_cpu, on_the_stub, params, process, results};

/// Two tiles, so two blocks: the smallest stream on which blocks have to meet.
const SIZE: (usize, usize) = (64, 32);
const FRAMES: usize = 3;
/// What a driver may answer: invalid value, out of memory, no device, invalid image, no binary for the GPU, JIT failed,
/// not found, not ready, illegal address, too many resources, time-out, launch failed, not supported, unknown.
const CODES: [u32; 14] = [1, 2, 100, 200, 209, 218, 500, 600, 700, 701, 702, 719, 801, 999];

/// What a stream went through.
#[derive(Debug, Default)]
struct Tally {
    faults: usize,
    on_cpu_from_the_start: usize,
    frames_given_up: u64,
    came_back: usize,
    lost: usize,
    by_call: BTreeMap<String, usize>,
}

/// Runs the stream under one fault, and compares every frame with that of the CPU.
fn run(fake: &FakeCuda, params: &Params, images: &[GrayImage], expected: &[String], tally: &mut Tally) {
    let mut frontend = on_the_stub(fake, params.clone());
    let was_open = matches!(frontend.gpu_report().state, State::Working { .. });
    for (k, (image, expected)) in images.iter().zip(expected).enumerate() {
        frontend.await_gpu(Duration::from_secs(10));
        let output = process(&mut frontend, k, image);
        assert_eq!(&results(&frontend, &output), expected, "frame {k}");
    }
    let report = frontend.gpu_report();
    tally.faults += 1;
    tally.on_cpu_from_the_start += usize::from(!was_open);
    tally.frames_given_up += report.failures;
    tally.came_back += usize::from(report.failures > 0 && matches!(report.state, State::Working { .. }));
    tally.lost += usize::from(was_open && report.state == State::Lost);
}

/// All calls of a stream on which nothing fails, each with its number among those of its name.
fn calls(fake: &FakeCuda, profile: &str, params: &Params, images: &[GrayImage]) -> Vec<(String, usize)> {
    fake.control(&[&format!("profile {profile}")]);
    let expected = on_the_cpu(params, images);
    run(fake, params, images, &expected, &mut Tally::default());
    fake.numbered_calls()
}

/// Every `stride`-th pair of a call and a code, from `first` on.
fn campaign(profile: &str, first: usize, stride: usize) -> Tally {
    let (params, images) = (params(Device::Auto), images(SIZE, FRAMES));
    let expected = on_the_cpu(&params, &images);
    let fake = FakeCuda::new(profile);
    let calls = calls(&fake, profile, &params, &images);
    // Every other call follows one that makes the context current: a quarter of these will do.
    let calls = calls.iter().filter(|(name, nth)| name != "cuCtxSetCurrent" || nth % 4 == 0);
    let pairs = calls.flat_map(|call| CODES.map(|code| (call, code)));
    let mut tally = Tally::default();
    for ((name, nth), code) in pairs.skip(first).step_by(stride) {
        let fault = format!("fail {name} {nth} {code}");
        println!("{profile}: {fault}");
        fake.control(&[&format!("profile {profile}"), &fault]);
        run(&fake, &params, &images, &expected, &mut tally);
        *tally.by_call.entry(name.clone()).or_default() += 1;
        let error = CudaError { call: "", code, name: String::new() };
        let releases = ["Destroy", "Free", "Unload", "SetCurrent"].iter().any(|part| name.contains(part));
        // What cannot be released any more, or whose release was refused, stays with the driver.
        if error.severity() != Severity::Sticky && !releases {
            assert_eq!(fake.leaks(), Vec::<String>::new(), "{profile}: {fault}");
        }
    }
    println!("{profile}: {} faults: {tally:?}", tally.faults);
    tally
}

/// Every kind of end was met.
#[track_caller]
fn assert_wide(tally: &Tally, faults: usize) {
    assert!(tally.faults >= faults && tally.by_call.len() >= 15, "{tally:?}");
    let ends = [tally.on_cpu_from_the_start, tally.frames_given_up as usize, tally.came_back, tally.lost];
    assert!(ends.iter().all(|&count| count > faults / 40), "{tally:?}");
}

#[test]
fn a_sample_of_all_faults_changes_no_bit() {
    assert_wide(&campaign("tx2", 3, 43), 50);
}

// The strides have no divisor in common with the number of codes, so that every call meets every code in one of them.
#[test]
#[ignore = "minutes: make test-failover"]
fn a_third_of_a_thousand_faults_on_a_tx2_changes_no_bit() {
    assert_wide(&campaign("tx2", 0, 9), 334);
}

#[test]
#[ignore = "minutes: make test-failover"]
fn a_third_of_a_thousand_faults_on_an_orin_changes_no_bit() {
    assert_wide(&campaign("orin", 1, 9), 334);
}

#[test]
#[ignore = "minutes: make test-failover"]
fn a_third_of_a_thousand_faults_on_a_discrete_card_changes_no_bit() {
    assert_wide(&campaign("discrete", 2, 9), 334);
}
