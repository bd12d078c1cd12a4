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
    /// The image's stamp.
    pub stamp_ns: StampNs,
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
    /// `trigger: imu_interval` processes image k when t_k + td >= t_last + 0.9 / trigger_hz and the IMU covers
    /// t_k + td, or after `imu_wait_ms`. An image whose stamp went back is never too soon.
    pub fn decide(&mut self, params: &Params, waiting: Waiting) -> Decision {
        let stamp = waiting.stamp_ns.saturating_add((params.td * 1e9) as StampNs);
        let decision = match params.trigger {
            Mode::EveryFrame => Decision::Process,
            Mode::ImuInterval if waiting.imu_silent >= IMU_SILENCE => Decision::Process,
            Mode::ImuInterval if self.too_soon(stamp, params.trigger_hz) => Decision::Skip,
            Mode::ImuInterval if waiting.imu_newest_ns.is_some_and(|newest| newest >= stamp) => Decision::Process,
            Mode::ImuInterval => {
                let longest = Duration::from_secs_f64(params.imu_wait_ms * 1e-3);
                match longest.checked_sub(waiting.waited) {
                    Some(rest) if !rest.is_zero() => Decision::Wait(rest),
                    _ => Decision::Process,
                }
            }
        };
        if decision == Decision::Process {
            self.last_ns = Some(stamp);
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
    fn td_moves_the_image_on_the_imu_clock() {
        let (params, mut trigger) = (Params { td: 0.005, ..imu_interval() }, Trigger::default());
        assert!(matches!(trigger.decide(&params, waiting(100, 0, Some(104), 0)), Decision::Wait(_)));
        assert_eq!(trigger.decide(&params, waiting(100, 0, Some(105), 0)), Decision::Process);
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
