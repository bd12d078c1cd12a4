//! The memory of detection, allocated once for a size. What the host touches is mapped and has two slots; the rest stays
//! on the device and needs one: launches of a stream follow each other.

#![allow(unsafe_code, reason = "queues copies")]

use bytemuck::Zeroable;

use super::detect_results::DetectResults;
use super::lent::Lent;
use super::mask_buffer::MaskBuffer;
use super::shared::Shared;
use super::transfers::Transfers;
use crate::detect::Detection;
use crate::gpu::abi::{DetectArgs, DetectHeader, DevicePointer};
use crate::gpu::context::Stream;
use crate::gpu::crew::{Crew, Way};
use crate::gpu::device::MemorySystem;
use crate::gpu::error::GpuError;
use crate::gpu::memory::{DeviceBuffer, MappedBuffer};
use crate::gpu::plan::{Buffer, DetectPlan};
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

/// All of `detect` but for the pyramids.
#[derive(Debug)]
pub(super) struct DetectBuffers {
    sizes: Sizes,
    /// Of the image to page-locked memory.
    way: Way,
    source: Shared,
    lent: Lent,
    mask: MaskBuffer,
    results: DetectResults,
    header: Shared,
    /// Those of the device alone, each with where its address lies in the arguments.
    device: Vec<(usize, DeviceBuffer)>,
}

impl DetectBuffers {
    pub(super) fn new(plan: &DetectPlan, transfers: Transfers, stream: &Stream) -> Result<Self, GpuError> {
        let context = stream.context();
        let layout = plan.buffers();
        let bytes = |field: &str| layout.iter().find(|buffer| buffer.field == field).map_or(0, |buffer| buffer.bytes);
        let (input, output) = (transfers.image.reach(), transfers.results.reach());
        let own = |buffer: &&Buffer| !buffer.host && buffer.field != "pyramid";
        let make = |buffer: &Buffer| {
            let own = if buffer.field == "barrier" {
                DeviceBuffer::zeroed(stream, buffer.bytes)?
            } else {
                DeviceBuffer::new(context, buffer.bytes)?
            };
            Ok((buffer.offset, own))
        };
        Ok(Self {
            sizes: sizes(plan),
            way: if context.device().memory == MemorySystem::Discrete { Way::Streamed } else { Way::Cached },
            source: Shared::new(stream, bytes("source"), input)?,
            lent: Lent::new(context)?,
            mask: MaskBuffer::new(stream, plan.width as usize, plan.height as usize, input)?,
            results: DetectResults::new(
                plan.settings.target as usize,
                plan.settings.describe,
                transfers.results,
                stream,
            )?,
            header: Shared::holding(stream, DetectHeader::zeroed(), output)?,
            device: layout.iter().filter(own).map(make).collect::<Result<_, GpuError>>()?,
        })
    }

    /// Whether images of `plan` need buffers of just these sizes.
    pub(super) fn serves(&self, plan: &DetectPlan) -> bool {
        self.sizes == sizes(plan)
    }

    /// Takes the image in: as it lies in a buffer that the device reads, else by a copy.
    pub(super) fn write_source(
        &mut self,
        frame: u64,
        plan: &DetectPlan,
        image: &ImageView<'_>,
        crew: &Crew,
    ) -> Result<(), GpuError> {
        if self.lent.take(frame, plan, image)? {
            return Ok(());
        }
        let source = self.source.host_mut(frame);
        if image.step() == plan.source_pitch() {
            return source.write_by(crew, self.way, image.data());
        }
        (0..plan.height as usize).try_for_each(|y| source.write(y * plan.source_pitch(), image.row(y)))
    }

    /// Writes the addresses for `frame` into `arguments`, and has kernels queued after it see source and mask.
    ///
    /// # Safety
    /// `self` lives until the work of `stream` is done, and what was queued for the frame before the last is.
    pub(super) unsafe fn place(
        &mut self,
        frame: u64,
        arguments: &mut DetectArgs,
        mask: Option<&Mask>,
        stream: &Stream,
    ) -> Result<(), GpuError> {
        let bytes = bytemuck::bytes_of_mut(arguments);
        for (offset, buffer) in &self.device {
            // The offsets are those of fields of this type.
            if let Some(field) = bytes.get_mut(*offset..*offset + size_of::<DevicePointer>()) {
                field.copy_from_slice(&buffer.address().to_ne_bytes());
            }
        }
        let source_bytes = arguments.source_pitch as usize * arguments.height as usize;
        // SAFETY: passed on to the caller; the slot is written by its next frame alone, and what is lent stays until then.
        arguments.source = unsafe {
            match self.lent.of(frame)? {
                Some((pages, address)) => self.source.upload_from(pages, address, source_bytes, stream)?,
                None => {
                    self.source.upload(frame, source_bytes, stream)?;
                    self.source.address(frame)
                }
            }
        };
        if let Some(mask) = mask {
            // SAFETY: passed on to the caller.
            arguments.mask = unsafe { self.mask.hold(frame, mask, stream)? };
        }
        [arguments.features, arguments.descriptors] = self.results.addresses(frame);
        arguments.header = self.header.address(frame);
        Ok(())
    }

    /// Has the host see what the launch for `frame`, queued before, finds.
    ///
    /// # Safety
    /// `self` lives until the work of `stream` is done.
    pub(super) unsafe fn download(&self, frame: u64, described: bool, stream: &Stream) -> Result<(), GpuError> {
        // SAFETY: passed on to the caller. The header comes last: once it is there, so is the rest.
        unsafe {
            self.results.download(frame, described, stream)?;
            self.header.download(frame, size_of::<DetectHeader>(), stream)
        }
    }

    /// The launch for `frame` has ended: the image is its owner's again.
    pub(super) fn give_back(&mut self, frame: u64) {
        self.lent.give_back(frame);
    }

    pub(super) fn header(&self, frame: u64) -> &MappedBuffer {
        self.header.host(frame)
    }

    /// Replaces `detection` by the results of `frame`.
    ///
    /// Errors: those of [`DetectResults::take`].
    ///
    /// # Safety
    /// The header of the last launch for the slot of `frame` has been seen.
    pub(super) unsafe fn take_results(
        &mut self,
        frame: u64,
        described: bool,
        detection: &mut Detection,
        crew: &Crew,
    ) -> Result<(), GpuError> {
        let mut header = [DetectHeader::zeroed()];
        self.header.host(frame).read(0, &mut header)?;
        let [header] = header;
        (detection.offered, detection.offered_class0) = (header.offered, header.offered_class0);
        // SAFETY: the header is written, and copied, after the rest.
        unsafe { self.results.take(frame, header.count as usize, described, detection, crew) }
    }
}
