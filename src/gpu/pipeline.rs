//! Detection and tracking of a stream of frames on a device: memory, launches, results.
//!
//! A frame is loaded, then detection and tracking are queued one after the other on one stream, and only then waited
//! for. The results are the bits of the plain path (`kernels/README.md`).
#![allow(unsafe_code, reason = "launches kernels")]

mod detect_buffers;
mod pyramids;
mod track_buffers;
mod wait;

use std::sync::Arc;
use std::time::Duration;

use bytemuck::Zeroable;

use super::abi::{DetectArgs, DetectHeader, FeatureRecord, TrackArgs, TrackHeader, TrackRecord, TrackStart};
use super::context::{Context, Stream};
use super::error::GpuError;
use super::kernels::Kernels;
use super::module::{Kernel, Shape};
use super::plan::DetectPlan;
use super::track_plan::TrackPlan;
use crate::detect::{DetectSettings, Detection, Gain};
use crate::feature::{Descriptor, Feature};
use crate::image::ImageView;
use crate::mask::Mask;
use crate::track::{Flow, FlowStart, TrackSettings};
use detect_buffers::DetectBuffers;
use pyramids::Pyramids;
use track_buffers::TrackBuffers;

const DETECT_THREADS: u32 = 256;
const TRACK_THREADS: u32 = 64;
/// Points of a block of `track`: a warp each.
const TRACK_POINTS: u32 = 2;

/// Frames on a device.
#[derive(Debug)]
pub struct Pipeline {
    /// Longest wait for a launch.
    limit: Duration,
    stream: Stream,
    detect: Kernel<DetectArgs>,
    track: Kernel<TrackArgs>,
    /// Blocks of `detect` and of `track` that are resident at once.
    resident: [u32; 2],
    pyramids: Option<Pyramids>,
    buffers: Option<DetectBuffers>,
    tracks: Option<TrackBuffers>,
    /// The image that was loaded last.
    plan: Option<DetectPlan>,
    /// Number of the last launch of either kernel.
    launch: u64,
}

/// A launch of `detect` that was queued.
#[derive(Debug)]
#[must_use]
pub struct QueuedDetection(u64);

/// A launch of `track` that was queued; `None` for no points.
#[derive(Debug)]
#[must_use]
pub struct QueuedTracks(Option<(u64, u32)>);

impl Pipeline {
    /// A pipeline with no frame seen. A launch that takes longer than `limit` is taken for one that hangs.
    pub fn new(context: &Arc<Context>, kernels: &Kernels, limit: Duration) -> Result<Self, GpuError> {
        let (detect, track) = (kernels.kernel("detect", "detect")?, kernels.kernel("track", "track")?);
        Ok(Self {
            limit,
            stream: Stream::new(context)?,
            resident: [detect.resident_blocks(DETECT_THREADS)?.max(1), track.resident_blocks(TRACK_THREADS)?.max(1)],
            detect,
            track,
            pyramids: None,
            buffers: None,
            tracks: None,
            plan: None,
            launch: 0,
        })
    }

    /// Takes over kernels that were compiled anew.
    pub fn replace(&mut self, kernels: &Kernels) -> Result<(), GpuError> {
        self.detect = kernels.kernel("detect", "detect")?;
        self.track = kernels.kernel("track", "track")?;
        Ok(())
    }

    /// Takes the next image in; the pyramid of the one before stays for tracking, unless the size changed. Memory is
    /// allocated when sizes change. What was queued before must have been waited for.
    ///
    /// Errors: an image that is too large; what the driver answers.
    pub fn load(&mut self, image: &ImageView<'_>, settings: &DetectSettings) -> Result<(), GpuError> {
        let plan = DetectPlan::new(image, settings)
            .ok_or(GpuError::TooLarge { width: image.width(), height: image.height() })?;
        self.make_room(&plan)?;
        if let Some(buffers) = &mut self.buffers {
            buffers.write_source(&plan, image)?;
        }
        self.plan = Some(plan);
        Ok(())
    }

    /// The next pyramid, and buffers of the sizes of `plan`.
    fn make_room(&mut self, plan: &DetectPlan) -> Result<(), GpuError> {
        match &mut self.pyramids {
            Some(pyramids) if pyramids.size() == [plan.width, plan.height] => pyramids.swap(plan.settings.levels),
            pyramids => {
                wait::idle(&self.stream, self.limit)?;
                *pyramids = None;
                *pyramids = Some(Pyramids::new(self.stream.context(), plan)?);
            }
        }
        if self.buffers.as_ref().is_none_or(|buffers| !buffers.serves(plan)) {
            wait::idle(&self.stream, self.limit)?;
            // Before the new ones, so that both need not fit.
            self.buffers = None;
            self.buffers = Some(DetectBuffers::new(plan, &self.stream)?);
        }
        Ok(())
    }

