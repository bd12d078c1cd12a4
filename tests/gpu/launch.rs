//! `detect` from the kept PTX, launched once on mapped buffers, gives the bits of the plain path.
#![allow(unsafe_code, reason = "launches kernels")]

use std::sync::Arc;

use bytemuck::Zeroable;
use vio_frontend::detect::plain::PlainDetector;
use vio_frontend::detect::{DetectSettings, Detection, Gain};
use vio_frontend::feature::{Descriptor, Feature};
use vio_frontend::gpu::GpuError;
use vio_frontend::gpu::abi::{DetectArgs, DetectHeader};
use vio_frontend::gpu::builder::{Origin, kept};
use vio_frontend::gpu::choice::Reason;
use vio_frontend::gpu::context::{Context, Stream};
use vio_frontend::gpu::device::Device;
use vio_frontend::gpu::driver::Driver;
use vio_frontend::gpu::memory::MappedBuffer;
use vio_frontend::gpu::module::{Kernel, Module, Shape};
use vio_frontend::gpu::plan::DetectPlan;
use vio_frontend::gpu::program::Sources;
use vio_frontend::image::GrayImage;
use vio_frontend::params::Params;

use crate::fakecuda::FakeCuda;
use crate::images::{Kind, image};

const THREADS: u32 = 256;

/// A context on the stub and its kernel `detect`.
struct Gpu {
    stream: Stream,
    kernel: Kernel<DetectArgs>,
}

impl Gpu {
    fn open(fake: &FakeCuda) -> Result<Self, GpuError> {
        let device = Device::open(&Driver::load(Some(&fake.library()))?, 0)?;
        let context = Context::new(device)?;
        let stream = Stream::new(&context)?;
        let programs = Sources::Embedded.programs().unwrap();
        let program = programs.iter().find(|program| program.name == "detect").unwrap();
        let built = kept(program, Reason::NoCompiler("none is wanted".to_owned())).unwrap();
        assert!(matches!(built.origin, Origin::Kept { .. }));
        let module = Module::load(&context, &program.name, built.image)?;
        Ok(Self { stream, kernel: module.kernel("detect")? })
    }

    /// One frame. All buffers are mapped: what the kernel writes can be read without a copy of the driver's.
    fn detect(&self, image: &GrayImage, settings: &DetectSettings) -> Result<Detection, GpuError> {
        let context = Arc::clone(self.stream.context());
        let plan = DetectPlan::new(&image.view(), settings).unwrap();
        let mut arguments = plan.arguments(Gain::default(), false, 7);
        let mut buffers = Vec::new();
        for layout in plan.buffers() {
            if layout.field == "mask" {
                continue;
            }
            let mut buffer = MappedBuffer::new(&context, layout.bytes, layout.field == "source")?;
            match layout.field {
                "source" => {
                    for y in 0..image.height() {
                        buffer.write(y * plan.source_pitch(), image.row(y))?;
                    }
                }
                "barrier" | "header" => buffer.write(0, &vec![0u8; layout.bytes])?,
                _ => {}
            }
            let field = &mut bytemuck::bytes_of_mut(&mut arguments)[layout.offset..layout.offset + 8];
            field.copy_from_slice(&buffer.address().to_ne_bytes());
            buffers.push((layout.field, buffer));
        }
        let blocks = self.kernel.resident_blocks(THREADS)?.min(4);
        // SAFETY: every address is that of a buffer as large as the plan says, alive until the stream is done.
        unsafe { self.kernel.launch(&self.stream, Shape { blocks, threads: THREADS, cooperative: true }, &arguments)? };
        self.stream.synchronize()?;
        let get = |field: &str| &buffers.iter().find(|(name, _)| *name == field).unwrap().1;
        assert_eq!(get("header").poll(0)?, 7);
        let mut header = [DetectHeader::zeroed()];
        get("header").read(0, &mut header)?;
        let count = header[0].count as usize;
        let mut features = vec![Feature::zeroed(); count];
        get("features").read(0, &mut features)?;
        let mut descriptors = vec![Descriptor::zeroed(); count];
        get("descriptors").read(0, &mut descriptors)?;
        Ok(Detection {
            features: features.into(),
            descriptors: descriptors.into(),
            offered: header[0].offered,
            offered_class0: header[0].offered_class0,
        })
    }
}

fn settings(target: u32) -> DetectSettings {
    DetectSettings { target, describe: true, ..DetectSettings::from(&Params::default()) }
}

