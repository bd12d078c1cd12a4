//! The campaign that is run on real GPUs, on the stub: with few cases all is equal, and what is not is told.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use vio_frontend::gpu::kernels::Kernels;
use vio_frontend::gpu::program::Sources;

use crate::cases::{Extent, Gpu, Group, run};
use crate::fakecuda::FakeCuda;
use crate::images::{Kind, image};
use crate::kernels::{context, without_compiler};

fn gpu(fake: &FakeCuda, limit: Duration) -> Gpu {
    let context = context(fake);
    let kernels = Kernels::load(&context, without_compiler(), Sources::Embedded, None).unwrap();
    Gpu { context: Arc::clone(&context), kernels, limit }
}

fn few(first: usize, cases: usize) -> Extent {
    Extent { few: true, first, cases, data: None, ends_at_first: false }
}

#[test]
fn every_group_is_equal_on_the_stub() {
    let fake = FakeCuda::new("discrete");
    fake.control(&["profile discrete", "log off"]);
    let gpu = gpu(&fake, Duration::from_secs(60));
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("camera");
    fs::create_dir(&folder).unwrap();
    for k in 0..2 {
        let picture = image(Kind::Blocks, 70, 50, k);
        image::save_buffer(folder.join(format!("{k}.png")), picture.pixels(), 70, 50, image::ColorType::L8).unwrap();
    }
    for group in Group::ALL {
        let report = run(group, &gpu, &Extent { data: Some(data.path().to_owned()), ..few(0, 4) });
        assert!(report.is_equal(), "{report:?}");
        let alone = matches!(group, Group::Repeat | Group::Boxes);
        let grids = match group {
            Group::Repeat => 1,
            Group::Boxes => 2,
            _ => 3,
        };
        assert_eq!(report.launches, grids * report.frames, "{report:?}");
        assert!(alone || report.features > 20 && report.tracks > 10, "{report:?}");
    }
}

#[test]
fn work_that_was_not_done_is_told() {
    let fake = FakeCuda::new("tx2");
    let gpu = gpu(&fake, Duration::from_secs(60));
    // The first tracks: a launch that never ran leaves no number behind.
    fake.control(&["profile tx2", "lose cuLaunchKernel 1 0"]);
    let report = run(Group::Random, &gpu, &few(0, 1));
    assert!(!report.is_equal(), "{report:?}");
    assert!(report.error.as_ref().is_some_and(|error| error.contains("case 0")), "{report:?}");
}

#[test]
fn a_driver_that_fails_ends_the_group_and_says_where() {
    let fake = FakeCuda::new("tx2");
    let gpu = gpu(&fake, Duration::from_millis(50));
    fake.control(&["profile tx2", "fail cuMemAlloc_v2 4 2"]);
    let report = run(Group::Sizes, &gpu, &few(0, 0));
    assert!(report.error.as_ref().is_some_and(|error| error.contains("67x43")), "{report:?}");
}

#[test]
fn without_data_the_group_says_so() {
    let fake = FakeCuda::new("tx2");
    let report = run(Group::Data, &gpu(&fake, Duration::from_secs(1)), &few(0, 0));
    assert_eq!(report.error.as_deref(), Some("no folder of data"));
    assert!(!report.is_equal());
}
