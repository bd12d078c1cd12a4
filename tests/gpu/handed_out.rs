//! Results that are handed out where a kernel wrote them: they stay as they are, whatever comes after them.

use std::sync::Arc;

use vio_frontend::detect::{Detection, Gain};
use vio_frontend::gpu::kernels::Kernels;
use vio_frontend::gpu::pipeline::{ImageTransfer, Pipeline, ResultTransfer, Transfers};
use vio_frontend::gpu::program::Sources;
use vio_frontend::gpu::{Context, GpuError};

use crate::fakecuda::FakeCuda;
use crate::kernels::{context, without_compiler};
use crate::pipeline::{Frame, LIMIT, Outcome, frame, on_the_cpu};

/// Two slots, and what takes the place of the first results that are handed out.
const FIRST: usize = 3;
/// With the eight that may be out at a time.
const MOST: usize = 2 + 8;

/// Every way in which memory is handed out.
const WAYS: [(&str, ResultTransfer); 3] = [
    ("orin", ResultTransfer::MappedInPlace),
    ("discrete", ResultTransfer::MappedInPlace),
    ("discrete", ResultTransfer::Copied),
];

fn open(fake: &FakeCuda, results: ResultTransfer) -> (Arc<Context>, Pipeline) {
    let context = context(fake);
    let kernels = Kernels::load(&context, without_compiler(), Sources::Embedded, None).unwrap();
    let transfers = Transfers { image: ImageTransfer::Mapped, results };
    (Arc::clone(&context), Pipeline::with_transfers(&context, &kernels, LIMIT, transfers).unwrap())
}

fn frames(count: usize) -> (Vec<Frame>, Vec<Outcome>) {
    let frames: Vec<Frame> = (0..count).map(|step| frame((97, 75), step)).collect();
    let expected = on_the_cpu(&frames);
    (frames, expected)
}

/// Nothing depends on the gain: the ratio is 0.
fn detect(pipeline: &mut Pipeline, frame: &Frame, into: &mut Detection) -> Result<(), GpuError> {
    assert_eq!(frame.detect.ratio_q8, 0);
    pipeline.load(&frame.image.view(), &frame.detect)?;
    let queued = pipeline.queue_detection(frame.mask.as_ref(), Gain::default(), frame.prefilter)?;
    pipeline.detection_into(queued, &mut Gain::default(), into)
}

fn registered(fake: &FakeCuda) -> usize {
    fake.count("cuMemHostRegister_v2")
}

#[test]
fn a_detection_that_is_held_stays_as_it_is_and_its_memory_comes_back() {
    let (frames, expected) = frames(9);
    for (profile, results) in WAYS {
        let fake = FakeCuda::new(profile);
        let (_, mut pipeline) = open(&fake, results);
        let (mut held, mut last) = (Detection::default(), Detection::default());
        detect(&mut pipeline, &frames[0], &mut held).unwrap();
        let address = held.features.as_ptr();
        for k in 1..5 {
            detect(&mut pipeline, &frames[k], &mut last).unwrap();
            assert_eq!(last, expected[k].detection, "{profile}, {results:?}, frame {k}");
            assert_ne!(last.features.as_ptr(), address);
            assert_eq!(held, expected[0].detection, "{profile}, {results:?}, beside frame {k}");
        }
        assert_eq!(registered(&fake), FIRST + 1, "one more for what is held");
        drop(held);
        let mut used_again = false;
        for k in 5..9 {
            detect(&mut pipeline, &frames[k], &mut last).unwrap();
            assert_eq!(last, expected[k].detection, "{profile}, {results:?}, frame {k}");
            used_again |= last.features.as_ptr() == address;
        }
        assert!(used_again, "{profile}, {results:?}");
        assert_eq!((registered(&fake), fake.count("cuMemHostUnregister")), (FIRST + 1, 0));
    }
}

#[test]
fn who_holds_many_gets_copies() {
    let (frames, expected) = frames(14);
    for (profile, results) in WAYS {
        let fake = FakeCuda::new(profile);
        let (_, mut pipeline) = open(&fake, results);
        let mut held: Vec<Detection> = Vec::new();
        for frame in &frames {
            let mut detection = Detection::default();
            detect(&mut pipeline, frame, &mut detection).unwrap();
            held.push(detection);
            assert!(held.iter().zip(&expected).all(|(held, expected)| *held == expected.detection));
        }
        assert_eq!(registered(&fake), MOST, "{profile}, {results:?}");
        // A vector that is there already is filled again.
        let address = held[13].features.as_ptr();
        detect(&mut pipeline, &frames[3], &mut held[13]).unwrap();
        assert_eq!((held[13].features.as_ptr(), &held[13]), (address, &expected[3].detection));
        // A clone is one's own; the memory of the other is free.
        held[0] = held[0].clone();
        detect(&mut pipeline, &frames[4], &mut held[13]).unwrap();
        assert!(held[13].features.as_ptr() != address);
        assert_eq!((&held[0], &held[13]), (&expected[0].detection, &expected[4].detection));
        assert_eq!(registered(&fake), MOST);
    }
}

