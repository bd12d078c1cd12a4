//! Frames without work, to time the ways of a frame's bytes.
#![allow(unsafe_code, reason = "launches kernels")]

use std::time::{Duration, Instant};

use bytemuck::Zeroable;

use super::transfers::{ImageTransfer, ResultTransfer, Transfers};
use super::wait;
use crate::feature::{Descriptor, Feature};
use crate::gpu::context::Stream;
use crate::gpu::error::GpuError;
use crate::gpu::floor::abi::{FloorArgs, FloorHeader};
use crate::gpu::floor::{FloorPlan, THREADS};
use crate::gpu::memory::{DeviceBuffer, MappedBuffer};
use crate::gpu::module::{Kernel, Shape};
use crate::gpu::plan::DetectPlan;

/// Most blocks of a launch: their threads have as many bytes under way as a bus takes.
const BLOCKS: u32 = 32;

/// Host memory and its twin on the device.
#[derive(Debug)]
struct Both {
    host: MappedBuffer,
    device: DeviceBuffer,
    bytes: usize,
}

impl Both {
    fn new(stream: &Stream, bytes: usize) -> Result<Self, GpuError> {
        let host = MappedBuffer::new(stream.context(), bytes, false)?;
        // It is copied whole, also where the kernel writes nothing.
        let device = DeviceBuffer::zeroed(stream, bytes)?;
        Ok(Self { host, device, bytes })
    }
}

/// Memory for frames of one size. It must not be dropped while a launch may write to it.
#[derive(Debug)]
pub(super) struct FloorFrames {
    shape: Shape,
    plan: FloorPlan,
    source: Both,
    results: Both,
    header: Both,
    state: DeviceBuffer,
    launch: u64,
}

impl FloorFrames {
    /// For frames of `plan`.
    pub(super) fn new(floor: &Kernel<FloorArgs>, plan: &DetectPlan, stream: &Stream) -> Result<Self, GpuError> {
        let record = size_of::<Feature>() + if plan.settings.describe { Descriptor::LEN } else { 0 };
        let plan = FloorPlan {
            source_bytes: plan.source_pitch() * plan.height as usize,
            result_bytes: plan.settings.target as usize * record,
            barriers: 2,
        };
        let bytes = |field: &str| plan.buffers().iter().find(|buffer| buffer.field == field).map_or(0, |b| b.bytes);
        let units = plan.arguments(0);
        let blocks = units.source_count.max(units.result_count).div_ceil(THREADS).clamp(1, BLOCKS);
        let blocks = blocks.min(floor.resident_blocks(THREADS)?.max(1));
        let both = |field| Both::new(stream, bytes(field));
        let (source, results, mut header) = (both("source")?, both("results")?, both("header")?);
        header.host.write(0, &[FloorHeader::zeroed()])?;
        let state = DeviceBuffer::zeroed(stream, bytes("state"))?;
        let shape = Shape { blocks, threads: THREADS, cooperative: true };
        Ok(Self { shape, plan, source, results, header, state, launch: 0 })
    }

    /// What a frame takes whose bytes go this way, from an image in pinned memory to results in pinned memory. It is
    /// waited for no longer than `limit`.
    pub(super) fn time(
        &mut self,
        floor: &Kernel<FloorArgs>,
        ways: Transfers,
        stream: &Stream,
        limit: Duration,
    ) -> Result<Duration, GpuError> {
        self.launch += 1;
        let mut arguments = self.plan.arguments(self.launch);
        let (image_copied, results_copied) =
            (ways.image == ImageTransfer::Copied, ways.results == ResultTransfer::Copied);
        let reached = |both: &Both, copied| if copied { both.device.address() } else { both.host.address() };
        arguments.source = reached(&self.source, image_copied);
        arguments.results = reached(&self.results, results_copied);
        arguments.header = reached(&self.header, results_copied);
        arguments.state = self.state.address();
        let start = Instant::now();
        // SAFETY: every address is that of a buffer as large as the plan says, alive until the stream is idle, as this type
        // asks for; nobody writes the source.
        unsafe {
            if image_copied {
                self.source.host.copy_to(&self.source.device, self.source.bytes, stream)?;
            }
            floor.launch(stream, self.shape, &arguments)?;
            for both in [&self.results, &self.header].into_iter().filter(|_| results_copied) {
                both.host.copy_from(&both.device, both.bytes, stream)?;
            }
        }
        wait::until(stream, &self.header.host, self.launch, limit)?;
        Ok(start.elapsed())
    }
}
