//! Two frames at a time: what one left stays while the next is worked on, however late a launch is.

use std::sync::Arc;

use vio_frontend::detect::{DetectSettings, Detection, Gain};
use vio_frontend::gpu::kernels::Kernels;
use vio_frontend::gpu::pipeline::{Pipeline, Transfers};
use vio_frontend::gpu::program::Sources;
use vio_frontend::gpu::{Context, GpuError};
use vio_frontend::track::FlowStart;

use crate::fakecuda::FakeCuda;
use crate::kernels::{context, without_compiler};
use crate::motion::bits;
use crate::pipeline::{Frame, LIMIT, Outcome, frame, on_the_cpu, starts};

fn open(fake: &FakeCuda) -> (Arc<Context>, Pipeline) {
    let context = context(fake);
    let kernels = Kernels::load(&context, without_compiler(), Sources::Embedded, None).unwrap();
    let pipeline = Pipeline::with_transfers(&context, &kernels, LIMIT, Transfers::of(context.device().memory)).unwrap();
    (context, pipeline)
}

fn frames(count: usize) -> Vec<Frame> {
    (0..count).map(|step| frame((97, 75), step)).collect()
}

#[test]
fn results_stay_until_the_frame_after_the_next() {
    let frames = frames(4);
    let expected = on_the_cpu(&frames);
    let fake = FakeCuda::new("tx2");
    let (_, mut pipeline) = open(&fake);
    let mut gain = Gain::default();
    let mut late = Vec::new();
    for (k, frame) in frames.iter().enumerate() {
        pipeline.load(&frame.image.view(), &frame.detect).unwrap();
        // The gain is that of the frame before, which is read only below: with a ratio of 0 nothing depends on it.
        assert_eq!(frame.detect.ratio_q8, 0);
        let detection = pipeline.queue_detection(None, gain, false).unwrap();
        let from = if k == 0 { Vec::new() } else { starts(&expected[k - 1].detection) };
        let tracks = pipeline.queue_tracks(&from, &frame.track).unwrap();
        late.push((k, detection, tracks));
        // One frame late.
        if k > 0 {
            let (k, detection, tracks) = late.remove(0);
            let detection = pipeline.detection(detection, &mut gain).unwrap();
            let flows = pipeline.flows(tracks).unwrap().iter().map(bits).collect();
            assert_eq!(Outcome { detection, flows }, expected[k], "frame {k}");
        }
    }
}

#[test]
fn a_launch_that_is_late_disturbs_no_other_frame() {
    let frames = frames(3);
    let expected = on_the_cpu(&frames);
    let fake = FakeCuda::new("discrete");
    let (_, mut pipeline) = open(&fake);
    fake.control(&["profile discrete", "late cuLaunchCooperativeKernel 2"]);
    let mut gain = Gain::default();
    let mut queued = Vec::new();
    for frame in &frames[..2] {
        pipeline.load(&frame.image.view(), &frame.detect).unwrap();
        queued.push(pipeline.queue_detection(None, gain, false).unwrap());
    }
    // The second frame's detection has not begun, and nobody waits for it: the first one's is read ...
    assert_eq!(pipeline.detection(queued.remove(0), &mut gain).unwrap(), expected[0].detection);
    // ... the third image is written ...
    let last = &frames[2];
    let unread = queued.remove(0);
    pipeline.load(&last.image.view(), &last.detect).unwrap();
    let third = pipeline.queue_detection(None, gain, false).unwrap();
    let tracks = pipeline.queue_tracks(&starts(&expected[1].detection), &last.track).unwrap();
    // ... and the second frame is what it would have been, however much later it is read.
    assert_eq!(pipeline.detection(third, &mut gain).unwrap(), expected[2].detection);
    let flows: Vec<[u32; 6]> = pipeline.flows(tracks).unwrap().iter().map(bits).collect();
    assert_eq!(flows, expected[2].flows);
    assert_eq!(pipeline.detection(unread, &mut gain).unwrap(), expected[1].detection);
}

