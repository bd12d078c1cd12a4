//! Image stamps: which frames continue the stream, which restart it, which are refused; and the publishing rate.

use crate::error::Refusal;
use crate::frame::StampNs;

/// Why the front end started anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestartReason {
    /// A stamp went back: a bag loop, a clock that was set.
    Backwards,
    /// More than `restart_gap_s` between two stamps.
    Gap,
    /// The image size changed.
    SizeChange,
    /// The `~/reset` service.
    Requested,
}

impl RestartReason {
    /// The short name in logs and diagnostics.
    pub fn name(self) -> &'static str {
        match self {
            RestartReason::Backwards => "stamp went back",
            RestartReason::Gap => "gap between stamps",
            RestartReason::SizeChange => "image size changed",
            RestartReason::Requested => "requested",
        }
    }
}

/// Follows the stamps of one image stream.
#[derive(Clone, Debug, Default)]
pub struct StampGuard {
    last: Option<StampNs>,
    /// Smoothed interval between two frames, ns.
    usual_interval: Option<f64>,
}

/// How a frame's stamp continues the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Continuation {
    pub restart: Option<RestartReason>,
    /// Interval to the frame before minus the usual interval, ns; 0 after a restart.
    pub jitter_ns: f64,
}

impl StampGuard {
    /// Admits the frame stamped `stamp_ns`. The first frame of a stream continues it.
    ///
    /// Errors: a stamp that is not positive, or that repeats the one before.
    pub fn admit(&mut self, stamp_ns: StampNs, restart_gap_s: f64) -> Result<Continuation, Refusal> {
        if stamp_ns <= 0 {
            return Err(Refusal::NoStamp { stamp_ns });
        }
        let Some(last) = self.last else {
            self.last = Some(stamp_ns);
            return Ok(Continuation::default());
        };
        // Both are positive, so the difference cannot overflow.
        let interval = stamp_ns - last;
        if interval == 0 {
            return Err(Refusal::RepeatedStamp { stamp_ns });
        }
        self.last = Some(stamp_ns);
        let restart = match interval {
            ..0 => Some(RestartReason::Backwards),
            _ if interval as f64 > restart_gap_s * 1e9 => Some(RestartReason::Gap),
            _ => None,
        };
        if restart.is_some() {
            self.usual_interval = None;
            return Ok(Continuation { restart, jitter_ns: 0.0 });
        }
        Ok(Continuation { restart, jitter_ns: self.jitter(interval as f64) })
    }

    fn jitter(&mut self, interval: f64) -> f64 {
        let usual = self.usual_interval.unwrap_or(interval);
        self.usual_interval = Some(usual + (interval - usual) / 8.0);
        interval - usual
    }
}

/// Keeps the rate of published frames at or below a limit, measured in image time.
#[derive(Clone, Debug, Default)]
pub struct PublishThrottle {
    due: Option<StampNs>,
}

impl PublishThrottle {
    /// Whether the frame stamped `stamp_ns` is published at `freq` Hz; 0 publishes every frame.
    ///
    /// Due times form a fixed grid, so that 30 Hz images at `freq` 20 give 20 Hz, not 15; a frame may come a tenth of a
    /// period early, so that the jitter of a camera at just `freq` loses nothing.
    pub fn admit(&mut self, stamp_ns: StampNs, freq: f64) -> bool {
        if freq <= 0.0 {
            return true;
        }
        let period = (1e9 / freq) as StampNs;
        let due = self.due.unwrap_or(stamp_ns);
        if stamp_ns < due - period / 10 {
            return false;
        }
        let next = due.saturating_add(period);
        self.due = Some(if next > stamp_ns { next } else { stamp_ns.saturating_add(period) });
        true
    }

    /// Forgets the grid; the next frame is published.
    pub fn reset(&mut self) {
        self.due = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: StampNs = 1_000_000;

    fn restarts(stamps: &[StampNs]) -> Vec<Result<Option<RestartReason>, &'static str>> {
        let mut guard = StampGuard::default();
        stamps.iter().map(|&s| guard.admit(s, 1.0).map(|c| c.restart).map_err(|r| r.reason())).collect()
    }

    #[test]
    fn a_bag_loop_restarts_once() {
        let stamps = [5000, 5050, 5100, 100, 150].map(|s| s * MS);
        assert_eq!(restarts(&stamps), [Ok(None), Ok(None), Ok(None), Ok(Some(RestartReason::Backwards)), Ok(None)]);
    }

    #[test]
    fn a_far_jump_restarts_once() {
        let stamps = [100, 150, 9150, 9200].map(|s| s * MS);
        assert_eq!(restarts(&stamps), [Ok(None), Ok(None), Ok(Some(RestartReason::Gap)), Ok(None)]);
    }

    #[test]
    fn zero_negative_and_repeated_stamps_are_refused_and_leave_no_trace() {
        let stamps = [0, 50 * MS, 50 * MS, -7, StampNs::MIN, 100 * MS];
        let no_stamp = Err("no_stamp");
        assert_eq!(restarts(&stamps), [no_stamp, Ok(None), Err("repeated_stamp"), no_stamp, no_stamp, Ok(None)]);
    }

    #[test]
    fn extreme_stamps_do_not_overflow() {
        assert_eq!(restarts(&[1, StampNs::MAX, 1]).iter().filter(|r| matches!(r, Ok(Some(_)))).count(), 2);
        let mut throttle = PublishThrottle::default();
        assert!(throttle.admit(StampNs::MAX, 1.0));
        assert!(!throttle.admit(1, 1.0));
    }

    #[test]
    fn jitter_is_the_departure_from_the_usual_interval() {
        let mut guard = StampGuard::default();
        let jitter: Vec<_> = [50, 100, 150, 230].map(|s| guard.admit(s * MS, 1.0).unwrap().jitter_ns / 1e6).into();
        assert_eq!(jitter, [0.0, 0.0, 0.0, 30.0]);
    }

    #[test]
    fn throttle_keeps_the_rate() {
        let published = |fps: i64, freq: f64| {
            let mut throttle = PublishThrottle::default();
            (0..fps * 10).filter(|k| throttle.admit(1_000_000_000 + k * 1_000_000_000 / fps, freq)).count()
        };
        assert_eq!(published(30, 20.0), 200);
        assert_eq!(published(20, 20.0), 200);
        assert_eq!(published(20, 0.0), 200);
        assert_eq!(published(20, 7.0), 70);
    }
}
