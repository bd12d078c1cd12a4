//! The memory of tracking, but for the pyramids, allocated once for a number of points.

use bytemuck::Zeroable;

use super::shared::Shared;
use crate::gpu::abi::{TrackArgs, TrackHeader, TrackRecord, TrackStart};
use crate::gpu::context::Stream;
use crate::gpu::device::MemorySystem;
use crate::gpu::error::GpuError;
use crate::gpu::memory::{DeviceBuffer, MappedBuffer};
use crate::track::{Flow, FlowStart};

/// Least number of points that there is room for.
const LEAST: u32 = 256;

/// What launches of `track` read and write.
#[derive(Debug)]
pub(super) struct TrackBuffers {
    starts: Shared,
    flows: Shared,
    header: Shared,
    arrivals: DeviceBuffer,
    /// Flows as they are copied out, once and in order.
    records: Vec<TrackRecord>,
}

impl TrackBuffers {
    /// For at least `count` points.
    pub(super) fn new(count: u32, stream: &Stream) -> Result<Self, GpuError> {
        let (context, capacity) = (stream.context(), count.max(LEAST).next_power_of_two() as usize);
        let combine = context.device().memory == MemorySystem::Uncached;
        let arrivals = DeviceBuffer::new(context, size_of::<u32>())?;
        arrivals.fill(0, stream)?;
        Ok(Self {
            starts: Shared::new(context, capacity * size_of::<TrackStart>(), combine)?,
            flows: Shared::new(context, capacity * size_of::<TrackRecord>(), false)?,
            header: Shared::holding(context, TrackHeader::zeroed())?,
            arrivals,
            records: vec![TrackRecord::zeroed(); capacity],
        })
    }

    /// Points that there is room for.
    pub(super) fn capacity(&self) -> u32 {
        self.records.len() as u32
    }

    pub(super) fn write_starts(&mut self, frame: u64, starts: &[FlowStart]) -> Result<(), GpuError> {
        let memory = self.starts.host_mut(frame);
        let mut offsets = (0..).step_by(size_of::<TrackStart>());
        starts.iter().zip(&mut offsets).try_for_each(|(start, at)| memory.write(at, &[TrackStart::from(start)]))
    }

    pub(super) fn place(&self, frame: u64, arguments: &mut TrackArgs) {
        arguments.starts = self.starts.address(frame);
        arguments.flows = self.flows.address(frame);
        arguments.header = self.header.address(frame);
        arguments.arrivals = self.arrivals.address();
    }

    pub(super) fn header(&self, frame: u64) -> &MappedBuffer {
        self.header.host(frame)
    }

    /// Replaces `flows` by those of `frame`, whose header has been seen. Whether all `count` of them were written: memory
    /// that no launch wrote has no flows.
    pub(super) fn results(&mut self, frame: u64, count: u32, flows: &mut Vec<Flow>) -> Result<bool, GpuError> {
        let mut header = [TrackHeader::zeroed()];
        self.header.host(frame).read(0, &mut header)?;
        let (bytes, wanted) = (size_of_val(self.records.as_slice()), count as usize * size_of::<TrackRecord>());
        let records = self.records.get_mut(..count as usize).ok_or(GpuError::Range { bytes, offset: 0, wanted })?;
        self.flows.host(frame).read(0, records)?;
        flows.clear();
        flows.extend(records.iter().map_while(TrackRecord::flow));
        Ok(header.iter().all(|header| header.count == count) && flows.len() == records.len())
    }
}
