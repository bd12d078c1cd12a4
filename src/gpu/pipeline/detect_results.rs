//! Where the features and descriptors of a detection go: kernels write them to memory that is handed out as it is, or,
//! where the CPU does not cache what a device reaches or none can be locked, they are copied out of mapped memory once.
#![allow(unsafe_code, reason = "queues copies, hands memory out that kernels wrote")]

use std::sync::Arc;

use bytemuck::Zeroable;

use super::result_slots::ResultSlots;
use super::shared::{Alternating, Reach};
use super::transfers::ResultTransfer;
use crate::detect::Detection;
use crate::feature::{Descriptor, Feature};
use crate::gpu::abi::DevicePointer;
use crate::gpu::context::{Context, Stream};
use crate::gpu::crew::Crew;
use crate::gpu::error::{GpuError, Severity};
use crate::gpu::memory::{DeviceBuffer, MappedBuffer};
use crate::results::Results;

/// The features of all that are wanted lie first, their descriptors behind them.
#[derive(Debug)]
pub(super) struct DetectResults {
    /// Most features.
    capacity: usize,
    /// Bytes, with all descriptors.
    bytes: usize,
    /// Where kernels write, if they do not reach into host memory.
    twin: Option<DeviceBuffer>,
    host: Host,
}

/// Host memory in two slots.
#[derive(Debug)]
enum Host {
    HandedOut(ResultSlots),
    Copied(Alternating<MappedBuffer>),
}

impl Host {
    /// Slots of `bytes` bytes.
    fn new(bytes: usize, transfer: ResultTransfer, context: &Arc<Context>) -> Result<Self, GpuError> {
        if transfer != ResultTransfer::MappedCopied && context.device().registers_host_memory {
            match ResultSlots::new(context, bytes) {
                Ok(slots) => return Ok(Self::HandedOut(slots)),
                Err(error) if error.severity() == Severity::Sticky => return Err(error),
                Err(error) => tracing::debug!("results are copied, not handed out in place: {error}"),
            }
        }
        Ok(Self::Copied(Alternating::new(|| MappedBuffer::new(context, bytes, false))?))
    }
}

/// First byte of the descriptors.
fn descriptors_at(capacity: usize) -> usize {
    (capacity * size_of::<Feature>()).next_multiple_of(Descriptor::LEN)
}

impl DetectResults {
    /// Room for `capacity` features, with descriptors if `described`.
    pub(super) fn new(
        capacity: usize,
        described: bool,
        transfer: ResultTransfer,
        stream: &Stream,
    ) -> Result<Self, GpuError> {
        let bytes = descriptors_at(capacity) + if described { capacity * Descriptor::LEN } else { 0 };
        // Results are copied whole, also where kernels wrote nothing.
        let twin = (transfer.reach() == Reach::Device).then(|| DeviceBuffer::zeroed(stream, bytes)).transpose()?;
        let host = Host::new(bytes, transfer, stream.context())?;
        Ok(Self { capacity, bytes, twin, host })
    }

    /// Where kernels of `frame` write features and descriptors.
    pub(super) fn addresses(&self, frame: u64) -> [DevicePointer; 2] {
        let features = match (&self.twin, &self.host) {
            (Some(twin), _) => twin.address(),
            (None, Host::HandedOut(slots)) => slots.of(frame).address(),
            (None, Host::Copied(slots)) => slots.of(frame).address(),
        };
        [features, features + descriptors_at(self.capacity) as DevicePointer]
    }

    /// Has the host see what kernels queued before it write for `frame`.
    ///
    /// # Safety
    /// `self` lives until the work of `stream` is done.
    pub(super) unsafe fn download(&self, frame: u64, described: bool, stream: &Stream) -> Result<(), GpuError> {
        let Some(twin) = &self.twin else { return Ok(()) };
        let bytes = if described { self.bytes } else { self.capacity * size_of::<Feature>() };
        match &self.host {
            // SAFETY: passed on to the caller; what is in a slot does not lie still.
            Host::HandedOut(slots) => unsafe { slots.of(frame).copy_from(twin, bytes, stream) },
            // SAFETY: passed on to the caller.
            Host::Copied(slots) => unsafe { slots.of(frame).copy_from(twin, bytes, stream) },
        }
    }

    /// Replaces features and descriptors of `detection` by the `count` ones of `frame`.
    ///
    /// Errors: more than there is room for, as in memory that no launch wrote; a device that is lost.
    ///
    /// # Safety
    /// The last launch for the slot of `frame`, and the copies of what it wrote, have ended.
    pub(super) unsafe fn take(
        &mut self,
        frame: u64,
        count: usize,
        described: bool,
        detection: &mut Detection,
        crew: &Crew,
    ) -> Result<(), GpuError> {
        let (size, at) = (size_of::<Feature>(), descriptors_at(self.capacity));
        let too_many = GpuError::Range { bytes: self.capacity * size, offset: 0, wanted: count.saturating_mul(size) };
        if count > self.capacity {
            return Err(too_many);
        }
        let described = if described { count } else { 0 };
        // What was handed out with the results before comes back first.
        let (features, descriptors) = (detection.features.own(), detection.descriptors.own());
        if let Host::HandedOut(slots) = &mut self.host
            // SAFETY: passed on to the caller.
            && let Some(memory) = unsafe { slots.hand_out(frame)? }
        {
            let descriptors = Results::in_device_written(memory.clone(), at, described);
            let features = Results::in_device_written(memory, 0, count);
            let (Some(features), Some(descriptors)) = (features, descriptors) else { return Err(too_many) };
            (detection.features, detection.descriptors) = (features, descriptors);
            return Ok(());
        }
        features.resize(count, Feature::zeroed());
        descriptors.resize(described, Descriptor::zeroed());
        match &self.host {
            Host::HandedOut(slots) => {
                slots.of(frame).read(0, features)?;
                slots.of(frame).read(at, descriptors)
            }
            Host::Copied(slots) => {
                slots.of(frame).read_by(crew, 0, features)?;
                slots.of(frame).read_by(crew, at, descriptors)
            }
        }
    }
}
