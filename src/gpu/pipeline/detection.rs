//! Detection: queued, then waited for.
#![allow(unsafe_code, reason = "launches kernels")]

use super::{Pipeline, wait};
use crate::detect::{DetectSettings, Detection, Gain};
use crate::gpu::error::GpuError;
use crate::gpu::module::Shape;
use crate::mask::Mask;

/// Threads of a block of `detect`.
pub(super) const THREADS: u32 = 256;

/// A launch of `detect` that was queued. Its results can be had until the detection of the frame after the next, or of the
/// same frame once more, is queued, or sizes change; later they are [`GpuError::Unwritten`]. Dropped, the frame is given up.
#[derive(Debug)]
#[must_use]
pub struct QueuedDetection {
    frame: u64,
    launch: u64,
    target: u32,
    describe: bool,
}

impl Pipeline {
    /// Queues the detection on the image that was loaded last. `prefilter` smooths it first.
    ///
    /// Errors: [`GpuError::NothingLoaded`], also where the image was read in its buffer and has been detected in already;
    /// what the driver answers.
    pub fn queue_detection(
        &mut self,
        mask: Option<&Mask>,
        gain: Gain,
        prefilter: bool,
    ) -> Result<QueuedDetection, GpuError> {
        let frame = self.frame;
        let launch = self.next_launch(|last| &mut last.detect);
        let (Some(plan), Some(buffers), Some(pyramids)) = (&self.plan, &mut self.buffers, &mut self.pyramids) else {
            return Err(GpuError::NothingLoaded);
        };
        let DetectSettings { target, describe, levels, .. } = plan.settings;
        let mut arguments = plan.arguments(gain, prefilter, launch);
        // SAFETY: buffers are replaced, and dropped, only when the stream is idle; a GPU that cannot tell is abandoned with
        // its buffers. `load` has waited for the frame before the last.
        unsafe { buffers.place(frame, &mut arguments, mask, &self.stream)? };
        arguments.pyramid = pyramids.of(frame);
        let blocks = self.kernels.detect_blocks.min(plan.tiles()).min(self.most_blocks);
        let shape = Shape { blocks, threads: THREADS, cooperative: true };
        // SAFETY: every address is that of a buffer as large as the plan says, of the stream's context; for how long they
        // live, see above.
        unsafe {
            self.kernels.detect.launch(&self.stream, shape, &arguments)?;
            buffers.download(frame, describe, &self.stream)?;
        }
        pyramids.hold(frame, levels);
        Ok(QueuedDetection { frame, launch, target, describe })
    }

    /// Waits for a detection, replaces `detection` by it, and advances `gain` (C3). What `detection` held before serves
    /// another frame: so nothing is allocated. After an error its contents are arbitrary.
    ///
    /// Errors: what the driver answers; [`GpuError::Timeout`]. The frame then leaves
    /// no pyramid to track from.
    pub fn detection_into(
        &mut self,
        queued: QueuedDetection,
        gain: &mut Gain,
        detection: &mut Detection,
    ) -> Result<(), GpuError> {
        let QueuedDetection { frame, launch, target, describe } = queued;
        if self.last.of(frame).detect != launch {
            return Err(GpuError::Unwritten { launch });
        }
        let (Some(buffers), Some(pyramids)) = (&mut self.buffers, &mut self.pyramids) else {
            return Err(GpuError::NothingLoaded);
        };
        let results = wait::until(&self.stream, buffers.header(frame), launch, self.limit)
            // SAFETY: the header of this launch has been seen, and it is the last one of its slot.
            .and_then(|()| unsafe { buffers.take_results(frame, describe, detection, &self.crew) });
        if let Err(error) = results {
            if self.frame.wrapping_sub(frame) < 2 {
                pyramids.hold(frame, 0);
            }
            return Err(error);
        }
        self.ended = self.ended.max(launch);
        // The slot may hold the image of the frame after the next already.
        if self.frame.wrapping_sub(frame) < 2 {
            buffers.give_back(frame);
        }
        *gain = gain.after(detection.offered_class0, target);
        Ok(())
    }

    /// Waits until the results of a detection can be had, as [`Pipeline::detection_into`] does by itself, and leaves them.
    ///
    /// Errors: those of [`Pipeline::detection_into`].
    pub fn await_detection(&mut self, queued: &QueuedDetection) -> Result<(), GpuError> {
        let Some(buffers) = &self.buffers else { return Err(GpuError::NothingLoaded) };
        if self.last.of(queued.frame).detect != queued.launch {
            return Err(GpuError::Unwritten { launch: queued.launch });
        }
        wait::until(&self.stream, buffers.header(queued.frame), queued.launch, self.limit)
    }

    /// [`Pipeline::detection_into`] memory of its own.
    pub fn detection(&mut self, queued: QueuedDetection, gain: &mut Gain) -> Result<Detection, GpuError> {
        let mut detection = Detection::default();
        self.detection_into(queued, gain, &mut detection)?;
        Ok(detection)
    }
}
