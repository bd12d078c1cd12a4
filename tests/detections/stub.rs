//! Post-processing from the kept PTX on a stub of libcuda gives the bits of the CPU, and every failure is told.
#![allow(unsafe_code, reason = "hands over addresses")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use vio_frontend::detections::plain::PlainPostprocessor;
use vio_frontend::detections::{Detections, Element, Layout, Letterbox, Plan, Refused, Settings, Tensor};
use vio_frontend::gpu::detections::{PostprocessError, Postprocessor};
use vio_frontend::gpu::program::Sources;
use vio_frontend::gpu::{
    Builder, Cache, Context, Device, DeviceBuffer, Driver, GpuError, Kernels, Nvrtc, Severity, Stream,
};

use crate::cases::{Case, Limits};
use crate::fakecuda::FakeCuda;

const LIMIT: Duration = Duration::from_millis(50);
const SMALL: Limits = Limits { anchors: 150, classes: &[1, 7, 40] };

fn device(fake: &FakeCuda) -> Result<Device, GpuError> {
    Device::open(&Driver::load(Some(&fake.library()))?, 0)
}

fn kernels(context: &Arc<Context>) -> Result<Kernels, GpuError> {
    let builder = Builder::new(Nvrtc::load(Some(Path::new("/nowhere/libnvrtc.so"))), Cache::disabled());
    let programs = Sources::Embedded.programs().unwrap();
    let program = programs.into_iter().find(|program| program.name == "detections").unwrap();
    Kernels::of(context, &builder, &[program])
}

fn open(fake: &FakeCuda, plan: Plan) -> Result<Postprocessor, GpuError> {
    let context = Context::new(device(fake)?)?;
    Postprocessor::new(&context, &kernels(&context)?, plan, LIMIT)
}

fn on_the_cpu(case: &Case) -> Result<Detections, Refused> {
    PlainPostprocessor::new(case.plan()).run(&case.tensor(), &case.letterboxes).cloned()
}

/// In bits, so that a NaN equals itself.
fn text(outcome: &Result<Detections, impl std::fmt::Debug>) -> String {
    let numbers = |d: &vio_frontend::detections::Detection| {
        ([d.x1, d.y1, d.x2, d.y2, d.score].map(f32::to_bits), d.class, d.anchor)
    };
    match outcome {
        Ok(found) => format!("{:?} {:?}", found.counts, found.boxes.iter().map(numbers).collect::<Vec<_>>()),
        Err(error) => format!("{error:?}"),
    }
}

#[test]
fn boxes_are_those_of_the_cpu_on_every_profile() {
    for profile in ["tx2", "orin", "discrete"] {
        let fake = FakeCuda::new(profile);
        for seed in 0..60 {
            let case = Case::random(seed, SMALL);
            let mut gpu = open(&fake, case.plan()).unwrap();
            let found = gpu.run(&case.tensor(), &case.letterboxes).cloned();
            assert_eq!(text(&found), text(&on_the_cpu(&case)), "{profile}, seed {seed}");
        }
        assert_eq!(fake.leaks(), Vec::<String>::new());
        assert_eq!(fake.count("cuLaunchCooperativeKernel"), 60);
    }
}

/// Tensors of one plan.
fn sequence() -> (Plan, Vec<Case>) {
    let settings = Settings { confidence: 0.1, ..Settings::new(Layout::Yolov8) };
    let case = |step: usize| {
        let value = |i: usize| if i % 900 < 400 { (i * 37 + step * 11) % 300 } else { (i * 53 + step * 29) % 101 };
        let scaled = |i: usize| value(i) as f32 / if i % 900 < 400 { 1.0 } else { 100.0 };
        let letterboxes = vec![Letterbox::fit([640, 400 + step as u32], [320, 320]); 2];
        Case::new(settings.clone(), [2, 9, 100], Element::F32, (0..1800).map(scaled).collect(), letterboxes)
    };
    let cases: Vec<Case> = (0..6).map(case).collect();
    (cases[0].plan(), cases)
}

