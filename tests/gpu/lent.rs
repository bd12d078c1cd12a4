//! Images in buffers that the device reads in place: the same bits, no copy, and memory that outlives a late launch.

use std::sync::Arc;

use vio_frontend::detect::{Detection, Gain};
use vio_frontend::gpu::kernels::Kernels;
use vio_frontend::gpu::pipeline::{ImageTransfer, Pipeline, ResultTransfer, Transfers};
use vio_frontend::gpu::program::Sources;
use vio_frontend::gpu::{Context, GpuError};
use vio_frontend::image::{ImageBuffer, ImageView};

use crate::fakecuda::FakeCuda;
use crate::kernels::{context, without_compiler};
use crate::motion::bits;
use crate::pipeline::{Frame, LIMIT, Outcome, frame, on_the_cpu, sequence, starts};

fn buffer(frame: &Frame) -> ImageBuffer {
    let (width, height) = (frame.image.width() as u32, frame.image.height() as u32);
    let mut buffer = ImageBuffer::new(width, height, "mono8", false).unwrap();
    buffer.copy_from(&frame.image.view()).unwrap();
    buffer
}

fn frames(count: usize) -> Vec<Frame> {
    (0..count).map(|step| frame((97, 75), step)).collect()
}

/// With results of which no memory is locked: what is, is an image.
fn open(fake: &FakeCuda) -> (Arc<Context>, Pipeline) {
    let context = context(fake);
    let kernels = Kernels::load(&context, without_compiler(), Sources::Embedded, None).unwrap();
    let transfers = Transfers { results: ResultTransfer::MappedCopied, ..Transfers::of(context.device().memory) };
    (Arc::clone(&context), Pipeline::with_transfers(&context, &kernels, LIMIT, transfers).unwrap())
}

/// Queues and collects a frame whose image is `view`.
fn step(pipeline: &mut Pipeline, frame: &Frame, view: &ImageView<'_>, gain: &mut Gain, last: &mut Outcome) {
    pipeline.load(view, &frame.detect).unwrap();
    let detection = pipeline.queue_detection(frame.mask.as_ref(), *gain, frame.prefilter).unwrap();
    let same_size = |last: &Outcome| !last.detection.features.is_empty();
    let from = if same_size(last) { starts(&last.detection) } else { Vec::new() };
    let flows = match pipeline.queue_tracks(&from, &frame.track) {
        Ok(tracks) => Some(tracks),
        Err(GpuError::NothingLoaded) => None,
        Err(error) => panic!("{error}"),
    };
    last.detection = pipeline.detection(detection, gain).unwrap();
    let flows = flows.map(|tracks| pipeline.flows(tracks).unwrap()).unwrap_or_default();
    last.flows = flows.iter().map(bits).collect();
}

#[test]
fn a_frame_that_is_collected_late_leaves_the_image_of_the_next_in_its_slot() {
    let fake = FakeCuda::new("orin");
    let (_, mut pipeline) = open(&fake);
    let first = frame((97, 75), 0);
    let buffers: Vec<ImageBuffer> = frames(3).iter().map(buffer).collect();
    let queue = |pipeline: &mut Pipeline, buffer: &ImageBuffer| {
        pipeline.load(&buffer.view(), &first.detect).unwrap();
        pipeline.queue_detection(None, Gain::default(), false)
    };
    let mut queued: Vec<_> = buffers[..2].iter().map(|buffer| queue(&mut pipeline, buffer).unwrap()).collect();
    pipeline.load(&buffers[2].view(), &first.detect).unwrap();
    let mut gain = Gain::default();
    assert!(!pipeline.detection(queued.remove(0), &mut gain).unwrap().features.is_empty());
    let last = pipeline.queue_detection(None, Gain::default(), false).unwrap();
    for queued in [queued.remove(0), last] {
        assert!(!pipeline.detection(queued, &mut gain).unwrap().features.is_empty());
    }
}

#[test]
fn a_stream_from_buffers_has_the_bits_of_the_plain_path() {
    // The long sequence changes masks, settings and sizes; the others see that no profile or way is special.
    let (long, short) = (sequence(), (0..2).map(|step| frame((65, 49), step)).collect());
    for (profile, image, frames) in [
        ("orin", ImageTransfer::Mapped, &long),
        ("orin", ImageTransfer::Copied, &short),
        ("discrete", ImageTransfer::Copied, &short),
        ("tx2", ImageTransfer::WriteCombined, &short),
    ] {
        let expected = on_the_cpu(frames);
        let buffers: Vec<ImageBuffer> = frames.iter().map(buffer).collect();
        let fake = FakeCuda::new(profile);
        let (context, _) = open(&fake);
        let kernels = Kernels::load(&context, without_compiler(), Sources::Embedded, None).unwrap();
        let transfers = Transfers { image, results: ResultTransfer::MappedCopied };
        let mut pipeline = Pipeline::with_transfers(&context, &kernels, LIMIT, transfers).unwrap();
        let mut gain = Gain::default();
        let mut last = Outcome { detection: Detection::default(), flows: Vec::new() };
        for (k, ((frame, buffer), expected)) in frames.iter().zip(&buffers).zip(&expected).enumerate() {
            step(&mut pipeline, frame, &buffer.view(), &mut gain, &mut last);
            assert_eq!(&last, expected, "{profile}, {transfers}, frame {k}");
        }
        let locked = if profile == "tx2" { 0 } else { frames.len() };
        assert_eq!(fake.count("cuMemHostRegister_v2"), locked, "{profile}: once a buffer, where the device can");
    }
}

