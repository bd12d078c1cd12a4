//! When a node that has lost its GPU may end and be started again: only while nothing is lost with it.

use crate::frame::StampNs;

/// A camera that moves its tracks by less than this between two frames stands, px.
const STILL_PX: f32 = 0.1;
/// It must have stood for this long.
const STILL_NS: StampNs = 1_000_000_000;

/// Looks for the moment.
#[derive(Debug, Default)]
pub struct Respawn {
    still_since_ns: Option<StampNs>,
}

impl Respawn {
    /// Whether a back end would lose nothing after this frame: its tracks have just started anew (`restarted`), or the
    /// camera stands. `drift_px` is the median displacement of the tracks; `None` without any.
    pub fn is_moment(&mut self, stamp_ns: StampNs, drift_px: Option<f32>, restarted: bool) -> bool {
        let stands = drift_px.is_some_and(|drift_px| drift_px < STILL_PX) && !restarted;
        let since_ns = *self.still_since_ns.get_or_insert(stamp_ns);
        self.still_since_ns = stands.then_some(since_ns);
        restarted || stands && stamp_ns - since_ns >= STILL_NS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME_NS: StampNs = 50_000_000;

    #[test]
    fn a_restart_or_a_second_without_motion_is_the_moment() {
        let mut respawn = Respawn::default();
        let mut at = |k: StampNs, drift_px, restarted| respawn.is_moment(k * FRAME_NS, drift_px, restarted);
        assert!(at(1, None, true), "a restart");
        assert!((2..40).all(|k| !at(k, Some(0.5), false)), "it moves");
        assert!((40..60).all(|k| !at(k, Some(0.05), false)), "it has just come to rest");
        assert!(at(60, Some(0.05), false), "it stands");
        assert!(!at(61, Some(0.2), false) && !at(62, Some(0.0), false), "it moved in between");
        assert!((63..100).all(|k| !at(k, None, false)), "nothing tells whether it moves");
    }
}