#[test]
fn a_launch_that_is_late_writes_to_nothing_that_is_held() {
    let (frames, expected) = frames(6);
    for (profile, results) in WAYS {
        let fake = FakeCuda::new(profile);
        let (_, mut pipeline) = open(&fake, results);
        let (mut held, mut last) = (Detection::default(), Detection::default());
        detect(&mut pipeline, &frames[0], &mut held).unwrap();
        detect(&mut pipeline, &frames[1], &mut last).unwrap();
        fake.control(&[&format!("profile {profile}"), "late cuLaunchCooperativeKernel 1"]);
        pipeline.load(&frames[2].image.view(), &frames[2].detect).unwrap();
        drop(pipeline.queue_detection(None, Gain::default(), false).unwrap());
        // Given up, and begun behind the next.
        let before = std::mem::take(&mut last);
        detect(&mut pipeline, &frames[3], &mut last).unwrap();
        assert_eq!(last, expected[3].detection, "{profile}, {results:?}");
        detect(&mut pipeline, &frames[4], &mut last).unwrap();
        detect(&mut pipeline, &frames[5], &mut last).unwrap();
        assert_eq!((&held, &before), (&expected[0].detection, &expected[1].detection), "{profile}, {results:?}");
        assert_eq!(last, expected[5].detection, "{profile}, {results:?}");
    }
}

#[test]
fn what_is_held_outlives_pipeline_and_device() {
    let (frames, expected) = frames(3);
    for (profile, results) in WAYS {
        for hangs in [false, true] {
            let fake = FakeCuda::new(profile);
            let (context, mut pipeline) = open(&fake, results);
            let (mut held, mut last) = (Detection::default(), Detection::default());
            detect(&mut pipeline, &frames[0], &mut held).unwrap();
            // Other sizes: other memory.
            let mut other = frames[1].clone();
            other.detect.target = 30;
            detect(&mut pipeline, &other, &mut last).unwrap();
            assert_eq!(last.features.len(), 30);
            if hangs {
                fake.control(&[&format!("profile {profile}"), "hang cuLaunchCooperativeKernel 1"]);
                let hung = detect(&mut pipeline, &frames[2], &mut last);
                assert_eq!(hung, Err(GpuError::Timeout { limit: LIMIT }));
            }
            drop((context, pipeline));
            assert_eq!(held, expected[0].detection, "{profile}, {results:?}, hangs: {hangs}");
            drop((held, last));
            // Where a kernel hangs, the stub has ended this process if any call would wait for it.
            if !hangs {
                assert_eq!(fake.leaks(), Vec::<String>::new());
            }
        }
    }
}

#[test]
fn a_device_that_does_not_lock_memory_has_results_copied() {
    let (frames, expected) = frames(6);
    for (profile, results) in WAYS {
        // From the beginning, in the midst of it, and for one more than there are.
        for nth in [0, 1, 3, 4] {
            let fault = format!("fail cuMemHostRegister_v2 {nth} 2");
            let fake = FakeCuda::new(profile);
            fake.control(&[&format!("profile {profile}"), &fault]);
            let (_, mut pipeline) = open(&fake, results);
            let mut held: Vec<Detection> = Vec::new();
            for (frame, expected) in frames.iter().zip(&expected) {
                let mut detection = Detection::default();
                detect(&mut pipeline, frame, &mut detection).unwrap();
                assert_eq!(detection, expected.detection, "{profile}, {results:?}, {fault}");
                held.push(detection);
            }
            assert!(held.iter().zip(&expected).all(|(held, expected)| *held == expected.detection));
            let asked = fake.calls().iter().filter(|(call, _)| call == "cuMemHostRegister_v2").count();
            assert_eq!(asked, nth.max(1), "{profile}, {results:?}, {fault}: asked again");
            let unlocked = fake.count("cuMemHostUnregister");
            assert_eq!(unlocked, if nth == 3 { 2 } else { 0 }, "{fault}: what was to take turns with it");
        }
        for nth in 1..=4 {
            let fake = FakeCuda::new(profile);
            fake.control(&[&format!("profile {profile}"), &format!("fail cuMemHostRegister_v2 {nth} 719")]);
            let (_, mut pipeline) = open(&fake, results);
            let mut held = [Detection::default(), Detection::default()];
            let lost = frames.iter().zip(&mut held).try_for_each(|(frame, into)| detect(&mut pipeline, frame, into));
            assert!(matches!(lost, Err(GpuError::Cuda(ref error)) if error.code == 719), "{nth}: {lost:?}");
        }
    }
}
