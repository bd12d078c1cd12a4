//! Post-processing of detectors on a device: memory, the launch, results. The bits are those of
//! [`PlainPostprocessor`](crate::detections::plain::PlainPostprocessor) (`kernels/DETECTIONS.md`).
#![allow(unsafe_code, reason = "launches kernels")]

pub mod abi;
mod host_tensor;
mod memory;
pub mod plan;

use std::sync::Arc;
use std::time::Duration;

use bytemuck::Zeroable;

use super::abi::DevicePointer;
use super::context::{Context, Stream};
use super::error::GpuError;
use super::kernels::Kernels;
use super::module::{Kernel, Shape};
use super::pipeline::wait;
use crate::detections::{Counts, Detection, Detections, Letterbox, Plan, Refused, Tensor};
use abi::{DetectionCounts, DetectionsArgs, DetectionsHeader, NO_INDEX};
use memory::Memory;

const THREADS: u32 = 256;

/// Why there are no boxes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PostprocessError {
    /// The tensor is at fault: the CPU refuses it as well.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The GPU is at fault: the CPU may do it.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

/// Post-processing of tensors of one plan on one stream. All memory is allocated at the start.
#[derive(Debug)]
pub struct Postprocessor {
    plan: Plan,
    /// Longest wait for a launch.
    limit: Duration,
    stream: Stream,
    kernel: Kernel<DetectionsArgs>,
    /// Most blocks of a launch: as many as are resident at once, or as the host wants.
    most_blocks: u32,
    memory: Memory,
    /// Number of the last launch.
    launch: u64,
    /// Whether it was not waited for.
    in_flight: bool,
    detections: Detections,
}

/// A launch that was queued.
#[derive(Debug)]
#[must_use]
pub struct Queued(u64);

impl Postprocessor {
    /// On a stream of its own. A launch is waited for no longer than `limit`.
    pub fn new(context: &Arc<Context>, kernels: &Kernels, plan: Plan, limit: Duration) -> Result<Self, GpuError> {
        Self::on(Stream::new(context)?, kernels, plan, limit)
    }

    /// On `stream`, which may be that of the network: see [`Context::shared`] and [`Stream::borrow`].
    pub fn on(stream: Stream, kernels: &Kernels, plan: Plan, limit: Duration) -> Result<Self, GpuError> {
        let kernel: Kernel<DetectionsArgs> = kernels.kernel("detections", "detections")?;
        Ok(Self {
            limit,
            most_blocks: kernel.resident_blocks(THREADS)?.max(1),
            kernel,
            memory: Memory::new(&plan, &stream)?,
            plan,
            stream,
            launch: 0,
            in_flight: false,
            detections: Detections::default(),
        })
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// From now on no launch has more than this many blocks, at least 1: results are the same, which tests show.
    pub fn set_most_blocks(&mut self, most: u32) {
        self.most_blocks = self.most_blocks.min(most.max(1));
    }

    /// Takes over a kernel that was compiled anew.
    pub fn replace(&mut self, kernels: &Kernels) -> Result<(), GpuError> {
        self.kernel = kernels.kernel("detections", "detections")?;
        Ok(())
    }

    /// The boxes of a batch in host memory; `letterboxes` has one an image.
    ///
    /// Errors: a tensor that is refused, as on the CPU; what the driver answers; [`GpuError::Timeout`].
    pub fn run(&mut self, tensor: &Tensor<'_>, letterboxes: &[Letterbox]) -> Result<&Detections, PostprocessError> {
        let queued = self.queue(tensor, letterboxes)?;
        self.wait(queued)
    }

    /// Queues a batch in host memory, which is copied at once. Waits for the launch before, if it was not waited for.
    pub fn queue(&mut self, tensor: &Tensor<'_>, letterboxes: &[Letterbox]) -> Result<Queued, PostprocessError> {
        self.plan.check(tensor, letterboxes)?;
        self.finish()?;
        self.in_flight = true;
        // SAFETY: it was just waited for, and is before the memory goes.
        let address = unsafe { self.memory.write_tensor(&self.plan, tensor.bytes(), &self.stream)? };
        self.launch_on(address, letterboxes)
    }

    /// Queues a batch that lies, or by what the stream has queued will lie, in the device's memory: a network's output.
    /// Waits for the launch before, if it was not waited for, and with it for all that the stream has queued.
    ///
    /// # Safety
    /// `tensor` is the address in the stream's context of a tensor of the plan, [`Plan::tensor_bytes`] long and aligned
    /// to its values, which stays as it is until [`Postprocessor::wait`] has returned.
    pub unsafe fn queue_on_device(
        &mut self,
        tensor: DevicePointer,
        letterboxes: &[Letterbox],
    ) -> Result<Queued, PostprocessError> {
        self.plan.check_letterboxes(letterboxes)?;
        self.finish()?;
        self.launch_on(tensor, letterboxes)
    }

    /// Waits for a launch whose results nobody waited for: its memory is about to be written.
    fn finish(&mut self) -> Result<(), GpuError> {
        if self.in_flight {
            wait::idle(&self.stream, self.limit)?;
            self.in_flight = false;
        }
        Ok(())
    }

    fn launch_on(&mut self, tensor: DevicePointer, letterboxes: &[Letterbox]) -> Result<Queued, PostprocessError> {
        self.memory.write_letterboxes(letterboxes)?;
        self.launch += 1;
        let mut arguments = plan::arguments(&self.plan, self.launch);
        self.memory.place(&mut arguments);
        arguments.tensor = tensor;
        let shape =
            Shape { blocks: self.most_blocks.min(plan::blocks(&self.plan)), threads: THREADS, cooperative: true };
        // SAFETY: every address is that of a buffer as large as the plan says, of the stream's context, dropped only when
        // the stream is idle; the tensor is such a buffer, or what the caller of `queue_on_device` promises.
        unsafe { self.kernel.launch(&self.stream, shape, &arguments)? };
        self.in_flight = true;
        Ok(Queued(self.launch))
    }

    /// Waits for a batch.
    ///
    /// Errors: as [`Postprocessor::run`].
    pub fn wait(&mut self, queued: Queued) -> Result<&Detections, PostprocessError> {
        wait::until(&self.stream, self.memory.header(), queued.0, self.limit)?;
        self.in_flight = false;
        let mut header = [DetectionsHeader::zeroed()];
        self.memory.header().read(0, &mut header)?;
        let [header] = header;
        if header.bad_index != NO_INDEX {
            return Err(Refused::Value(self.plan.bad_input(header.bad_index as usize, header.bad_value)).into());
        }
        let Detections { counts, boxes } = &mut self.detections;
        counts.clear();
        boxes.clear();
        for image in 0..self.plan.batch() {
            let read: DetectionCounts = self.memory.counts(image)?;
            boxes.extend(self.memory.records(&self.plan, image, read.written)?.iter().map(Detection::from));
            counts.push(Counts::from(&read));
        }
        Ok(&self.detections)
    }
}

impl Drop for Postprocessor {
    fn drop(&mut self) {
        // What a kernel may still write to must not be freed under it. A context that is abandoned keeps it.
        let _ = wait::finished(&self.stream);
    }
}
