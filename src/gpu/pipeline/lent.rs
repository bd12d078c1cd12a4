//! Images that kernels read where their owner has them: each is held until the launch that reads it has ended.

use std::sync::Arc;

use super::shared::Alternating;
use crate::gpu::abi::DevicePointer;
use crate::gpu::context::Context;
use crate::gpu::error::GpuError;
use crate::gpu::plan::DetectPlan;
use crate::gpu::registered;
use crate::image::{ImageView, PageMemory};

/// The memory of an image, and where kernels find it.
type Loan = (Arc<PageMemory>, DevicePointer);

/// Where a frame's image is.
#[derive(Debug, Default)]
enum Place {
    /// In a copy.
    #[default]
    Copied,
    Lent(Loan),
    /// With its owner again.
    GivenBack,
}

/// Those of the last two frames.
#[derive(Debug)]
pub(super) struct Lent {
    context: Arc<Context>,
    places: Alternating<Place>,
}

impl Lent {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self, GpuError> {
        Ok(Self { context: Arc::clone(context), places: Alternating::new(|| Ok(Place::Copied))? })
    }

    /// Borrows the memory of `image` for `frame`; false where it has to be copied. What was lent to the frame before the
    /// last goes back: its launch has ended.
    ///
    /// Errors: a device that is lost.
    pub(super) fn take(&mut self, frame: u64, plan: &DetectPlan, image: &ImageView<'_>) -> Result<bool, GpuError> {
        let place = self.places.of_mut(frame);
        *place = Place::Copied;
        let Some(memory) = image.memory().filter(|_| image.step() == plan.source_pitch()) else { return Ok(false) };
        let address = registered::address_of(memory, &self.context)?;
        if let Some(address) = address {
            *place = Place::Lent((Arc::clone(memory), address));
        }
        Ok(address.is_some())
    }

    /// Errors: an image that is with its owner again.
    pub(super) fn of(&self, frame: u64) -> Result<Option<(&PageMemory, DevicePointer)>, GpuError> {
        match self.places.of(frame) {
            Place::Copied => Ok(None),
            Place::Lent((memory, address)) => Ok(Some((memory, *address))),
            Place::GivenBack => Err(GpuError::NothingLoaded),
        }
    }

    pub(super) fn give_back(&mut self, frame: u64) {
        let place = self.places.of_mut(frame);
        if matches!(place, Place::Lent(_)) {
            *place = Place::GivenBack;
        }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if self.context.is_abandoned() {
            // A kernel that hangs may still read them.
            std::mem::forget([0, 1].map(|frame| std::mem::take(self.places.of_mut(frame))));
        }
    }
}
