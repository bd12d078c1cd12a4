//! Floors under a frame, to be measured beside it: what its bytes take at least on this device, and from this memory.
#![allow(unsafe_code, reason = "launches kernels and queues copies")]

use std::sync::Arc;
use std::time::Duration;

use bytemuck::Zeroable;

use super::floor_frames::FloorFrames;
use super::shared::Alternating;
use super::transfers::Transfers;
use super::wait;
use crate::detect::DetectSettings;
use crate::gpu::context::{Context, Stream};
use crate::gpu::error::GpuError;
use crate::gpu::floor::abi::{FloorArgs, FloorHeader};
use crate::gpu::kernels::Kernels;
use crate::gpu::memory::{DeviceBuffer, MappedBuffer};
use crate::gpu::module::{Kernel, Shape};
use crate::gpu::plan::DetectPlan;
use crate::image::ImageView;

/// One warp: it has nothing to do.
const FLAG: Shape = Shape { blocks: 1, threads: 32, cooperative: false };

/// Floors under frames of one size.
#[derive(Debug)]
pub struct Floors {
    stream: Stream,
    limit: Duration,
    floor: Kernel<FloorArgs>,
    flag: Kernel<FloorArgs>,
    plan: DetectPlan,
    frames: FloorFrames,
    /// Where images of ordinary memory are copied to.
    staging: Alternating<MappedBuffer>,
    /// Images in page-locked memory.
    sources: Vec<MappedBuffer>,
    image: DeviceBuffer,
    header: MappedBuffer,
    launch: u64,
}

impl Floors {
    /// For images such as `images`, of which copies are kept in page-locked memory.
    ///
    /// Errors: no image, or one that is too large; kernels without the floor's; what the driver answers.
    pub fn new(
        context: &Arc<Context>,
        kernels: &Kernels,
        images: &[ImageView<'_>],
        settings: &DetectSettings,
        limit: Duration,
    ) -> Result<Self, GpuError> {
        let first = images.first().ok_or(GpuError::NothingLoaded)?;
        let plan = DetectPlan::new(first, settings)
            .ok_or(GpuError::TooLarge { width: first.width(), height: first.height() })?;
        let (floor, flag) = (kernels.kernel("floor", "frame_floor")?, kernels.kernel("floor", "frame_flag")?);
        let stream = Stream::new(context)?;
        let bytes = plan.source_pitch() * plan.height as usize;
        let pinned = || MappedBuffer::new(context, bytes, false);
        let copy = |image: &ImageView<'_>| {
            let mut source = pinned()?;
            write_rows(&plan, image, &mut source).map(|()| source)
        };
        let mut header = MappedBuffer::new(context, size_of::<FloorHeader>(), false)?;
        header.write(0, &[FloorHeader::zeroed()])?;
        Ok(Self {
            limit,
            frames: FloorFrames::new(&floor, &plan, &stream)?,
            staging: Alternating::new(pinned)?,
            sources: images.iter().map(copy).collect::<Result<_, _>>()?,
            image: DeviceBuffer::new(context, bytes)?,
            stream,
            floor,
            flag,
            plan,
            header,
            launch: 0,
        })
    }

    /// From an image in ordinary memory: copied to page-locked memory and from there to the device, then a kernel that
    /// sets a flag, which is looked at until it is set.
    pub fn from_ordinary(&mut self, image: &ImageView<'_>) -> Result<(), GpuError> {
        self.launch += 1;
        let staging = self.staging.of_mut(self.launch);
        write_rows(&self.plan, image, staging)?;
        // SAFETY: as for `copy_and_flag`; the other staging buffer is next.
        unsafe { self.copy_and_flag(None) }
    }

    /// The same from the copy of image `k` in page-locked memory.
    pub fn from_page_locked(&mut self, k: usize) -> Result<(), GpuError> {
        self.launch += 1;
        // SAFETY: nobody writes to it.
        unsafe { self.copy_and_flag(Some(k)) }
    }

    /// A frame without work, image and results in page-locked memory: as many bytes in and out as detection has for all
    /// features that are wanted, two meetings of all blocks.
    pub fn frame(&mut self, ways: Transfers) -> Result<(), GpuError> {
        self.frames.time(&self.floor, ways, &self.stream, self.limit).map(|_| ())
    }

    /// # Safety
    /// The source, or the staging buffer of this launch, is not written until it has ended.
    unsafe fn copy_and_flag(&self, source: Option<usize>) -> Result<(), GpuError> {
        let source = match source {
            Some(k) => self.sources.get(k).ok_or(GpuError::NothingLoaded)?,
            None => self.staging.of(self.launch),
        };
        let bytes = self.plan.source_pitch() * self.plan.height as usize;
        let arguments = FloorArgs { frame: self.launch, header: self.header.address(), ..FloorArgs::zeroed() };
        // SAFETY: passed on to the caller; `self` waits for the stream before it goes.
        unsafe {
            source.copy_to(&self.image, bytes, &self.stream)?;
            self.flag.launch(&self.stream, FLAG, &arguments)?;
        }
        wait::until(&self.stream, &self.header, self.launch, self.limit)
    }
}

impl Drop for Floors {
    fn drop(&mut self) {
        // A launch that is late may still read and write all of this. A context that is abandoned keeps it.
        let _ = wait::finished(&self.stream);
    }
}

fn write_rows(plan: &DetectPlan, image: &ImageView<'_>, to: &mut MappedBuffer) -> Result<(), GpuError> {
    if image.step() == plan.source_pitch() {
        return to.write(0, image.data());
    }
    (0..plan.height as usize).try_for_each(|y| to.write(y * plan.source_pitch(), image.row(y)))
}
