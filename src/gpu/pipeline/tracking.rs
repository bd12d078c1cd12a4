//! Tracking: queued behind the detection of the frame, then waited for.
#![allow(unsafe_code, reason = "launches kernels")]

use super::pyramids::before;
use super::track_buffers::TrackBuffers;
use super::{Pipeline, wait};
use crate::gpu::error::GpuError;
use crate::gpu::module::Shape;
use crate::gpu::track_plan::TrackPlan;
use crate::track::{Flow, FlowStart, TrackSettings};

/// Threads of a block of `track`: a point.
pub(super) const THREADS: u32 = 128;

/// A launch of `track` that was queued, or none for no points. Its results last as those of a
/// [`QueuedDetection`](super::QueuedDetection).
#[derive(Debug)]
#[must_use]
pub struct QueuedTracks(Option<Launched>);

#[derive(Debug)]
struct Launched {
    frame: u64,
    launch: u64,
    count: u32,
}

impl Pipeline {
    /// Queues tracking from the image before to the one that was loaded last, whose detection is queued already.
    ///
    /// Errors: [`GpuError::NothingLoaded`] where the detection of one of the two was not queued, or failed.
    pub fn queue_tracks(&mut self, starts: &[FlowStart], settings: &TrackSettings) -> Result<QueuedTracks, GpuError> {
        let (frame, count, transfers) = (self.frame, starts.len() as u32, self.transfers());
        let Some(pyramids) = &self.pyramids else { return Err(GpuError::NothingLoaded) };
        if count == 0 {
            return Ok(QueuedTracks(None));
        }
        let levels = pyramids.common_levels(frame);
        if levels == 0 {
            return Err(GpuError::NothingLoaded);
        }
        if self.tracks.as_ref().is_none_or(|tracks| tracks.capacity() < count) {
            wait::idle(&self.stream, self.limit)?;
            self.tracks = None;
        }
        let launch = self.next_launch(|last| &mut last.track);
        let Some(pyramids) = &self.pyramids else { return Err(GpuError::NothingLoaded) };
        let tracks = match &mut self.tracks {
            Some(tracks) => tracks,
            none => none.insert(TrackBuffers::new(count, transfers, &self.stream)?),
        };
        let ([width, height], capacity) = (pyramids.size(), tracks.capacity());
        let mut arguments = TrackPlan { width, height, levels, capacity, settings: *settings }.arguments(count, launch);
        tracks.write_starts(frame, starts)?;
        tracks.place(frame, &mut arguments);
        (arguments.previous, arguments.current) = (pyramids.of(before(frame)), pyramids.of(frame));
        let blocks = self.kernels.track_blocks.min(count).min(self.most_blocks);
        let shape = Shape { blocks, threads: THREADS, cooperative: false };
        // SAFETY: as for `detect`; both pyramids have the size and at least the levels that the arguments say.
        unsafe {
            self.kernels.track.launch(&self.stream, shape, &arguments)?;
            tracks.download(frame, count, &self.stream)?;
        }
        Ok(QueuedTracks(Some(Launched { frame, launch, count })))
    }

    /// Waits for tracks and replaces `flows` by them, in the order of the starts. Allocates nothing where `flows` has held
    /// as many before. After an error its contents are arbitrary.
    ///
    /// Errors: as for [`Pipeline::detection_into`]; a record that no launch wrote.
    pub fn flows_into(&mut self, queued: QueuedTracks, flows: &mut Vec<Flow>) -> Result<(), GpuError> {
        flows.clear();
        let Some(Launched { frame, launch, count }) = queued.0 else { return Ok(()) };
        if self.last.of(frame).track != launch {
            return Err(GpuError::Unwritten { launch });
        }
        let Some(tracks) = &mut self.tracks else { return Err(GpuError::NothingLoaded) };
        wait::until(&self.stream, tracks.header(frame), launch, self.limit)?;
        self.ended = self.ended.max(launch);
        if tracks.results(frame, count, flows)? { Ok(()) } else { Err(GpuError::Unwritten { launch }) }
    }

    /// [`Pipeline::flows_into`] memory of its own.
    pub fn flows(&mut self, queued: QueuedTracks) -> Result<Vec<Flow>, GpuError> {
        let mut flows = Vec::new();
        self.flows_into(queued, &mut flows)?;
        Ok(flows)
    }
}
