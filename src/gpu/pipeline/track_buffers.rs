//! The memory of tracking, but for the pyramids, allocated once for a number of points.

use bytemuck::Zeroable;

use super::detect_buffers::copied;
use crate::gpu::abi::{TrackArgs, TrackHeader, TrackRecord, TrackStart};
use crate::gpu::context::Stream;
use crate::gpu::device::MemorySystem;
use crate::gpu::error::GpuError;
use crate::gpu::memory::{DeviceBuffer, MappedBuffer};

/// What one launch of `track` reads and writes.
#[derive(Debug)]
pub(super) struct TrackBuffers {
    starts: MappedBuffer,
    flows: MappedBuffer,
    header: MappedBuffer,
    arrivals: DeviceBuffer,
    records: Vec<TrackRecord>,
}

impl TrackBuffers {
    /// For at least `count` points.
    pub(super) fn new(count: u32, stream: &Stream) -> Result<Self, GpuError> {
        let (context, capacity) = (stream.context(), count.next_power_of_two().max(256) as usize);
        let combine = context.device().memory == MemorySystem::Uncached;
        let mut header = MappedBuffer::new(context, size_of::<TrackHeader>(), false)?;
        header.write(0, &[TrackHeader::zeroed()])?;
        let arrivals = DeviceBuffer::new(context, size_of::<u32>())?;
        arrivals.fill(0, stream)?;
        Ok(Self {
            starts: MappedBuffer::new(context, capacity * size_of::<TrackStart>(), combine)?,
            flows: MappedBuffer::new(context, capacity * size_of::<TrackRecord>(), false)?,
            header,
            arrivals,
            records: vec![TrackRecord::zeroed(); capacity],
        })
    }

    pub(super) fn capacity(&self) -> u32 {
        self.records.len() as u32
    }

    pub(super) fn write_starts(&mut self, starts: impl Iterator<Item = TrackStart>) -> Result<(), GpuError> {
        starts.enumerate().try_for_each(|(i, start)| self.starts.write(i * size_of::<TrackStart>(), &[start]))
    }

    pub(super) fn place(&self, arguments: &mut TrackArgs) {
        arguments.starts = self.starts.address();
        arguments.flows = self.flows.address();
        arguments.header = self.header.address();
        arguments.arrivals = self.arrivals.address();
    }

    pub(super) fn header(&self) -> &MappedBuffer {
        &self.header
    }

    pub(super) fn results(&mut self, count: usize) -> Result<&[TrackRecord], GpuError> {
        copied(&self.flows, &mut self.records, count)
    }
}