#[test]
fn detect_from_kept_ptx_equals_the_plain_path_on_every_profile() {
    for profile in ["tx2", "orin", "discrete"] {
        let fake = FakeCuda::new(profile);
        {
            let gpu = Gpu::open(&fake).unwrap();
            for (width, height, target) in [(161, 119, 300), (320, 240, 1000)] {
                let image = image(Kind::Texture, width, height, 3);
                let plain = PlainDetector::new().detect(&image, None, &settings(target), &mut Gain::default());
                assert!(plain.features.len() > 100, "{} features", plain.features.len());
                assert_eq!(gpu.detect(&image, &settings(target)).unwrap(), plain, "{profile} {width} x {height}");
            }
        }
        assert_eq!(fake.leaks(), Vec::<String>::new());
        assert_eq!(fake.count("cuLaunchCooperativeKernel"), 2);
    }
}

#[test]
fn every_call_that_fails_is_an_error_of_that_call_and_leaks_nothing() {
    let (image, settings) = (image(Kind::Texture, 65, 49, 3), settings(50));
    let fake = FakeCuda::new("tx2");
    let run = |fake: &FakeCuda| Gpu::open(fake).and_then(|gpu| gpu.detect(&image, &settings).map(|_| ()));
    run(&fake).unwrap();
    let mut calls: Vec<(String, u32)> = Vec::new();
    for (name, _) in fake.calls() {
        let nth = calls.iter().filter(|(other, _)| *other == name).count() as u32 + 1;
        calls.push((name, nth));
    }
    let mut failed = 0;
    for (name, nth) in calls {
        // What releasing answers is nobody's to handle.
        if ["Destroy", "Free", "Unload"].iter().any(|release| name.contains(release)) {
            continue;
        }
        for code in [1, 2, 700, 719, 999, 4711] {
            fake.control(&["profile tx2", &format!("fail {name} {nth} {code}")]);
            let result = run(&fake);
            // The last calls make a context current for releasing.
            if name == "cuCtxSetCurrent" && result.is_ok() {
                continue;
            }
            let error = match result.unwrap_err() {
                GpuError::Cuda(error) | GpuError::Load { error, .. } => error,
                other => panic!("{name} {nth} {code}: {other}"),
            };
            assert_eq!((error.call, error.code), (name.as_str(), code), "call {nth}");
            // After a sticky error nothing can be released one by one; the context takes it all along.
            if !matches!(code, 700 | 719 | 999) {
                assert_eq!(fake.leaks(), Vec::<String>::new(), "{name} {nth} {code}");
            }
            assert_eq!(fake.count("cuCtxCreate_v2"), fake.count("cuCtxDestroy_v2"), "{name} {nth} {code}");
            failed += 1;
        }
    }
    assert!(failed > 200, "{failed}");
}

#[test]
fn a_kernel_that_hangs_can_be_abandoned() {
    let fake = FakeCuda::new("orin");
    fake.control(&["profile orin", "hang cuLaunchCooperativeKernel 1"]);
    let gpu = Gpu::open(&fake).unwrap();
    let context = Arc::clone(gpu.stream.context());
    let buffer = MappedBuffer::new(&context, 8, false).unwrap();
    let shape = Shape { blocks: 1, threads: THREADS, cooperative: true };
    // SAFETY: the stub does not run this launch.
    unsafe { gpu.kernel.launch(&gpu.stream, shape, &DetectArgs::zeroed()).unwrap() };
    assert!(!gpu.stream.is_done().unwrap());
    context.abandon();
    // Any release would end this process: the stub knows that a driver would not come back from it.
    drop((buffer, gpu, context));
    assert_eq!(fake.count("cuCtxDestroy_v2"), 0);
}

#[test]
fn lost_work_is_reported_and_the_gpu_stays_lost() {
    let fake = FakeCuda::new("tx2");
    fake.control(&["profile tx2", "lose cuLaunchCooperativeKernel 1 700"]);
    let gpu = Gpu::open(&fake).unwrap();
    let shape = Shape { blocks: 1, threads: THREADS, cooperative: true };
    // SAFETY: the stub does not run this launch.
    unsafe { gpu.kernel.launch(&gpu.stream, shape, &DetectArgs::zeroed()).unwrap() };
    let GpuError::Cuda(error) = gpu.stream.synchronize().unwrap_err() else { panic!() };
    assert_eq!((error.call, error.code), ("cuStreamSynchronize", 700));
    drop(gpu);
    let GpuError::Cuda(error) = Gpu::open(&fake).err().unwrap() else { panic!() };
    assert_eq!((error.call, error.code), ("cuInit", 700));
}