#[test]
fn tensor_after_tensor_is_one_launch_and_a_refused_one_leaves_nothing_behind() {
    let (plan, mut cases) = sequence();
    cases[3] = cases[3].clone().with(1000, f32::NAN);
    let fake = FakeCuda::new("tx2");
    let mut gpu = open(&fake, plan).unwrap();
    for (i, case) in cases.iter().enumerate() {
        let outcome = match gpu.run(&case.tensor(), &case.letterboxes) {
            Ok(found) => Ok(found.clone()),
            Err(PostprocessError::Refused(refused)) => Err(refused),
            Err(error) => panic!("{error}"),
        };
        assert_eq!(text(&outcome), text(&on_the_cpu(case)), "tensor {i}");
        assert_eq!(outcome.is_err(), i == 3);
    }
    let calls = fake.calls();
    let launches = calls.iter().enumerate().filter(|(_, (name, _))| name == "cuLaunchCooperativeKernel");
    let at: Vec<usize> = launches.map(|(at, _)| at).collect();
    let names: Vec<&str> = calls[at[4]..at[5]].iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["cuLaunchCooperativeKernel", "cuCtxSetCurrent"]);
}

#[test]
fn a_tensor_on_the_device_is_taken_from_the_stream_of_its_network() {
    let (plan, cases) = sequence();
    let fake = FakeCuda::new("orin");
    {
        // The network's side: the primary context, a stream, its output.
        let theirs = Context::shared(device(&fake).unwrap()).unwrap();
        let stream = Stream::new(&theirs).unwrap();
        let output = DeviceBuffer::new(&theirs, plan.tensor_bytes()).unwrap();

        let context = Context::shared(device(&fake).unwrap()).unwrap();
        // SAFETY: the stream is of the device's primary context, and is dropped after what borrows it.
        let borrowed = unsafe { Stream::borrow(&context, stream.as_raw()) };
        let mut gpu = Postprocessor::on(borrowed, &kernels(&context).unwrap(), plan.clone(), LIMIT).unwrap();
        for case in &cases {
            output.write(case.tensor().bytes(), &stream).unwrap();
            // SAFETY: the buffer has the plan's size and is written again after the wait alone.
            let queued = unsafe { gpu.queue_on_device(output.address(), &case.letterboxes) }.unwrap();
            let found = gpu.wait(queued).cloned();
            assert_eq!(text(&found), text(&on_the_cpu(case)));
        }
        // SAFETY: nothing is queued.
        let error = unsafe { gpu.queue_on_device(output.address(), &[]) }.unwrap_err();
        assert_eq!(error, PostprocessError::Refused(Refused::Letterboxes { found: 0, batch: 2 }));
    }
    assert_eq!(fake.leaks(), Vec::<String>::new());
    assert_eq!((fake.count("cuStreamCreate"), fake.count("cuDevicePrimaryCtxRetain")), (1, 2));
    assert_eq!(fake.count("cuMemHostAlloc"), 4, "no tensor came from the host");
}

#[test]
fn a_launch_that_nobody_waited_for_is_waited_for_before_the_next() {
    let (plan, cases) = sequence();
    let fake = FakeCuda::new("discrete");
    let mut gpu = open(&fake, plan).unwrap();
    let forgotten = gpu.queue(&cases[0].tensor(), &cases[0].letterboxes).unwrap();
    let before = fake.count("cuStreamQuery");
    let queued = gpu.queue(&cases[1].tensor(), &cases[1].letterboxes).unwrap();
    assert_eq!(fake.count("cuStreamQuery"), before + 1);
    assert_eq!(text(&gpu.wait(queued).cloned()), text(&on_the_cpu(&cases[1])));
    // Its results are gone.
    let error = gpu.wait(forgotten).map(|_| ()).unwrap_err();
    assert!(matches!(error, PostprocessError::Gpu(GpuError::Unwritten { launch: 1 })), "{error}");
}

