//! Detection and tracking of a stream of frames on a device: memory, launches, results.
//!
//! A frame is loaded, then detection and tracking are queued one after the other on one stream, and only then waited
//! for. The results are the bits of the plain path (`kernels/README.md`).
//!
//! What the host touches has two slots, and frames take turns: the results of a frame, read or not, stay until the frame
//! after the next is loaded, and a launch that is late disturbs nothing. The arguments of a launch need no slots: they are
//! passed by value, and the driver has copied them when the launch returns.
//!
//! Features and descriptors are not copied out of their slot: a [`Detection`](crate::detect::Detection) takes the
//! memory along, and the slot gets other memory. It stays as it is while anything of it is held, also when pipeline and
//! context are gone. They are copied where the device does not lock ordinary memory, where the CPU does not cache what
//! the device reaches (TX2), and where many detections are held.
//!
//! All memory is allocated once for the sizes of images and settings; a frame like the one before allocates nothing, on
//! the device or on the heap, where its results replace those before.

mod detect_buffers;
mod detect_results;
mod detection;
mod floor_frames;
mod floors;
mod lent;
mod mask_buffer;
mod measure;
mod pyramids;
mod records;
mod result_slots;
mod shared;
mod track_buffers;
mod tracking;
mod transfers;
pub(super) mod wait;

use std::sync::Arc;
use std::time::Duration;

use super::abi::{DetectArgs, TrackArgs};
use super::context::{Context, Stream};
use super::crew::Crew;
use super::device::MemorySystem;
use super::error::GpuError;
use super::floor::abi::FloorArgs;
use super::kernels::Kernels;
use super::module::Kernel;
use super::plan::DetectPlan;
use crate::detect::DetectSettings;
use crate::image::ImageView;
use detect_buffers::DetectBuffers;
use floor_frames::FloorFrames;
use pyramids::Pyramids;
use shared::Alternating;
use track_buffers::TrackBuffers;

pub use detection::QueuedDetection;
pub use floors::Floors;
pub use tracking::QueuedTracks;
pub use transfers::{ImageTransfer, ResultTransfer, Transfers};

/// The kernels, and how many blocks of each are resident at once.
#[derive(Debug)]
struct Launchable {
    detect: Kernel<DetectArgs>,
    detect_blocks: u32,
    track: Kernel<TrackArgs>,
    track_blocks: u32,
    /// Frames without work, where it matters how their bytes go. A folder of kernels may lack it.
    floor: Option<Kernel<FloorArgs>>,
}

impl Launchable {
    fn new(kernels: &Kernels, memory: MemorySystem) -> Result<Self, GpuError> {
        let (detect, track) = (kernels.kernel("detect", "detect")?, kernels.kernel("track", "track")?);
        let detect_blocks = detect.resident_blocks(detection::THREADS)?.max(1);
        let track_blocks = track.resident_blocks(tracking::THREADS)?.max(1);
        let floor = (memory == MemorySystem::Discrete).then(|| kernels.kernel("floor", "frame_floor").ok()).flatten();
        Ok(Self { detect, detect_blocks, track, track_blocks, floor })
    }
}

/// Of a slot, the number of the last launch of each kernel; 0 for none.
#[derive(Clone, Copy, Debug, Default)]
struct LastLaunches {
    detect: u64,
    track: u64,
}

/// Frames on a device.
#[derive(Debug)]
pub struct Pipeline {
    /// Longest wait for a launch.
    limit: Duration,
    crew: Crew,
    stream: Stream,
    kernels: Launchable,
    /// Most blocks of a launch, as far as that is up to the host.
    most_blocks: u32,
    pyramids: Option<Pyramids>,
    buffers: Option<DetectBuffers>,
    tracks: Option<TrackBuffers>,
    transfers: Transfers,
    /// Whether they stay as they are, whatever the device.
    forced: bool,
    /// A measurement that was given up while a launch was late: the launch may still write to its memory.
    late: Option<FloorFrames>,
    /// The image that was loaded last.
    plan: Option<DetectPlan>,
    /// Number of the image that was loaded last: its parity is its slot.
    frame: u64,
    /// Number of the last launch of either kernel.
    launch: u64,
    /// The last launches of each slot: whose results it has, or will have.
    last: Alternating<LastLaunches>,
    /// Launches up to this one have ended: those of a stream do so in order.
    ended: u64,
}

impl Pipeline {
    /// A pipeline with no frame seen. A launch is waited for no longer than `limit`.
    ///
    /// How images and results are transferred follows from the memory system; on a discrete card it is measured when memory
    /// is allocated.
    pub fn new(context: &Arc<Context>, kernels: &Kernels, limit: Duration) -> Result<Self, GpuError> {
        let memory = context.device().memory;
        Ok(Self {
            limit,
            crew: Crew::default(),
            transfers: Transfers::of(memory),
            forced: false,
            late: None,
            kernels: Launchable::new(kernels, memory)?,
            most_blocks: u32::MAX,
            stream: Stream::new(context)?,
            pyramids: None,
            buffers: None,
            tracks: None,
            plan: None,
            frame: 0,
            launch: 0,
            last: Alternating::new(|| Ok(LastLaunches::default()))?,
            ended: 0,
        })
    }

