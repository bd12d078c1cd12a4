//! The memory of detection, allocated once for a size. What the host touches is mapped; the rest stays on the device.

use bytemuck::{Pod, Zeroable};

use crate::feature::Descriptor;
use crate::gpu::abi::{DetectArgs, DevicePointer, FeatureRecord};
use crate::gpu::context::Stream;
use crate::gpu::device::MemorySystem;
use crate::gpu::error::GpuError;
use crate::gpu::memory::{DeviceBuffer, MappedBuffer};
use crate::gpu::plan::DetectPlan;
use crate::image::ImageView;
use crate::mask::Mask;

/// What the sizes of all buffers of [`DetectPlan`] follow from.
type Sizes = [usize; 8];

fn sizes(plan: &DetectPlan) -> Sizes {
    let settings = &plan.settings;
    let numbers = [plan.width, plan.height, settings.levels, settings.grid_x, settings.grid_y, settings.target];
    let [width, height, levels, grid_x, grid_y, target] = numbers.map(|number| number as usize);
    [width, height, plan.source_pitch(), levels, grid_x, grid_y, target, settings.describe.into()]
}

/// Everything else of `detect`.
#[derive(Debug)]
pub(super) struct DetectBuffers {
    sizes: Sizes,
    source: MappedBuffer,
    mask: MappedBuffer,
    /// What the mask's buffer holds: most masks stay as they are, and comparing is cheaper than writing.
    held_mask: Vec<u8>,
    features: MappedBuffer,
    descriptors: MappedBuffer,
    header: MappedBuffer,
    /// Where each buffer lies in the arguments, and its address; the mask's is set by frame.
    addresses: Vec<(usize, DevicePointer)>,
    /// Those of the device alone: held, not touched.
    _device: Vec<DeviceBuffer>,
    /// Results as they are copied out, once and in order.
    records: Vec<FeatureRecord>,
    bytes: Vec<[u8; Descriptor::LEN]>,
}

impl DetectBuffers {
    pub(super) fn new(plan: &DetectPlan, stream: &Stream) -> Result<Self, GpuError> {
        let context = stream.context();
        let layout = plan.buffers();
        let bytes = |field: &str| layout.iter().find(|buffer| buffer.field == field).map_or(0, |buffer| buffer.bytes);
        // The TX2's CPU does not cache pinned memory: combined writes are the fast way in there.
        let combine = context.device().memory == MemorySystem::Uncached;
        let mapped = |field: &str, combine: bool| MappedBuffer::new(context, bytes(field), combine);
        let (source, mask) = (mapped("source", combine)?, mapped("mask", combine)?);
        let (features, descriptors) = (mapped("features", false)?, mapped("descriptors", false)?);
        let mut header = mapped("header", false)?;
        header.write(0, &vec![0u8; bytes("header")])?;
        let (mut addresses, mut device) = (Vec::new(), Vec::new());
        for buffer in layout.iter().filter(|buffer| !["mask", "pyramid"].contains(&buffer.field)) {
            let address = match buffer.field {
                "source" => source.address(),
                "features" => features.address(),
                "descriptors" => descriptors.address(),
                "header" => header.address(),
                _ => {
                    let own = DeviceBuffer::new(context, buffer.bytes)?;
                    if buffer.field == "barrier" {
                        own.fill(0, stream)?;
                    }
                    device.push(own);
                    device.last().map_or(0, DeviceBuffer::address)
                }
            };
            addresses.push((buffer.offset, address));
        }
        let target = plan.settings.target as usize;
        let records = vec![FeatureRecord::zeroed(); target];
        let bytes = vec![[0; Descriptor::LEN]; if plan.settings.describe { target } else { 0 }];
        let held_mask = Vec::with_capacity(plan.width as usize * plan.height as usize);
        Ok(Self {
            sizes: sizes(plan),
            source,
            mask,
            held_mask,
            features,
            descriptors,
            header,
            addresses,
            _device: device,
            records,
            bytes,
        })
    }

    /// Whether images of `plan` need buffers of just these sizes.
    pub(super) fn serves(&self, plan: &DetectPlan) -> bool {
        self.sizes == sizes(plan)
    }

    pub(super) fn write_source(&mut self, plan: &DetectPlan, image: &ImageView<'_>) -> Result<(), GpuError> {
        (0..plan.height as usize).try_for_each(|y| self.source.write(y * plan.source_pitch(), image.row(y)))
    }

    /// Writes the addresses into `arguments`, and the mask to its buffer.
    pub(super) fn place(&mut self, arguments: &mut DetectArgs, mask: Option<&Mask>) -> Result<(), GpuError> {
        place(arguments, &self.addresses);
        if let Some(mask) = mask {
            let [width, height, ..] = self.sizes;
            if [mask.width(), mask.height()] != [width, height] {
                return Err(GpuError::Range { bytes: width * height, offset: 0, wanted: mask.bytes().len() });
            }
            if self.held_mask != mask.bytes() {
                self.mask.write(0, mask.bytes())?;
                self.held_mask.clear();
                self.held_mask.extend_from_slice(mask.bytes());
            }
            arguments.mask = self.mask.address();
        }
        Ok(())
    }

    pub(super) fn header(&self) -> &MappedBuffer {
        &self.header
    }

    /// The first `count` features and, if `described`, descriptors.
    pub(super) fn results(
        &mut self,
        count: usize,
        described: bool,
    ) -> Result<(&[FeatureRecord], &[[u8; Descriptor::LEN]]), GpuError> {
        let features = copied(&self.features, &mut self.records, count)?;
        let descriptors = copied(&self.descriptors, &mut self.bytes, if described { count } else { 0 })?;
        Ok((features, descriptors))
    }
}

/// The first `count` values of `from`, copied into `to`.
pub(super) fn copied<'a, T: Pod>(from: &MappedBuffer, to: &'a mut [T], count: usize) -> Result<&'a [T], GpuError> {
    let (bytes, wanted) = (std::mem::size_of_val(to), count.saturating_mul(size_of::<T>()));
    let to = to.get_mut(..count).ok_or(GpuError::Range { bytes, offset: 0, wanted })?;
    from.read(0, to)?;
    Ok(to)
}

fn place(arguments: &mut DetectArgs, addresses: &[(usize, DevicePointer)]) {
    let bytes = bytemuck::bytes_of_mut(arguments);
    for (offset, address) in addresses {
        // The offsets are those of fields of this type.
        if let Some(field) = bytes.get_mut(*offset..*offset + size_of::<DevicePointer>()) {
            field.copy_from_slice(&address.to_ne_bytes());
        }
    }
}