#[test]
fn what_the_cpu_refuses_is_refused_before_a_launch() {
    let (plan, cases) = sequence();
    let fake = FakeCuda::new("tx2");
    let mut gpu = open(&fake, plan).unwrap();
    let mut refused = |tensor: Tensor<'_>, letterboxes: &[Letterbox]| {
        let outcome = gpu.run(&tensor, letterboxes).map(|_| ());
        let Err(PostprocessError::Refused(refused)) = outcome else { panic!("{outcome:?}") };
        refused.reason()
    };
    assert_eq!(refused(Tensor::F32(&cases[0].values[1..]), &cases[0].letterboxes), "data_length");
    assert_eq!(refused(Tensor::F32(&cases[0].values[900..]), &cases[0].letterboxes), "element");
    assert_eq!(refused(cases[0].tensor(), &cases[0].letterboxes[1..]), "letterbox");
    assert_eq!(fake.count("cuLaunchCooperativeKernel"), 0);
}

#[test]
fn every_call_that_fails_is_told_and_leaks_nothing() {
    let (plan, cases) = sequence();
    let fake = FakeCuda::new("orin");
    let run = |fake: &FakeCuda| -> Result<(), PostprocessError> {
        let mut gpu = open(fake, plan.clone())?;
        cases[..2].iter().try_for_each(|case| gpu.run(&case.tensor(), &case.letterboxes).map(|_| ()))
    };
    fake.control(&["profile orin"]);
    run(&fake).unwrap();
    let calls = fake.numbered_calls();
    let first = calls.iter().position(|(name, _)| name == "cuModuleLoadDataEx").unwrap();
    let mut failed = 0;
    for (name, nth) in &calls[first..] {
        if ["Destroy", "Free", "Unload"].iter().any(|release| name.contains(release)) {
            continue;
        }
        let code = [2, 719][nth % 2];
        fake.control(&["profile orin", &format!("fail {name} {nth} {code}")]);
        let error = match run(&fake) {
            // Made current for a release, or asked whether all is done before one.
            Ok(()) => continue,
            Err(PostprocessError::Gpu(error)) => error,
            Err(error) => panic!("{error}"),
        };
        let (GpuError::Cuda(cuda) | GpuError::Load { error: cuda, .. }) = &error else { panic!("{name}: {error}") };
        assert_eq!((cuda.call, cuda.code), (name.as_str(), code));
        assert_eq!(error.severity() == Severity::Sticky, code == 719);
        if code == 2 {
            assert_eq!(fake.leaks(), Vec::<String>::new(), "{name} {nth}");
        }
        failed += 1;
    }
    assert!(failed > 25, "{failed}");
}

#[test]
fn work_that_is_lost_or_hangs_is_told_within_the_limit() {
    let (plan, cases) = sequence();
    for line in [
        "lose cuLaunchCooperativeKernel 2 719",
        "lose cuLaunchCooperativeKernel 2 0",
        "hang cuLaunchCooperativeKernel 2",
    ] {
        let fake = FakeCuda::new("discrete");
        fake.control(&["profile discrete", line]);
        let mut gpu = open(&fake, plan.clone()).unwrap();
        gpu.run(&cases[0].tensor(), &cases[0].letterboxes).unwrap();
        let error = gpu.run(&cases[1].tensor(), &cases[1].letterboxes).map(|_| ()).unwrap_err();
        let PostprocessError::Gpu(error) = error else { panic!("{error}") };
        match &error {
            GpuError::Timeout { limit } => assert_eq!((*limit, &line[..4]), (LIMIT, "hang")),
            GpuError::Unwritten { launch: 2 } => assert!(line.ends_with(" 0")),
            GpuError::Cuda(cuda) => assert_eq!((cuda.code, cuda.call), (719, "cuStreamQuery")),
            _ => panic!("{line}: {error}"),
        }
    }
}
