//! The stream of frames: what continues it, what starts it anew.

use crate::error::Refusal;
use crate::frame::StampNs;
use crate::params::Params;
use crate::stamps::{Continuation, PublishThrottle, RestartReason, StampGuard};

/// Stamps, sizes and the publishing rate of one image stream.
#[derive(Debug, Default)]
pub(super) struct Stream {
    stamps: StampGuard,
    throttle: PublishThrottle,
    /// A restart that was asked for and comes with the next frame.
    requested: Option<RestartReason>,
    /// Size of the last frame.
    size: Option<[u32; 2]>,
    /// Stamp of the last frame that was processed since the last restart.
    before_ns: Option<StampNs>,
    /// Time between that frame and the one before it, ns; 0 where there is none.
    interval_ns: StampNs,
}

/// How a frame that is processed goes on from the one processed before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Advance {
    /// Stamp of the frame processed before, if the stream goes on from there.
    pub before_ns: Option<StampNs>,
    /// The time since then over the time between it and the one before it, at most 2; 1 where that is not known.
    pub pace: f32,
    /// Whether `freq` lets the frame be published.
    pub publish: bool,
}

impl Stream {
    /// Whether the frame stamped `stamp_ns` continues the stream or starts it anew.
    ///
    /// Errors: another size than `image_size`, and the stamps that [`StampGuard::admit`] refuses.
    pub fn admit(&mut self, stamp_ns: StampNs, size: [u32; 2], params: &Params) -> Result<Continuation, Refusal> {
        let [width, height] = size;
        if let [wanted_width, wanted_height] = *params.image_size.as_slice()
            && [wanted_width, wanted_height] != size.map(i64::from)
        {
            return Err(Refusal::ConfiguredSize { width, height, wanted_width, wanted_height });
        }
        let continuation = self.stamps.admit(stamp_ns, params.restart_gap_s)?;
        let resized = self.size.replace(size).is_some_and(|before| before != size);
        let restart = self.requested.take().or(continuation.restart).or(resized.then_some(RestartReason::SizeChange));
        if restart.is_some() {
            self.throttle.reset();
            self.before_ns = None;
            self.interval_ns = 0;
        }
        Ok(Continuation { restart, ..continuation })
    }

    /// Notes that the frame stamped `stamp_ns` is processed.
    pub fn advance(&mut self, stamp_ns: StampNs, freq: f64) -> Advance {
        let before_ns = self.before_ns.replace(stamp_ns);
        let interval_ns = before_ns.map_or(0, |before_ns| stamp_ns - before_ns);
        let interval_before_ns = std::mem::replace(&mut self.interval_ns, interval_ns);
        let pace = if interval_before_ns > 0 { interval_ns as f32 / interval_before_ns as f32 } else { 1.0 };
        Advance { before_ns, pace: pace.min(2.0), publish: self.throttle.admit(stamp_ns, freq) }
    }

    /// Restarts with the next frame, on request.
    pub fn request_restart(&mut self) {
        self.requested = Some(RestartReason::Requested);
    }
}