    /// Queues the detection on the image that was loaded last. `prefilter` smooths it first.
    pub fn queue_detection(
        &mut self,
        mask: Option<&Mask>,
        gain: Gain,
        prefilter: bool,
    ) -> Result<QueuedDetection, GpuError> {
        let (Some(plan), Some(buffers), Some(pyramids)) = (&self.plan, &mut self.buffers, &self.pyramids) else {
            return Err(GpuError::NothingLoaded);
        };
        self.launch += 1;
        let mut arguments = plan.arguments(gain, prefilter, self.launch);
        buffers.place(&mut arguments, mask)?;
        arguments.pyramid = pyramids.current();
        let tiles = plan.width.div_ceil(32) * plan.height.div_ceil(32);
        let blocks = self.resident[0].min(tiles);
        let shape = Shape { blocks, threads: DETECT_THREADS, cooperative: true };
        // SAFETY: every address is that of a buffer as large as the plan says, of the stream's context. Buffers are
        // replaced, and dropped, only when the stream is idle; a GPU that cannot tell is abandoned with its buffers.
        unsafe { self.detect.launch(&self.stream, shape, &arguments)? };
        Ok(QueuedDetection(self.launch))
    }

    /// Queues tracking from the image before to the one that was loaded last, whose detection is queued already.
    pub fn queue_tracks(&mut self, starts: &[FlowStart], settings: &TrackSettings) -> Result<QueuedTracks, GpuError> {
        let Some(pyramids) = &self.pyramids else { return Err(GpuError::NothingLoaded) };
        let Some(previous) = pyramids.previous() else {
            return if starts.is_empty() { Ok(QueuedTracks(None)) } else { Err(GpuError::NothingLoaded) };
        };
        let count = starts.len() as u32;
        if count == 0 {
            return Ok(QueuedTracks(None));
        }
        if self.tracks.as_ref().is_none_or(|tracks| tracks.capacity() < count) {
            wait::idle(&self.stream, self.limit)?;
            self.tracks = None;
        }
        let tracks = match &mut self.tracks {
            Some(tracks) => tracks,
            none => none.insert(TrackBuffers::new(count, &self.stream)?),
        };
        let [width, height] = pyramids.size();
        let (levels, capacity) = (pyramids.common_levels(), tracks.capacity());
        self.launch += 1;
        let mut arguments =
            TrackPlan { width, height, levels, capacity, settings: *settings }.arguments(count, self.launch);
        tracks.write_starts(starts.iter().map(TrackStart::from))?;
        tracks.place(&mut arguments);
        (arguments.previous, arguments.current) = (previous, pyramids.current());
        let blocks = self.resident[1].min(count.div_ceil(TRACK_POINTS));
        let shape = Shape { blocks, threads: TRACK_THREADS, cooperative: false };
        // SAFETY: as for `detect`; both pyramids have the size and at least the levels that the arguments say.
        unsafe { self.track.launch(&self.stream, shape, &arguments)? };
        Ok(QueuedTracks(Some((self.launch, count))))
    }

    /// Waits for a detection, and advances `gain` (C3).
    ///
    /// Errors: what the driver answers; a kernel that hangs, after which the context is abandoned.
    pub fn detection(&mut self, queued: QueuedDetection, gain: &mut Gain) -> Result<Detection, GpuError> {
        let (Some(plan), Some(buffers)) = (&self.plan, &mut self.buffers) else { return Err(GpuError::NothingLoaded) };
        wait::until(&self.stream, buffers.header(), queued.0, self.limit)?;
        let mut header = [DetectHeader::zeroed()];
        buffers.header().read(0, &mut header)?;
        let [header] = header;
        let (features, descriptors) = buffers.results(header.count as usize, plan.settings.describe)?;
        *gain = gain.after(header.offered_class0, plan.settings.target);
        Ok(Detection {
            features: features.iter().map(Feature::from).collect(),
            descriptors: descriptors.iter().copied().map(Descriptor).collect(),
            offered: header.offered,
            offered_class0: header.offered_class0,
        })
    }

    /// Waits for tracks, in the order of the starts.
    ///
    /// Errors: as for [`Pipeline::detection`]; a record that no launch wrote.
    pub fn flows(&mut self, queued: QueuedTracks) -> Result<Vec<Flow>, GpuError> {
        let Some((launch, count)) = queued.0 else { return Ok(Vec::new()) };
        let Some(tracks) = &mut self.tracks else { return Err(GpuError::NothingLoaded) };
        wait::until(&self.stream, tracks.header(), launch, self.limit)?;
        let mut header = [TrackHeader::zeroed()];
        tracks.header().read(0, &mut header)?;
        let written = header.iter().all(|header| header.count == count);
        let records: &[TrackRecord] = tracks.results(count as usize)?;
        let flows: Option<Vec<Flow>> = records.iter().map(TrackRecord::flow).collect();
        flows.filter(|_| written).ok_or(GpuError::Unwritten { launch })
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        // What a kernel may still write to must not be freed under it.
        if !self.stream.context().is_abandoned() {
            // An error says that the work has ended, badly; past the limit the context is abandoned with its memory.
            let _ = wait::idle(&self.stream, self.limit);
        }
    }
}

impl From<&FeatureRecord> for Feature {
    fn from(record: &FeatureRecord) -> Self {
        Self {
            u: record.u,
            v: record.v,
            half_x: record.half_x.into(),
            half_y: record.half_y.into(),
            level: record.level,
            class: record.corner_class,
            threshold: record.threshold,
            score: record.score,
        }
    }
}
