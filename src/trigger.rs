//! When a waiting image is processed. Pure: the time is an argument.

use std::time::Duration;

use crate::frame::StampNs;
use crate::params::{Params, Trigger as Mode};

/// Without an IMU sample for this long, every image is processed: a dead IMU never silences the node.
pub const IMU_SILENCE: Duration = Duration::from_secs(1);

/// What to do with the oldest waiting image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    Process,
    /// Too soon after the image before: not processed, counted as skipped.
    Skip,
    /// Ask again when an IMU sample arrives, at the latest after this time.
    Wait(Duration),
}

/// What is known when the decision is taken.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// The image's stamp on the clock of the IMU.
    pub stamp_ns: StampNs,
    /// Whether tracking gains from IMU samples that cover the image.
    pub wants_imu: bool,
    /// Whether the next image to come would push one out.
    pub crowded: bool,
    /// How long the image has waited.
    pub waited: Duration,
    /// Stamp of the newest IMU sample.
    pub imu_newest_ns: Option<StampNs>,
    /// Time since the last IMU sample came, or since the start.
    pub imu_silent: Duration,
}

/// The state of `trigger`: the image processed last.
#[derive(Clone, Debug, Default)]
pub struct Trigger {
    last_ns: Option<StampNs>,
}

impl Trigger {
    /// Images wait up to `imu_wait_ms` for the IMU to cover them: with `trigger: imu_interval` all, otherwise those whose
    /// tracks are predicted. None waits for an IMU that is silent, or so long that an image would be lost.
    ///
    /// `trigger: imu_interval` processes image k only when t_k + td >= t_last + 0.9 / trigger_hz. An image whose stamp
    /// went back is never too soon.
    pub fn decide(&mut self, params: &Params, waiting: Waiting) -> Decision {
        let alive = waiting.imu_silent < IMU_SILENCE;
        let by_interval = params.trigger == Mode::ImuInterval && alive;
        let heard = waiting.wants_imu && alive && waiting.imu_newest_ns.is_some();
        let covered = waiting.imu_newest_ns.is_some_and(|newest| newest >= waiting.stamp_ns);
        let rest = Duration::from_secs_f64(params.imu_wait_ms * 1e-3).saturating_sub(waiting.waited);
        let decision = if by_interval && self.too_soon(waiting.stamp_ns, params.trigger_hz) {
            Decision::Skip
        } else if (by_interval || heard) && !covered && !waiting.crowded && !rest.is_zero() {
            Decision::Wait(rest)
        } else {
            Decision::Process
        };
        if decision == Decision::Process {
            self.last_ns = Some(waiting.stamp_ns);
        }
        decision
    }

    fn too_soon(&self, stamp: StampNs, hz: f64) -> bool {
        self.last_ns.is_some_and(|last| stamp >= last && ((stamp - last) as f64) < 0.9e9 / hz)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: StampNs = 1_000_000;

    fn waiting(stamp_ms: i64, waited_ms: u64, newest_ms: Option<i64>, silent_ms: u64) -> Waiting {
        Waiting {
            stamp_ns: stamp_ms * MS,
            wants_imu: false,
            crowded: false,
            waited: Duration::from_millis(waited_ms),
            imu_newest_ns: newest_ms.map(|ms| ms * MS),
            imu_silent: Duration::from_millis(silent_ms),
        }
    }

    fn imu_interval() -> Params {
        Params { trigger: Mode::ImuInterval, trigger_hz: 20.0, imu_wait_ms: 30.0, ..Params::default() }
    }

    #[test]
    fn every_frame_never_waits() {
        let mut trigger = Trigger::default();
        for stamp in [100, 101, 50] {
            assert_eq!(trigger.decide(&Params::default(), waiting(stamp, 0, None, 0)), Decision::Process);
        }
    }

    #[test]
    fn imu_interval_waits_for_cover_then_goes_on_without() {
        let (params, mut trigger) = (imu_interval(), Trigger::default());
        assert_eq!(trigger.decide(&params, waiting(100, 10, Some(99), 1)), Decision::Wait(Duration::from_millis(20)));
        assert_eq!(trigger.decide(&params, waiting(100, 11, Some(100), 1)), Decision::Process);
        assert_eq!(trigger.decide(&params, waiting(130, 0, Some(140), 1)), Decision::Skip);
        assert_eq!(trigger.decide(&params, waiting(150, 30, Some(149), 1)), Decision::Process);
    }

    #[test]
    fn a_predicted_frame_waits_for_its_imu_and_only_for_a_live_one() {
        let (params, mut trigger) = (Params { imu_wait_ms: 30.0, ..Params::default() }, Trigger::default());
        let mut decide = |waiting| trigger.decide(&params, Waiting { wants_imu: true, ..waiting });
        assert_eq!(decide(waiting(100, 10, Some(99), 1)), Decision::Wait(Duration::from_millis(20)));
        assert_eq!(decide(Waiting { crowded: true, ..waiting(100, 10, Some(99), 1) }), Decision::Process);
        assert_eq!(decide(waiting(100, 10, Some(100), 1)), Decision::Process);
        assert_eq!(decide(waiting(100, 30, Some(99), 1)), Decision::Process);
        assert_eq!(decide(waiting(100, 10, Some(99), 1000)), Decision::Process);
        assert_eq!(decide(waiting(100, 10, None, 1)), Decision::Process);
    }

    #[test]
    fn a_dead_imu_means_every_frame() {
        let (params, mut trigger) = (imu_interval(), Trigger::default());
        for stamp in [100, 101, 102] {
            assert_eq!(trigger.decide(&params, waiting(stamp, 0, None, 1000)), Decision::Process);
        }
    }

    #[test]
    fn a_stamp_that_went_back_is_not_too_soon() {
        let (params, mut trigger) = (imu_interval(), Trigger::default());
        assert_eq!(trigger.decide(&params, waiting(5000, 0, Some(5000), 0)), Decision::Process);
        assert_eq!(trigger.decide(&params, waiting(100, 0, Some(5000), 0)), Decision::Process);
    }
}
