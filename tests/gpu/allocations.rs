//! A frame like the one before allocates nothing: not on the heap, not on the device.
#![allow(unsafe_code, reason = "an allocator that counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use vio_frontend::detect::{Detection, Gain};
use vio_frontend::gpu::GpuError;
use vio_frontend::gpu::kernels::Kernels;
use vio_frontend::gpu::pipeline::{ImageTransfer, Pipeline, ResultTransfer, Transfers};
use vio_frontend::gpu::program::Sources;
use vio_frontend::image::{ImageBuffer, ImageView};
use vio_frontend::mask::Mask;
use vio_frontend::track::{Flow, FlowStart};

use crate::fakecuda::FakeCuda;
use crate::kernels::{context, without_compiler};
use crate::pipeline::{Frame, LIMIT, frame};

/// The system's allocator; it counts what a thread takes and grows while that thread wants it counted.
struct Counting;

thread_local! {
    static COUNT: Cell<Option<usize>> = const { Cell::new(None) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count() {
    // A thread that ends may allocate after its variables are gone.
    let _ = COUNT.try_with(|count| count.set(count.get().map(|count| count + 1)));
}

// SAFETY: every call is the system allocator's, with the same arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: passed on.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: passed on.
        unsafe { System.realloc(memory, layout, size) }
    }
}

/// How often this thread allocates in `run`, and what that yields.
fn allocations<T>(run: impl FnOnce() -> T) -> (usize, T) {
    COUNT.set(Some(0));
    let result = run();
    (COUNT.take().unwrap(), result)
}

/// What a caller keeps from frame to frame.
#[derive(Default)]
struct Caller {
    gain: Gain,
    starts: Vec<FlowStart>,
    detection: Detection,
    flows: Vec<Flow>,
}

impl Caller {
    fn step(
        &mut self,
        pipeline: &mut Pipeline,
        frame: &Frame,
        image: &ImageView<'_>,
        mask: &Mask,
    ) -> Result<(), GpuError> {
        pipeline.load(image, &frame.detect)?;
        let detection = pipeline.queue_detection(Some(mask), self.gain, true)?;
        let tracks = pipeline.queue_tracks(&self.starts, &frame.track)?;
        pipeline.detection_into(detection, &mut self.gain, &mut self.detection)?;
        pipeline.flows_into(tracks, &mut self.flows)?;
        self.starts.clear();
        self.starts.extend(self.detection.features.iter().map(|feature| FlowStart::resting([feature.u, feature.v])));
        Ok(())
    }
}

#[test]
fn from_the_second_frame_on_nothing_is_allocated() {
    let mut mask = Mask::all(97, 75);
    mask.exclude_where(|x, _| x < 10);
    // No memory, stream, event or module: two launches, copies if they are wanted, and the context made current for each.
    let set = "cuCtxSetCurrent";
    let mapped = [set, "cuLaunchCooperativeKernel", set, "cuLaunchKernel"];
    let to = [set, "cuMemcpyHtoDAsync_v2"];
    let from = [set, "cuMemcpyDtoHAsync_v2"];
    let copied = [&to, &mapped[..2], &from, &from, &mapped[2..], &from, &from].concat();
    let copies = Transfers { image: ImageTransfer::Copied, results: ResultTransfer::Copied };
    for (profile, in_buffer, copied) in
        [("tx2", false, None), ("orin", true, None), ("discrete", false, None), ("discrete", true, Some(copied))]
    {
        let fake = FakeCuda::new(profile);
        let context = context(&fake);
        let kernels = Kernels::load(&context, without_compiler(), Sources::Embedded, None).unwrap();
        let transfers = copied.as_ref().map_or_else(|| Transfers::of(context.device().memory), |_| copies);
        let mut pipeline = Pipeline::with_transfers(&context, &kernels, LIMIT, transfers).unwrap();
        let mut caller = Caller::default();
        let mut counts = Vec::new();
        let mut buffer = ImageBuffer::new(97, 75, "mono8", false).unwrap();
        for step in 0..5 {
            let frame = frame((97, 75), step);
            buffer.copy_from(&frame.image.view()).unwrap();
            let image = if in_buffer { buffer.view() } else { frame.image.view() };
            fake.control(&[&format!("profile {profile}")]);
            let (count, result) = allocations(|| caller.step(&mut pipeline, &frame, &image, &mask));
            result.unwrap();
            counts.push(count);
            assert!(caller.detection.features.len() > 60 && caller.detection.descriptors.len() > 60);
            assert_eq!(caller.flows.is_empty(), step == 0);
            if step > 0 {
                let calls: Vec<String> = fake.calls().into_iter().map(|(call, _)| call).collect();
                assert_eq!(calls, copied.as_deref().unwrap_or(&mapped), "{profile}, frame {step}");
            }
        }
        // The second frame is the first with tracks: the caller's own memory grows.
        assert_eq!(counts[2..], [0, 0, 0], "{profile}: {counts:?}");
        assert!(counts[0] > 10, "{counts:?}: is anything counted?");
    }
}

#[test]
fn to_ask_whether_work_is_done_allocates_nothing() {
    let fake = FakeCuda::new("tx2");
    let context = context(&fake);
    let kernels = Kernels::load(&context, without_compiler(), Sources::Embedded, None).unwrap();
    let mut pipeline = Pipeline::new(&context, &kernels, LIMIT).unwrap();
    let frame = frame((97, 75), 0);
    fake.control(&["profile tx2", "hang cuLaunchCooperativeKernel 1"]);
    pipeline.load(&frame.image.view(), &frame.detect).unwrap();
    let queued = pipeline.queue_detection(None, Gain::default(), false).unwrap();
    let (mut gain, mut detection) = (Gain::default(), Detection::default());
    let (count, result) = allocations(|| pipeline.detection_into(queued, &mut gain, &mut detection));
    assert_eq!(result, Err(GpuError::Timeout { limit: LIMIT }));
    let asked = fake.calls().iter().filter(|(call, code)| call == "cuStreamQuery" && *code == 600).count();
    assert!(asked > 2, "{asked}");
    assert_eq!(count, 0);
}
