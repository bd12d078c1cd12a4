//! Where the spinning thread leaves images and IMU samples, and the worker takes them.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::frame::{ImuSample, StampNs};
use crate::imu::{self, ImuCounters, ImuRing};
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
    /// The samples kept since the worker last took an image; the oldest make room.
    fresh: VecDeque<ImuSample>,
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

/// An image, and what came with it.
#[derive(Debug)]
pub struct Delivery<T> {
    pub image: T,
    pub waited: Duration,
    /// IMU samples since the delivery before.
    pub imu: VecDeque<ImuSample>,
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
            fresh: VecDeque::new(),
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
        if state.imu.push(sample).is_kept() {
            if state.fresh.len() == imu::CAPACITY {
                state.fresh.pop_front();
            }
            state.fresh.push_back(sample);
        }
        state.imu_heard = Instant::now();
        drop(state);
        self.bell.notify_one();
    }

    /// The next image to process; blocks until there is one. `None` when closed. `imu_offset_s` takes image stamps to the
    /// clock of the IMU, if tracking gains from samples that cover the image.
    pub fn next(
        &self,
        trigger: &mut Trigger,
        imu_offset_s: Option<f64>,
        params: impl Fn() -> Params,
    ) -> Option<Delivery<T>> {
        let mut state = self.state();
        loop {
            if state.closed {
                return None;
            }
            let Some(oldest) = state.images.front() else {
                state = self.bell.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let params = params();
            let offset_ns = (imu_offset_s.unwrap_or(params.td) * 1e9) as StampNs;
            let waiting = Waiting {
                stamp_ns: oldest.stamp_ns.saturating_add(offset_ns),
                wants_imu: imu_offset_s.is_some(),
                // A queue of one is there to be overtaken.
                crowded: self.capacity > 1 && state.images.len() == self.capacity,
                waited: oldest.at.elapsed(),
                imu_newest_ns: state.imu.newest().map(|sample| sample.stamp_ns),
                imu_silent: state.imu_heard.elapsed(),
            };
            match trigger.decide(&params, waiting) {
                Decision::Process => {
                    let imu = std::mem::take(&mut state.fresh);
                    let delivery = |arrival: Arrival<T>| Delivery { image: arrival.image, waited: waiting.waited, imu };
                    return state.images.pop_front().map(delivery);
                }
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
        let taken = [(); 2].map(|()| inbox.next(&mut trigger, None, Params::default).map(|d| d.image));
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
                let mut next = || inbox.next(&mut trigger, None, waits).map(|d| (d.image, d.imu.len()));
                (next(), next())
            });
            inbox.put_imu(ImuSample { stamp_ns: 50, gyro: [0.0; 3], accel: None });
            inbox.put_image(100, "image");
            inbox.put_imu(ImuSample { stamp_ns: 100, gyro: [0.0; 3], accel: None });
            while !worker.is_finished() && inbox.state().images.len() == 1 {
                std::thread::yield_now();
            }
            inbox.close();
            assert_eq!(worker.join().ok(), Some((Some(("image", 2)), None)));
        });
    }
}
