//! The memory of tracking, but for the pyramids, allocated once for a number of points.

#![allow(unsafe_code, reason = "queues copies")]

use bytemuck::Zeroable;

use super::records::Records;
use super::shared::Shared;
use super::transfers::Transfers;
use crate::gpu::abi::{TrackArgs, TrackHeader, TrackRecord, TrackStart};
use crate::gpu::context::Stream;
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
    records: Records<TrackRecord>,
}

impl TrackBuffers {
    /// For at least `count` points.
    pub(super) fn new(count: u32, transfers: Transfers, stream: &Stream) -> Result<Self, GpuError> {
        let capacity = count.max(LEAST).next_power_of_two() as usize;
        let (input, output) = (transfers.image.reach_of_little(), transfers.results.reach());
        let arrivals = DeviceBuffer::zeroed(stream, size_of::<u32>())?;
        Ok(Self {
            starts: Shared::new(stream, capacity * size_of::<TrackStart>(), input)?,
            flows: Shared::new(stream, capacity * size_of::<TrackRecord>(), output)?,
            header: Shared::holding(stream, TrackHeader::zeroed(), output)?,
            arrivals,
            records: Records::new(capacity, transfers.results),
        })
    }

    /// Points that there is room for.
    pub(super) fn capacity(&self) -> u32 {
        self.records.capacity() as u32
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

    /// Has the host see what the launch for `frame`, queued before, makes of `count` points.
    ///
    /// # Safety
    /// `self` lives until the work of `stream` is done.
    pub(super) unsafe fn download(&self, frame: u64, count: u32, stream: &Stream) -> Result<(), GpuError> {
        // SAFETY: passed on to the caller. The header comes last: once it is there, so is the rest.
        unsafe {
            self.flows.download(frame, count as usize * size_of::<TrackRecord>(), stream)?;
            self.header.download(frame, size_of::<TrackHeader>(), stream)
        }
    }

    pub(super) fn header(&self, frame: u64) -> &MappedBuffer {
        self.header.host(frame)
    }

    /// Replaces `flows` by those of `frame`, whose header has been seen. Whether all `count` of them were written: memory
    /// that no launch wrote has no flows.
    pub(super) fn results(&mut self, frame: u64, count: u32, flows: &mut Vec<Flow>) -> Result<bool, GpuError> {
        let mut header = [TrackHeader::zeroed()];
        self.header.host(frame).read(0, &mut header)?;
        flows.clear();
        self.records.read(self.flows.host(frame), count as usize, |records| {
            flows.extend(records.iter().filter_map(TrackRecord::flow));
        })?;
        Ok(header.iter().all(|header| header.count == count) && flows.len() == count as usize)
    }
}
