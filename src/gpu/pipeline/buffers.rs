//! The memory of a pipeline, allocated once for a size. What the host touches is mapped; the rest stays on the device.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};

use crate::detect::MAX_LEVELS;
use crate::feature::Descriptor;
use crate::gpu::abi::{DetectArgs, DevicePointer, FeatureRecord, TrackArgs, TrackHeader, TrackRecord, TrackStart};
use crate::gpu::context::{Context, Stream};
use crate::gpu::device::MemorySystem;
use crate::gpu::error::GpuError;
use crate::gpu::memory::{DeviceBuffer, MappedBuffer};
use crate::gpu::plan::{DetectPlan, pyramid_bytes, pyramid_levels};
use crate::image::ImageView;
use crate::mask::Mask;

/// The pyramids of the last two images. Both have room for all levels, so that a level's place depends on the size alone.
#[derive(Debug)]
pub(super) struct Pyramids {
    size: [u32; 2],
    buffers: [DeviceBuffer; 2],
    /// Levels that are, or will be, in each; 0 for none.
    levels: [u32; 2],
}

impl Pyramids {
    pub(super) fn new(context: &Arc<Context>, plan: &DetectPlan) -> Result<Self, GpuError> {
        let bytes = pyramid_bytes(&pyramid_levels(plan.width, plan.height, MAX_LEVELS as u32));
        let buffers = [DeviceBuffer::new(context, bytes)?, DeviceBuffer::new(context, bytes)?];
        Ok(Self { size: [plan.width, plan.height], buffers, levels: [plan.settings.levels, 0] })
    }

    pub(super) fn size(&self) -> [u32; 2] {
        self.size
    }

    /// The next image, of `levels`, takes the place of the one before the last.
    pub(super) fn swap(&mut self, levels: u32) {
        let [current, previous] = &mut self.buffers;
        std::mem::swap(current, previous);
        self.levels = [levels, self.levels[0]];
    }

    pub(super) fn current(&self) -> DevicePointer {
        self.buffers[0].address()
    }

    /// `None` before the second image.
    pub(super) fn previous(&self) -> Option<DevicePointer> {
        (self.levels[1] > 0).then(|| self.buffers[1].address())
    }

    pub(super) fn common_levels(&self) -> u32 {
        self.levels[0].min(self.levels[1])
    }
}

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

/// The memory of `track`, but for the pyramids.
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

/// The first `count` values of `from`, copied into `to`.
fn copied<'a, T: Pod>(from: &MappedBuffer, to: &'a mut [T], count: usize) -> Result<&'a [T], GpuError> {
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
