//! The recent past of the IMU: a bounded ring of samples in the order of their stamps, and what it says of an interval.
//!
//! Nothing that an IMU sends is fatal. Samples that cannot be used are left out, named by [`Arrival`] and counted.

mod rotation;

use std::collections::VecDeque;

use crate::frame::{ImuSample, StampNs};
pub use rotation::Coverage;

/// Samples kept by default: 4 s at 1 kHz.
pub const CAPACITY: usize = 4096;

/// A stamp that goes back by more than this is a new start of the IMU and not a late sample, ns.
const RESTART_NS: StampNs = 1_000_000_000;

/// Images and IMU samples whose stamps lie further apart than this are stamped by different clocks, ns. Well above a
/// pause of the camera, well below the age of an epoch.
const CLOCK_NS: StampNs = 60_000_000_000;

/// What a pushed sample was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Kept; the newest sample now.
    Accepted,
    /// Kept, after all before it were dropped: its stamp went back by `back_ns`, more than a second.
    Restart { back_ns: StampNs },
    /// Kept, but stamped `offset_ns` from the newest image, more than a minute: no image will be covered.
    OtherClock { offset_ns: StampNs },
    /// Left out: the stamp of the newest sample again.
    Duplicate,
    /// Left out: a stamp `back_ns` before the newest, less than a second.
    Backwards { back_ns: StampNs },
    /// Left out: the stamp is not positive.
    NoStamp,
    /// Left out: an angular velocity or a specific force that is not a finite number.
    NotFinite,
}

impl Arrival {
    /// Whether the sample is in the ring.
    pub fn is_kept(self) -> bool {
        matches!(self, Self::Accepted | Self::Restart { .. } | Self::OtherClock { .. })
    }
}

/// How many samples arrived as what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImuCounters {
    /// All that were kept.
    pub accepted: u64,
    /// Of those: each began anew.
    pub restarts: u64,
    /// Of those: each was far from the images.
    pub other_clock: u64,
    pub duplicate: u64,
    pub backwards: u64,
    pub no_stamp: u64,
    pub not_finite: u64,
}

impl ImuCounters {
    /// Samples left out.
    pub fn refused(&self) -> u64 {
        self.duplicate + self.backwards + self.no_stamp + self.not_finite
    }
}

/// The newest samples, oldest first, stamps strictly increasing.
#[derive(Clone, Debug)]
pub struct ImuRing {
    samples: VecDeque<ImuSample>,
    capacity: usize,
    counters: ImuCounters,
    /// Stamp of the newest image.
    image_ns: Option<StampNs>,
}

impl Default for ImuRing {
    fn default() -> Self {
        Self::new(CAPACITY)
    }
}

impl ImuRing {
    /// An empty ring for at most `capacity` samples, at least one.
    pub fn new(capacity: usize) -> Self {
        let capacity = capacity.max(1);
        Self { samples: VecDeque::with_capacity(capacity), capacity, counters: ImuCounters::default(), image_ns: None }
    }

    /// Takes a sample in; the oldest makes room. Says what the sample was.
    pub fn push(&mut self, sample: ImuSample) -> Arrival {
        let arrival = self.judge(&sample);
        if matches!(arrival, Arrival::Restart { .. }) {
            self.samples.clear();
        }
        if arrival.is_kept() {
            if self.samples.len() == self.capacity {
                self.samples.pop_front();
            }
            self.samples.push_back(sample);
        }
        self.count(arrival);
        arrival
    }

    /// Notes the stamp of an image, by which the clock of the IMU is judged.
    pub fn note_image(&mut self, stamp_ns: StampNs) {
        self.image_ns = Some(stamp_ns);
    }

    /// Whether there are samples before and after `stamp_ns`, or at it, by the same clock.
    pub fn covers(&self, stamp_ns: StampNs) -> bool {
        match (self.samples.front(), self.samples.back()) {
            (Some(oldest), Some(newest)) => {
                oldest.stamp_ns <= stamp_ns
                    && stamp_ns <= newest.stamp_ns
                    && newest.stamp_ns.saturating_sub(stamp_ns) <= CLOCK_NS
            }
            _ => false,
        }
    }

    pub fn newest(&self) -> Option<&ImuSample> {
        self.samples.back()
    }

    /// The samples, oldest first.
    pub fn samples(&self) -> impl ExactSizeIterator<Item = &ImuSample> {
        self.samples.iter()
    }

    /// Drops all samples and the image's stamp; counters go on.
    pub fn clear(&mut self) {
        self.samples.clear();
        self.image_ns = None;
    }

    pub fn counters(&self) -> ImuCounters {
        self.counters
    }

    fn judge(&self, sample: &ImuSample) -> Arrival {
        let finite = |values: [f64; 3]| values.iter().all(|value| value.is_finite());
        if sample.stamp_ns <= 0 {
            return Arrival::NoStamp;
        }
        if !finite(sample.gyro) || !sample.accel.is_none_or(finite) {
            return Arrival::NotFinite;
        }
        if let Some(newest) = self.newest() {
            match newest.stamp_ns - sample.stamp_ns {
                0 => return Arrival::Duplicate,
                back_ns if back_ns > RESTART_NS => return Arrival::Restart { back_ns },
                back_ns if back_ns > 0 => return Arrival::Backwards { back_ns },
                _ => {}
            }
        }
        match self.image_ns.map(|image_ns| sample.stamp_ns.saturating_sub(image_ns)) {
            Some(offset_ns) if offset_ns.saturating_abs() > CLOCK_NS => Arrival::OtherClock { offset_ns },
            _ => Arrival::Accepted,
        }
    }

    fn count(&mut self, arrival: Arrival) {
        let counters = &mut self.counters;
        counters.accepted += u64::from(arrival.is_kept());
        match arrival {
            Arrival::Accepted => {}
            Arrival::Restart { .. } => counters.restarts += 1,
            Arrival::OtherClock { .. } => counters.other_clock += 1,
            Arrival::Duplicate => counters.duplicate += 1,
            Arrival::Backwards { .. } => counters.backwards += 1,
            Arrival::NoStamp => counters.no_stamp += 1,
            Arrival::NotFinite => counters.not_finite += 1,
        }
    }
}