#[test]
fn a_frame_that_was_given_up_is_waited_for_before_its_slot_is_used_again() {
    let frames = frames(4);
    let expected = on_the_cpu(&frames);
    let fake = FakeCuda::new("tx2");
    let (_, mut pipeline) = open(&fake);
    let mut gain = Gain::default();
    let queue = |pipeline: &mut Pipeline, frame: &Frame, gain| {
        pipeline.load(&frame.image.view(), &frame.detect).unwrap();
        pipeline.queue_detection(None, gain, false).unwrap()
    };
    let queries = || fake.calls().iter().filter(|(call, _)| call == "cuStreamQuery").count();
    let detection = queue(&mut pipeline, &frames[0], gain);
    pipeline.detection(detection, &mut gain).unwrap();
    fake.control(&["profile tx2", "late cuLaunchCooperativeKernel 1"]);
    drop(queue(&mut pipeline, &frames[1], gain));
    // Without a call of the driver in between: still late when the slot is wanted again.
    pipeline.load(&frames[2].image.view(), &frames[2].detect).unwrap();
    assert_eq!((queries(), fake.count("cuLaunchCooperativeKernel")), (0, 1));
    let detection = queue(&mut pipeline, &frames[3], gain);
    // Not done when first asked.
    assert_eq!(queries(), 2);
    assert_eq!(pipeline.detection(detection, &mut gain).unwrap(), expected[3].detection);
    // The image between has no pyramid: its detection was not queued.
    let tracks = pipeline.queue_tracks(&[FlowStart::resting([50.0, 40.0])], &frames[3].track);
    assert_eq!(tracks.err(), Some(GpuError::NothingLoaded));
}

#[test]
fn results_that_are_gone_are_told() {
    let (frames, fake) = (frames(3), FakeCuda::new("orin"));
    let (_, mut pipeline) = open(&fake);
    let mut gain = Gain::default();
    let mut queued = Vec::new();
    for frame in &frames {
        pipeline.load(&frame.image.view(), &frame.detect).unwrap();
        queued.push(pipeline.queue_detection(None, gain, false).unwrap());
    }
    let first = queued.remove(0);
    assert_eq!(pipeline.detection(first, &mut gain).err(), Some(GpuError::Unwritten { launch: 1 }));
    // Other sizes, other memory.
    let other = DetectSettings { target: 30, ..frames[0].detect };
    pipeline.load(&frames[0].image.view(), &other).unwrap();
    let second = queued.remove(0);
    assert_eq!(pipeline.detection(second, &mut gain).err(), Some(GpuError::Unwritten { launch: 2 }));
    assert_eq!(gain, Gain::default());
}

#[test]
fn points_that_are_tracked_again_in_a_frame_replace_those_before() {
    let (frames, fake) = (frames(2), FakeCuda::new("orin"));
    let expected = on_the_cpu(&frames);
    let (_, mut pipeline) = open(&fake);
    let mut gain = Gain::default();
    for (frame, expected) in frames.iter().zip(&expected) {
        pipeline.load(&frame.image.view(), &frame.detect).unwrap();
        let queued = pipeline.queue_detection(None, gain, false).unwrap();
        assert_eq!(pipeline.detection(queued, &mut gain).unwrap(), expected.detection);
    }
    let from = starts(&expected[0].detection);
    let once = pipeline.queue_tracks(&from[..5], &frames[1].track).unwrap();
    let again = pipeline.queue_tracks(&from, &frames[1].track).unwrap();
    assert!(matches!(pipeline.flows(once), Err(GpuError::Unwritten { .. })));
    let flows: Vec<[u32; 6]> = pipeline.flows(again).unwrap().iter().map(bits).collect();
    assert_eq!(flows, expected[1].flows);
    // Once the results before were taken, they do not stand in the way of each other.
    let few = pipeline.queue_tracks(&from[..5], &frames[1].track).unwrap();
    let flows: Vec<[u32; 6]> = pipeline.flows(few).unwrap().iter().map(bits).collect();
    assert_eq!(flows, expected[1].flows[..5]);
}

#[test]
fn a_frame_that_failed_leaves_nothing_to_track_from() {
    let (frames, fake) = (frames(2), FakeCuda::new("orin"));
    let (_, mut pipeline) = open(&fake);
    let mut gain = Gain::default();
    fake.control(&["profile orin", "lose cuLaunchCooperativeKernel 1 2"]);
    pipeline.load(&frames[0].image.view(), &frames[0].detect).unwrap();
    let lost = pipeline.queue_detection(None, gain, false).unwrap();
    let mut detection = Detection::default();
    assert!(matches!(pipeline.detection_into(lost, &mut gain, &mut detection), Err(GpuError::Cuda(_))));
    pipeline.load(&frames[1].image.view(), &frames[1].detect).unwrap();
    let queued = pipeline.queue_detection(None, gain, false).unwrap();
    let tracks = pipeline.queue_tracks(&[FlowStart::resting([50.0, 40.0])], &frames[1].track);
    assert_eq!(tracks.err(), Some(GpuError::NothingLoaded));
    pipeline.detection(queued, &mut gain).unwrap();
}
