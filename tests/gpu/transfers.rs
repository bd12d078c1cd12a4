//! Whatever the way of images and results, the bits are the same; which way is taken, and what happens when measuring it
//! fails.

use vio_frontend::gpu::GpuError;
use vio_frontend::gpu::kernels::Kernels;
use vio_frontend::gpu::pipeline::{ImageTransfer, Pipeline, ResultTransfer, Transfers};
use vio_frontend::gpu::program::{Program, Sources};

use crate::fakecuda::FakeCuda;
use crate::kernels::{context, without_compiler};
use crate::pipeline::{Frame, LIMIT, Outcome, frame, in_pipeline, on_the_cpu, sequence};

const IMAGES: [ImageTransfer; 3] = [ImageTransfer::WriteCombined, ImageTransfer::Mapped, ImageTransfer::Copied];
const RESULTS: [ResultTransfer; 3] =
    [ResultTransfer::MappedCopied, ResultTransfer::MappedInPlace, ResultTransfer::Copied];

/// Small, yet large enough to be measured.
fn frames(count: usize) -> Vec<Frame> {
    (0..count).map(|step| frame((160, 120), step)).collect()
}

/// What the frames give, and the ways that were taken, with a control file that begins anew when the first is loaded.
fn measured(fake: &FakeCuda, frames: &[Frame], lines: &[&str]) -> (Result<Vec<Outcome>, GpuError>, Transfers) {
    let context = context(fake);
    let kernels = Kernels::load(&context, without_compiler(), Sources::Embedded, None).unwrap();
    let mut pipeline = Pipeline::new(&context, &kernels, LIMIT).unwrap();
    fake.control(lines);
    (in_pipeline(&mut pipeline, frames), pipeline.transfers())
}

#[test]
fn every_way_gives_the_same_bits_on_every_profile() {
    // The long sequence changes masks, settings and sizes; the others see that no profile is special.
    let long = sequence();
    let expected = on_the_cpu(&long);
    for (image, results) in [(0, 2), (1, 0), (2, 1), (2, 2)].map(|(i, r)| (IMAGES[i], RESULTS[r])) {
        let fake = FakeCuda::new("discrete");
        let context = context(&fake);
        let kernels = Kernels::load(&context, without_compiler(), Sources::Embedded, None).unwrap();
        let transfers = Transfers { image, results };
        let mut pipeline = Pipeline::with_transfers(&context, &kernels, LIMIT, transfers).unwrap();
        assert_eq!(in_pipeline(&mut pipeline, &long).unwrap(), expected, "{transfers}");
        assert_eq!(pipeline.transfers(), transfers);
    }
    let short: Vec<Frame> = (0..2).map(|step| frame((65, 49), step)).collect();
    let expected = on_the_cpu(&short);
    for profile in ["tx2", "orin", "discrete"] {
        let fake = FakeCuda::new(profile);
        let context = context(&fake);
        let kernels = Kernels::load(&context, without_compiler(), Sources::Embedded, None).unwrap();
        for (image, results) in IMAGES.into_iter().flat_map(|image| RESULTS.map(|results| (image, results))) {
            let transfers = Transfers { image, results };
            let mut pipeline = Pipeline::with_transfers(&context, &kernels, LIMIT, transfers).unwrap();
            assert_eq!(in_pipeline(&mut pipeline, &short).unwrap(), expected, "{profile}, {transfers}");
        }
        drop((kernels, context));
        assert_eq!(fake.leaks(), Vec::<String>::new());
    }
}

