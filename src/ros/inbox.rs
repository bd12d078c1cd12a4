//! Where the spinning thread leaves images and IMU samples, and the worker takes them.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::frame::{ImuSample, StampNs};
use crate::imu::{ImuCounters, ImuRing};
use crate::params::Params;
use crate::trigger::{Decision, Trigger, Waiting};

/// A bounded queue of images and the recent past of the IMU. When an image finds the queue full, the oldest is dropped
/// and counted: with a queue of one the worker always gets the newest.
#[derive(Debug)]
pub struct Inbox<T> {
    state: Mutex<State<T>>,
    /// Rung by an image, by an IMU sample and by the end.
    bell: Condvar,
    capacity: usize,
}

#[derive(Debug)]
struct State<T> {
    images: VecDeque<Arrival<T>>,
    imu: ImuRing,
    /// When the last IMU sample came, at first when the inbox was made.
    imu_heard: Instant,
    counters: InboxCounters,
    closed: bool,
}

#[derive(Debug)]
struct Arrival<T> {
    stamp_ns: StampNs,
    at: Instant,
    image: T,
}

/// What passed through an [`Inbox`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InboxCounters {
    pub images: u64,
    /// Images that a newer one pushed out.
    pub dropped: u64,
    /// Images that the trigger left out.
    pub skipped: u64,
}

impl<T> Inbox<T> {
    /// An inbox for `capacity` waiting images.
    pub fn new(capacity: usize) -> Self {
        let state = State {
            images: VecDeque::with_capacity(capacity),
            imu: ImuRing::default(),
            imu_heard: Instant::now(),
            counters: InboxCounters::default(),
            closed: false,
        };
        Self { state: Mutex::new(state), bell: Condvar::new(), capacity: capacity.max(1) }
    }

    /// A panic of another thread leaves no half-made state here: every change is one step.
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves an image.
    pub fn put_image(&self, stamp_ns: StampNs, image: T) {
        let mut state = self.state();
        state.counters.images += 1;
        state.imu.note_image(stamp_ns);
        if state.images.len() == self.capacity {
            state.images.pop_front();
            state.counters.dropped += 1;
        }
        state.images.push_back(Arrival { stamp_ns, at: Instant::now(), image });
        drop(state);
        self.bell.notify_one();
    }

    /// Leaves an IMU sample.
    pub fn put_imu(&self, sample: ImuSample) {
        let mut state = self.state();
        state.imu.push(sample);
        state.imu_heard = Instant::now();
        drop(state);
        self.bell.notify_one();
    }

    /// The next image to process, with the time it waited; blocks until there is one. `None` when closed.
    pub fn next(&self, trigger: &mut Trigger, params: impl Fn() -> Params) -> Option<(T, Duration)> {
        let mut state = self.state();
        loop {
            if state.closed {
                return None;
            }
            let Some(oldest) = state.images.front() else {
                state = self.bell.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let waiting = Waiting {
                stamp_ns: oldest.stamp_ns,
                waited: oldest.at.elapsed(),
                imu_newest_ns: state.imu.newest().map(|sample| sample.stamp_ns),
                imu_silent: state.imu_heard.elapsed(),
            };
            match trigger.decide(&params(), waiting) {
                Decision::Process => return state.images.pop_front().map(|arrival| (arrival.image, waiting.waited)),
                Decision::Skip => {
                    state.images.pop_front();
                    state.counters.skipped += 1;
                }
                Decision::Wait(longest) => {
                    let woken = self.bell.wait_timeout(state, longest);
                    state = woken.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }

    /// Ends every wait; what is left is not processed.
    pub fn close(&self) {
        self.state().closed = true;
        self.bell.notify_all();
    }

    pub fn counters(&self) -> InboxCounters {
        self.state().counters
    }

    /// Counters of the IMU and the time since its last sample.
    pub fn imu(&self) -> (ImuCounters, Duration) {
        let state = self.state();
        (state.imu.counters(), state.imu_heard.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params;

    #[test]
    fn the_oldest_is_dropped_and_counted() {
        let inbox = Inbox::new(2);
        for stamp in 1..=5 {
            inbox.put_image(stamp, stamp);
        }
        let mut trigger = Trigger::default();
        let taken = [(); 2].map(|()| inbox.next(&mut trigger, Params::default).map(|(image, _)| image));
        assert_eq!(taken, [Some(4), Some(5)]);
        assert_eq!(inbox.counters(), InboxCounters { images: 5, dropped: 3, skipped: 0 });
    }

    #[test]
    fn an_imu_sample_ends_the_wait_and_a_close_ends_everything() {
        let waits = || Params { trigger: params::Trigger::ImuInterval, imu_wait_ms: 1000.0, ..Params::default() };
        let inbox = Inbox::new(2);
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                let mut trigger = Trigger::default();
                let first = inbox.next(&mut trigger, waits).map(|(image, _)| image);
                (first, inbox.next(&mut trigger, waits).map(|(image, _)| image))
            });
            inbox.put_imu(ImuSample { stamp_ns: 50, gyro: [0.0; 3], accel: None });
            inbox.put_image(100, "image");
            inbox.put_imu(ImuSample { stamp_ns: 100, gyro: [0.0; 3], accel: None });
            while !worker.is_finished() && inbox.state().images.len() == 1 {
                std::thread::yield_now();
            }
            inbox.close();
            assert_eq!(worker.join().ok(), Some((Some("image"), None)));
        });
    }
}