#[test]
fn what_is_lent_is_not_copied_and_comes_back_with_the_results() {
    let frames = frames(3);
    let expected = on_the_cpu(&frames);
    let fake = FakeCuda::new("orin");
    let (_, mut pipeline) = open(&fake);
    let mut buffer = buffer(&frames[0]);
    let mut gain = Gain::default();
    let mut last = Outcome { detection: Detection::default(), flows: Vec::new() };
    for (frame, expected) in frames.iter().zip(&expected) {
        let address = buffer.bytes_mut().as_ptr();
        buffer.copy_from(&frame.image.view()).unwrap();
        step(&mut pipeline, frame, &buffer.view(), &mut gain, &mut last);
        assert_eq!(&last, expected);
        assert_eq!(buffer.bytes_mut().as_ptr(), address, "other memory has to be locked anew");
    }
    assert_eq!((fake.count("cuMemHostRegister_v2"), fake.count("cuMemcpyHtoDAsync_v2")), (1, 0));
    // The image is its owner's again: it may have changed.
    assert_eq!(pipeline.queue_detection(None, gain, false).err(), Some(GpuError::NothingLoaded));
    // Another view of the same bytes is an image like any other.
    let step_bytes = buffer.step() as u32;
    let bytes = buffer.bytes_mut().to_vec();
    let view = ImageView::new(97, 75, step_bytes, "mono8", false, &bytes).unwrap();
    pipeline.load(&view, &frames[2].detect).unwrap();
    let queued = pipeline.queue_detection(None, gain, false).unwrap();
    assert_eq!(pipeline.detection(queued, &mut gain).unwrap(), expected[2].detection);
}

#[test]
fn memory_outlives_the_launch_that_reads_it_whatever_becomes_of_its_buffer() {
    let frames = frames(4);
    let expected = on_the_cpu(&frames);
    let fake = FakeCuda::new("orin");
    let (_, mut pipeline) = open(&fake);
    let mut gain = Gain::default();
    for gone in [false, true] {
        fake.control(&["profile orin", "late cuLaunchCooperativeKernel 1"]);
        let mut late = buffer(&frames[1]);
        pipeline.load(&late.view(), &frames[1].detect).unwrap();
        let queued = pipeline.queue_detection(None, gain, false).unwrap();
        if gone {
            drop(late);
        } else {
            // Other memory: the launch still reads the image.
            assert!(late.bytes_mut().iter().all(|&byte| byte == 0));
            late.bytes_mut().fill(77);
        }
        assert_eq!(pipeline.detection(queued, &mut gain).unwrap(), expected[1].detection, "gone: {gone}");
        // The memory is unlocked between two frames, when nothing is queued, and not before.
        assert_eq!(fake.count("cuMemHostUnregister"), 0);
        pipeline.load(&frames[2].image.view(), &frames[2].detect).unwrap();
        assert_eq!(fake.count("cuMemHostUnregister"), 1);
        let queued = pipeline.queue_detection(None, gain, false).unwrap();
        assert_eq!(pipeline.detection(queued, &mut gain).unwrap(), expected[2].detection);
    }
}

#[test]
fn a_device_that_does_not_lock_a_buffer_has_it_copied() {
    let frames = frames(4);
    let expected = on_the_cpu(&frames);
    for fault in
        ["fail cuMemHostRegister_v2 0 2", "fail cuMemHostRegister_v2 1 712", "fail cuMemHostGetDevicePointer_v2 1 1"]
    {
        let fake = FakeCuda::new("discrete");
        let (_, mut pipeline) = open(&fake);
        let mut gain = Gain::default();
        let mut last = Outcome { detection: Detection::default(), flows: Vec::new() };
        let mut buffer = buffer(&frames[0]);
        for (k, (frame, expected)) in frames.iter().zip(&expected).enumerate() {
            if k == 1 {
                // Its own memory is allocated by now.
                buffer = self::buffer(frame);
                fake.control(&["profile discrete", fault]);
            }
            buffer.copy_from(&frame.image.view()).unwrap();
            step(&mut pipeline, frame, &buffer.view(), &mut gain, &mut last);
            assert_eq!(&last, expected, "{fault}, frame {k}");
        }
        let asked = fake.calls().iter().filter(|(call, _)| call == "cuMemHostRegister_v2").count();
        assert_eq!(asked, 1, "{fault}: asked again");
    }
    let fake = FakeCuda::new("discrete");
    let (_, mut pipeline) = open(&fake);
    fake.control(&["profile discrete", "fail cuMemHostRegister_v2 1 719"]);
    let lost = pipeline.load(&buffer(&frames[0]).view(), &frames[0].detect);
    assert!(matches!(lost, Err(GpuError::Cuda(error)) if error.code == 719));
}

#[test]
fn a_buffer_outlives_the_device_and_serves_the_next_one() {
    let frames = frames(2);
    let expected = on_the_cpu(&frames);
    let fake = FakeCuda::new("orin");
    let buffer = buffer(&frames[0]);
    for _ in 0..2 {
        let (context, mut pipeline) = open(&fake);
        let mut gain = Gain::default();
        pipeline.load(&buffer.view(), &frames[0].detect).unwrap();
        let queued = pipeline.queue_detection(None, gain, false).unwrap();
        assert_eq!(pipeline.detection(queued, &mut gain).unwrap(), expected[0].detection);
        // Two devices at once: the second one copies.
        let (_, mut other) = open(&fake);
        other.load(&buffer.view(), &frames[0].detect).unwrap();
        let queued = other.queue_detection(None, Gain::default(), false).unwrap();
        assert_eq!(other.detection(queued, &mut gain).unwrap(), expected[0].detection);
        drop((context, pipeline));
    }
    assert_eq!(fake.count("cuMemHostRegister_v2"), 2);
    assert_eq!(fake.leaks(), Vec::<String>::new());
}