#[test]
fn the_memory_system_decides_and_a_discrete_card_is_measured() {
    let frames = frames(3);
    let expected = on_the_cpu(&frames);
    for (profile, said) in [
        ("tx2", "image: write-combined mapped memory; results: mapped memory, copied once"),
        ("orin", "image: mapped memory; results: mapped memory, read in place"),
    ] {
        let fake = FakeCuda::new(profile);
        let (outcomes, transfers) = measured(&fake, &frames, &[&format!("profile {profile}")]);
        assert_eq!(outcomes.unwrap(), expected);
        assert_eq!(transfers.to_string(), said);
        assert_eq!(fake.count("cuLaunchCooperativeKernel"), frames.len());
    }
    let fake = FakeCuda::new("discrete");
    // Of a small image there is nothing to gain.
    let small = [frame((97, 75), 0)];
    measured(&fake, &small, &["profile discrete"]).0.unwrap();
    assert_eq!(fake.count("cuLaunchCooperativeKernel"), 1);
    let (outcomes, transfers) = measured(&fake, &frames, &["profile discrete"]);
    assert_eq!(outcomes.unwrap(), expected, "{transfers}");
    // One round that does not count, and three to five that do, of three ways; not in the frames after the first.
    let floors = fake.count("cuLaunchCooperativeKernel") - frames.len();
    assert!((12..=18).contains(&floors) && floors.is_multiple_of(3), "{floors}");
    assert_ne!(transfers.image, ImageTransfer::WriteCombined);
    assert_ne!(transfers.results, ResultTransfer::MappedCopied);
    for (allocate, free) in [("cuMemAlloc_v2", "cuMemFree_v2"), ("cuMemHostAlloc", "cuMemFreeHost")] {
        assert_eq!(fake.count(allocate), fake.count(free));
    }
}

#[test]
fn measuring_never_stands_in_the_way_of_the_frames() {
    let frames = frames(2);
    let expected = on_the_cpu(&frames);
    let fake = FakeCuda::new("discrete");
    let mapped = "image: mapped memory; results: mapped memory, read in place";
    for fault in [
        // Pyramids come first; then host and device memory of the trial.
        "fail cuMemAlloc_v2 3 2",
        "fail cuMemHostAlloc 2 2",
        "fail cuOccupancyMaxActiveBlocksPerMultiprocessor 1 1",
        "fail cuLaunchCooperativeKernel 1 1",
        "fail cuLaunchCooperativeKernel 5 720",
        "fail cuMemcpyHtoDAsync_v2 2 1",
        "fail cuMemcpyDtoHAsync_v2 3 1",
        "lose cuLaunchCooperativeKernel 2 2",
        "lose cuLaunchCooperativeKernel 3 0",
    ] {
        let (outcomes, transfers) = measured(&fake, &frames, &["profile discrete", fault]);
        assert_eq!(outcomes.as_ref(), Ok(&expected), "{fault}");
        assert_eq!(transfers.to_string(), mapped, "{fault}");
        assert!(fake.count("cuLaunchCooperativeKernel") < 12 + frames.len(), "{fault}: it was not hit");
    }
    // A folder of kernels without that program.
    let context = context(&fake);
    let programs: Vec<Program> =
        Sources::Embedded.programs().unwrap().into_iter().filter(|program| program.name != "floor").collect();
    let kernels = Kernels::of(&context, &without_compiler(), &programs).unwrap();
    let mut pipeline = Pipeline::new(&context, &kernels, LIMIT).unwrap();
    assert_eq!(in_pipeline(&mut pipeline, &frames).unwrap(), expected);
    assert_eq!(pipeline.transfers().to_string(), mapped);
}

#[test]
fn a_gpu_that_is_lost_while_measuring_is_told() {
    let frames = frames(1);
    let fake = FakeCuda::new("discrete");
    let (outcomes, _) = measured(&fake, &frames, &["profile discrete", "lose cuLaunchCooperativeKernel 2 719"]);
    let Err(GpuError::Cuda(error)) = outcomes else { panic!("{outcomes:?}") };
    assert_eq!(error.code, 719);
    // One that hangs may not be asked again.
    let fake = FakeCuda::new("discrete");
    let (outcomes, _) = measured(&fake, &frames, &["profile discrete", "hang cuLaunchCooperativeKernel 2"]);
    assert_eq!(outcomes, Err(GpuError::Timeout { limit: LIMIT }));
}