    /// A pipeline that transfers in these ways.
    pub fn with_transfers(
        context: &Arc<Context>,
        kernels: &Kernels,
        limit: Duration,
        transfers: Transfers,
    ) -> Result<Self, GpuError> {
        let mut pipeline = Self::new(context, kernels, limit)?;
        (pipeline.transfers, pipeline.forced) = (transfers, true);
        Ok(pipeline)
    }

    /// How images and results are transferred; on a discrete card that is known once an image was loaded.
    pub fn transfers(&self) -> Transfers {
        self.transfers
    }

    /// From now on `count` threads help to copy images, and results that are not handed out in place, at most
    /// [`MOST_UPLOAD_THREADS`](super::MOST_UPLOAD_THREADS).
    pub fn set_helpers(&mut self, count: u32) {
        self.crew = Crew::new(count);
    }

    /// A frame comes within a moment: those who help to copy are woken.
    pub fn wake(&self) {
        self.crew.wake();
    }

    /// From now on a launch is waited for no longer than `limit`.
    pub fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
    }

    /// From now on no launch has more than this many blocks, at least 1: results are the same, which tests show.
    pub fn set_most_blocks(&mut self, most: u32) {
        self.most_blocks = most.max(1);
    }

    /// Takes over kernels that were compiled anew.
    pub fn replace(&mut self, kernels: &Kernels) -> Result<(), GpuError> {
        self.kernels = Launchable::new(kernels, self.stream.context().device().memory)?;
        Ok(())
    }

    /// Takes the next image in, where it lies if that is an [`ImageBuffer`](crate::image::ImageBuffer) whose memory the
    /// device can lock, else by a copy; the pyramid of the one before stays for tracking, unless the size changed. Memory is
    /// allocated when sizes change: what was queued before is then waited for, and results not read are lost. Else only
    /// what was queued for the frame before the last is waited for, if nobody has.
    ///
    /// Errors: an image that is too large; what the driver answers.
    pub fn load(&mut self, image: &ImageView<'_>, settings: &DetectSettings) -> Result<(), GpuError> {
        let plan = DetectPlan::new(image, settings)
            .ok_or(GpuError::TooLarge { width: image.width(), height: image.height() })?;
        let frame = self.frame + 1;
        let LastLaunches { detect, track } = *self.last.of(frame);
        if detect.max(track) > self.ended {
            self.settle()?;
        }
        if self.ended == self.launch {
            self.stream.context().release_retired();
        }
        // Until there is room for the new one.
        self.plan = None;
        self.make_room(&plan)?;
        self.frame = frame;
        if let Some(pyramids) = &mut self.pyramids {
            pyramids.hold(frame, 0);
        }
        if let Some(buffers) = &mut self.buffers {
            buffers.write_source(frame, &plan, image, &self.crew)?;
        }
        self.plan = Some(plan);
        Ok(())
    }

    /// Waits until everything that was queued has ended, at most the limit.
    ///
    /// Errors: what became of it; [`GpuError::Timeout`].
    pub fn settle(&mut self) -> Result<(), GpuError> {
        wait::idle(&self.stream, self.limit)?;
        self.ended = self.launch;
        Ok(())
    }

    /// Waits until everything that was queued has ended, well or badly, for as long as that can take.
    ///
    /// Errors: [`GpuError::Hangs`], and the context is abandoned: any other call could hang as well.
    pub fn finish(&mut self) -> Result<(), GpuError> {
        wait::finished(&self.stream)
    }

    /// Memory of the sizes of `plan`.
    fn make_room(&mut self, plan: &DetectPlan) -> Result<(), GpuError> {
        // What is replaced goes before the new, so that both need not fit.
        if self.pyramids.as_ref().is_none_or(|pyramids| pyramids.size() != [plan.width, plan.height]) {
            self.settle()?;
            self.pyramids = None;
            self.pyramids = Some(Pyramids::new(&self.stream, plan)?);
        }
        if self.buffers.as_ref().is_none_or(|buffers| !buffers.serves(plan)) {
            self.settle()?;
            self.buffers = None;
            // Locked memory is only retired when it is dropped; the stream is idle.
            self.stream.context().release_retired();
            self.choose_transfers(plan)?;
            self.buffers = Some(DetectBuffers::new(plan, self.transfers, &self.stream)?);
        }
        // There are hardly more points to track than features are wanted.
        if self.tracks.as_ref().is_none_or(|tracks| tracks.capacity() < plan.settings.target) {
            self.settle()?;
            self.tracks = None;
            self.tracks = Some(TrackBuffers::new(plan.settings.target, self.transfers, &self.stream)?);
        }
        Ok(())
    }

    /// The number of a launch for the frame that was loaded last. From now on its slot is taken to be in use: copies are
    /// queued before the launch.
    fn next_launch(&mut self, of: impl Fn(&mut LastLaunches) -> &mut u64) -> u64 {
        self.launch += 1;
        *of(self.last.of_mut(self.frame)) = self.launch;
        self.launch
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        // What a kernel may still write to must not be freed under it. A context that is abandoned keeps it.
        let _ = self.finish();
    }
}
