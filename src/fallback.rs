//! Whether frames are worked on by the GPU, and when it is tried again: a state machine without clock, thread or CUDA.
//!
//! | state | frames go to | until |
//! |---|---|---|
//! | unwanted | the CPU | the end of the process |
//! | opening | the CPU | the GPU is open, or cannot be opened |
//! | working | the GPU | something fails |
//! | resting | the CPU | the pause is over, and it is opened again |
//! | lost | the CPU | the end of the process |

use std::time::{Duration, Instant};

use crate::gpu::Severity;

/// How long the GPU rests after a failure that may pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// After the first failure; twice as long after each that follows.
    pub first: Duration,
    /// At most. A GPU that has worked for this long has recovered: its next failure counts as the first.
    pub longest: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { first: Duration::from_secs(1), longest: Duration::from_secs(60) }
    }
}

/// Where the GPU stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Unwanted,
    Opening,
    Working { since: Instant },
    Resting { until: Instant },
    Lost,
}

/// The state and what it takes to choose the next one.
#[derive(Clone, Debug)]
pub struct Fallback {
    state: State,
    backoff: Backoff,
    /// The next rest.
    pause: Duration,
    has_worked: bool,
}

impl Fallback {
    /// A GPU that is being opened, if it is wanted.
    pub fn new(wanted: bool, backoff: Backoff) -> Self {
        let state = if wanted { State::Opening } else { State::Unwanted };
        Self { state, backoff, pause: backoff.first, has_worked: false }
    }

    pub fn state(&self) -> State {
        self.state
    }

    /// Whether a rest is over and the GPU is to be opened now.
    pub fn opens(&mut self, now: Instant) -> bool {
        let due = matches!(self.state, State::Resting { until } if now >= until);
        if due {
            self.state = State::Opening;
        }
        due
    }

    /// The GPU is open.
    pub fn opened(&mut self, now: Instant) {
        if self.state == State::Opening {
            self.state = State::Working { since: now };
            self.has_worked = true;
        }
    }

    /// Something failed. While it is opened for the first time only what may pass is worth another try: a library that is
    /// missing stays missing. Later everything is that leaves the process its GPU: another image, or kernels that were just
    /// being edited, may do.
    pub fn failed(&mut self, severity: Severity, now: Instant) {
        self.state = match (self.state, severity) {
            (State::Unwanted, _) => State::Unwanted,
            (State::Lost, _) | (_, Severity::Sticky) => State::Lost,
            (State::Opening, Severity::Permanent) if !self.has_worked => State::Lost,
            (State::Resting { until }, _) => State::Resting { until },
            (State::Working { since }, _) if now.saturating_duration_since(since) >= self.backoff.longest => {
                self.pause = self.backoff.first;
                self.rest(now)
            }
            (State::Opening | State::Working { .. }, _) => self.rest(now),
        };
    }

    fn rest(&mut self, now: Instant) -> State {
        let until = now + self.pause;
        self.pause = (2 * self.pause).min(self.backoff.longest);
        State::Resting { until }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn working(now: Instant) -> Fallback {
        let mut fallback = Fallback::new(true, Backoff::default());
        fallback.opened(now);
        assert_eq!(fallback.state(), State::Working { since: now });
        fallback
    }

    #[test]
    fn what_may_pass_is_tried_again_after_pauses_that_double_up_to_the_longest() {
        let mut now = Instant::now();
        let mut fallback = working(now);
        for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
            fallback.failed(Severity::Transient, now);
            assert_eq!(fallback.state(), State::Resting { until: now + pause * SECOND });
            assert!(!fallback.opens(now + pause * SECOND - Duration::from_nanos(1)));
            now += pause * SECOND;
            assert!(fallback.opens(now) && !fallback.opens(now), "once");
            // Every other time it cannot even be opened.
            if pause % 3 == 1 {
                fallback.opened(now);
            }
        }
    }

    #[test]
    fn a_gpu_that_has_worked_for_long_begins_with_the_first_pause_again() {
        let mut now = Instant::now();
        let mut fallback = working(now);
        for _ in 0..4 {
            fallback.failed(Severity::Permanent, now);
            now += 60 * SECOND;
            assert!(fallback.opens(now));
            fallback.opened(now);
        }
        now += 60 * SECOND;
        fallback.failed(Severity::Transient, now);
        assert_eq!(fallback.state(), State::Resting { until: now + SECOND });
    }

    #[test]
    fn a_gpu_that_has_worked_is_opened_again_whatever_kept_it_from_that() {
        let now = Instant::now();
        let mut fallback = working(now);
        fallback.failed(Severity::Transient, now);
        assert!(fallback.opens(now + SECOND));
        fallback.failed(Severity::Permanent, now + SECOND);
        assert_eq!(fallback.state(), State::Resting { until: now + 3 * SECOND });
    }

    #[test]
    fn what_is_sticky_or_cannot_be_opened_at_all_is_lost_for_good() {
        let now = Instant::now();
        let mut sticky = working(now);
        sticky.failed(Severity::Sticky, now);
        let mut missing = Fallback::new(true, Backoff::default());
        missing.failed(Severity::Permanent, now);
        // A kernel that was given up on turns out to hang.
        let mut hanging = working(now);
        hanging.failed(Severity::Transient, now);
        hanging.failed(Severity::Sticky, now);
        for mut lost in [sticky, missing, hanging] {
            assert_eq!(lost.state(), State::Lost);
            lost.opened(now);
            lost.failed(Severity::Transient, now);
            assert!(!lost.opens(now + 1000 * SECOND));
            assert_eq!(lost.state(), State::Lost);
        }
    }

    #[test]
    fn a_second_failure_of_the_same_frame_does_not_lengthen_the_rest_and_unwanted_stays_so() {
        let now = Instant::now();
        let mut fallback = working(now);
        fallback.failed(Severity::Transient, now);
        let resting = fallback.state();
        fallback.failed(Severity::Transient, now + SECOND / 2);
        assert_eq!(fallback.state(), resting);
        let mut unwanted = Fallback::new(false, Backoff::default());
        unwanted.failed(Severity::Sticky, now);
        unwanted.opened(now);
        assert!(!unwanted.opens(now) && unwanted.state() == State::Unwanted);
    }
}
