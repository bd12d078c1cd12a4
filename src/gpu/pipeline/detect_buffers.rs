//! The memory of detection, allocated once for a size. What the host touches is mapped and has two slots; the rest stays
//! on the device and needs one: launches of a stream follow each other.

use bytemuck::Zeroable;

use super::shared::Shared;
use crate::detect::Detection;
use crate::feature::{Descriptor, Feature};
use crate::gpu::abi::{DetectArgs, DetectHeader, DevicePointer, FeatureRecord};
use crate::gpu::context::Stream;
use crate::gpu::device::MemorySystem;
use crate::gpu::error::GpuError;
use crate::gpu::memory::{DeviceBuffer, MappedBuffer};
use crate::gpu::plan::{Buffer, DetectPlan};
use crate::image::ImageView;
use crate::mask::Mask;

use super::mask_buffer::MaskBuffer;

/// What the sizes of all buffers of [`DetectPlan`] follow from.
type Sizes = [usize; 8];

fn sizes(plan: &DetectPlan) -> Sizes {
    let settings = &plan.settings;
    let numbers = [plan.width, plan.height, settings.levels, settings.grid_x, settings.grid_y, settings.target];
    let [width, height, levels, grid_x, grid_y, target] = numbers.map(|number| number as usize);
    [width, height, plan.source_pitch(), levels, grid_x, grid_y, target, settings.describe.into()]
}

/// All of `detect` but for the pyramids.
#[derive(Debug)]
pub(super) struct DetectBuffers {
    sizes: Sizes,
    source: Shared,
    mask: MaskBuffer,
    features: Shared,
    descriptors: Shared,
    header: Shared,
    /// Those of the device alone, each with where its address lies in the arguments.
    device: Vec<(usize, DeviceBuffer)>,
    /// Features as they are copied out, once and in order.
    records: Vec<FeatureRecord>,
}

impl DetectBuffers {
    pub(super) fn new(plan: &DetectPlan, stream: &Stream) -> Result<Self, GpuError> {
        let context = stream.context();
        let layout = plan.buffers();
        let bytes = |field: &str| layout.iter().find(|buffer| buffer.field == field).map_or(0, |buffer| buffer.bytes);
        // The TX2's CPU does not cache pinned memory: combined writes are the fast way in there.
        let combine = context.device().memory == MemorySystem::Uncached;
        let own = |buffer: &&Buffer| !buffer.host && buffer.field != "pyramid";
        let make = |buffer: &Buffer| {
            let own = DeviceBuffer::new(context, buffer.bytes)?;
            if buffer.field == "barrier" {
                own.fill(0, stream)?;
            }
            Ok((buffer.offset, own))
        };
        Ok(Self {
            sizes: sizes(plan),
            source: Shared::new(context, bytes("source"), combine)?,
            mask: MaskBuffer::new(context, plan.width as usize, plan.height as usize, combine)?,
            features: Shared::new(context, bytes("features"), false)?,
            descriptors: Shared::new(context, bytes("descriptors"), false)?,
            header: Shared::holding(context, DetectHeader::zeroed())?,
            device: layout.iter().filter(own).map(make).collect::<Result<_, GpuError>>()?,
            records: vec![FeatureRecord::zeroed(); plan.settings.target as usize],
        })
    }

    /// Whether images of `plan` need buffers of just these sizes.
    pub(super) fn serves(&self, plan: &DetectPlan) -> bool {
        self.sizes == sizes(plan)
    }

    pub(super) fn write_source(
        &mut self,
        frame: u64,
        plan: &DetectPlan,
        image: &ImageView<'_>,
    ) -> Result<(), GpuError> {
        let source = self.source.host_mut(frame);
        (0..plan.height as usize).try_for_each(|y| source.write(y * plan.source_pitch(), image.row(y)))
    }

    /// Writes the addresses for `frame` into `arguments`, and the mask to its buffer.
    pub(super) fn place(
        &mut self,
        frame: u64,
        arguments: &mut DetectArgs,
        mask: Option<&Mask>,
    ) -> Result<(), GpuError> {
        let bytes = bytemuck::bytes_of_mut(arguments);
        for (offset, buffer) in &self.device {
            // The offsets are those of fields of this type.
            if let Some(field) = bytes.get_mut(*offset..*offset + size_of::<DevicePointer>()) {
                field.copy_from_slice(&buffer.address().to_ne_bytes());
            }
        }
        arguments.source = self.source.address(frame);
        arguments.features = self.features.address(frame);
        arguments.descriptors = self.descriptors.address(frame);
        arguments.header = self.header.address(frame);
        if let Some(mask) = mask {
            arguments.mask = self.mask.hold(frame, mask)?;
        }
        Ok(())
    }

    pub(super) fn header(&self, frame: u64) -> &MappedBuffer {
        self.header.host(frame)
    }

    /// Replaces `detection` by the results of `frame`, whose header has been seen.
    ///
    /// Errors: more features than there is room for, as in memory that no launch wrote.
    pub(super) fn results(&mut self, frame: u64, described: bool, detection: &mut Detection) -> Result<(), GpuError> {
        let mut header = [DetectHeader::zeroed()];
        self.header.host(frame).read(0, &mut header)?;
        let [header] = header;
        let count = header.count as usize;
        let (bytes, wanted) = (size_of_val(self.records.as_slice()), count.saturating_mul(size_of::<FeatureRecord>()));
        let records = self.records.get_mut(..count).ok_or(GpuError::Range { bytes, offset: 0, wanted })?;
        self.features.host(frame).read(0, records)?;
        detection.features.clear();
        detection.features.extend(records.iter().map(Feature::from));
        detection.descriptors.resize(if described { count } else { 0 }, Descriptor::zeroed());
        self.descriptors.host(frame).read(0, &mut detection.descriptors)?;
        (detection.offered, detection.offered_class0) = (header.offered, header.offered_class0);
        Ok(())
    }
}
