//! The memory of a plan, allocated once. What the host touches is mapped; the rest stays on the device.
#![allow(unsafe_code, reason = "passes obligations on")]

use bytemuck::Zeroable;

use super::abi::{DetectionCounts, DetectionRecord, DetectionsArgs, LetterboxRecord};
use super::host_tensor::HostTensor;
use super::plan::{ZERO_AT_FIRST, buffers};
use crate::detections::{Letterbox, Plan};
use crate::gpu::abi::DevicePointer;
use crate::gpu::context::Stream;
use crate::gpu::error::GpuError;
use crate::gpu::memory::{DeviceBuffer, MappedBuffer};

#[derive(Debug)]
pub(super) struct Memory {
    /// `None` until a tensor comes from the host.
    tensor: Option<HostTensor>,
    letterboxes: MappedBuffer,
    records: MappedBuffer,
    counts: MappedBuffer,
    header: MappedBuffer,
    /// Where each buffer lies in the arguments, and its address; the tensor's is set by launch.
    addresses: Vec<(usize, DevicePointer)>,
    /// Those of the device alone: held, not touched.
    _device: Vec<DeviceBuffer>,
    /// Records as they are copied out.
    copied: Vec<DetectionRecord>,
}

impl Memory {
    pub(super) fn new(plan: &Plan, stream: &Stream) -> Result<Self, GpuError> {
        let context = stream.context();
        let layout = buffers(plan);
        let bytes = |field: &str| layout.iter().find(|buffer| buffer.field == field).map_or(0, |buffer| buffer.bytes);
        let mapped = |field: &str| MappedBuffer::new(context, bytes(field), false);
        let (letterboxes, records) = (mapped("letterboxes")?, mapped("records")?);
        let (counts, mut header) = (mapped("counts")?, mapped("header")?);
        header.write(0, &vec![0u8; bytes("header")])?;
        let (mut addresses, mut device) = (Vec::new(), Vec::new());
        for buffer in layout.iter().filter(|buffer| buffer.field != "tensor") {
            let address = match buffer.field {
                "letterboxes" => letterboxes.address(),
                "records" => records.address(),
                "counts" => counts.address(),
                "header" => header.address(),
                _ => {
                    let own = if ZERO_AT_FIRST.contains(&buffer.field) {
                        DeviceBuffer::zeroed(stream, buffer.bytes)?
                    } else {
                        DeviceBuffer::new(context, buffer.bytes)?
                    };
                    let address = own.address();
                    device.push(own);
                    address
                }
            };
            addresses.push((buffer.offset, address));
        }
        Ok(Self {
            tensor: None,
            letterboxes,
            records,
            counts,
            header,
            addresses,
            _device: device,
            copied: vec![DetectionRecord::zeroed(); plan.max_detections()],
        })
    }

    /// Copies a tensor of the plan to where the kernel reads it behind what `stream` has queued, and says where.
    ///
    /// # Safety
    /// What was queued with a tensor before is done; `self` lives until the work of `stream` is.
    pub(super) unsafe fn write_tensor(
        &mut self,
        plan: &Plan,
        bytes: &[u8],
        stream: &Stream,
    ) -> Result<DevicePointer, GpuError> {
        let tensor = match &mut self.tensor {
            Some(tensor) => tensor,
            none => none.insert(HostTensor::new(stream.context(), plan.tensor_bytes())?),
        };
        // SAFETY: passed on to the caller.
        unsafe { tensor.write(bytes, stream) }
    }

    pub(super) fn write_letterboxes(&mut self, letterboxes: &[Letterbox]) -> Result<(), GpuError> {
        let mut records = letterboxes.iter().map(LetterboxRecord::from).enumerate();
        let size = size_of::<LetterboxRecord>();
        records.try_for_each(|(image, record)| self.letterboxes.write(image * size, &[record]))
    }

    /// Writes the addresses, but for the tensor's.
    pub(super) fn place(&self, arguments: &mut DetectionsArgs) {
        let bytes = bytemuck::bytes_of_mut(arguments);
        for (offset, address) in &self.addresses {
            // The offsets are those of fields of this type.
            if let Some(field) = bytes.get_mut(*offset..*offset + size_of::<DevicePointer>()) {
                field.copy_from_slice(&address.to_ne_bytes());
            }
        }
    }

    pub(super) fn header(&self) -> &MappedBuffer {
        &self.header
    }

    pub(super) fn counts(&self, image: usize) -> Result<DetectionCounts, GpuError> {
        let mut counts = [DetectionCounts::zeroed()];
        self.counts.read(image * size_of::<DetectionCounts>(), &mut counts)?;
        let [counts] = counts;
        Ok(counts)
    }

    /// The first `count` boxes of an image.
    pub(super) fn records(&mut self, plan: &Plan, image: usize, count: u32) -> Result<&[DetectionRecord], GpuError> {
        let (bytes, size) = (std::mem::size_of_val(self.copied.as_slice()), size_of::<DetectionRecord>());
        let wanted = (count as usize).saturating_mul(size);
        let to = self.copied.get_mut(..count as usize).ok_or(GpuError::Range { bytes, offset: 0, wanted })?;
        self.records.read(image * plan.max_detections() * size, to)?;
        Ok(to)
    }
}
