//! What the gyroscope says of an interval: whether it is covered, and how far the IMU turned.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::{CLOCK_NS, ImuRing};
use crate::frame::{ImuSample, StampNs};

/// Longest gap between two samples over which rates are interpolated, ns: ten samples of a 200 Hz IMU.
const GAP_NS: StampNs = 50_000_000;

/// Whether the samples cover an interval, and what is missing if they do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    Covered,
    /// No samples at all.
    Empty,
    /// The newest sample is `missing_ns` before the interval's end; waiting may help.
    NotYet {
        missing_ns: StampNs,
    },
    /// The oldest sample is `missing_ns` after the interval's beginning; waiting does not help.
    TooLate {
        missing_ns: StampNs,
    },
    /// Samples are missing within: `gap_ns` lie between two that follow each other.
    Gap {
        gap_ns: StampNs,
    },
    /// All samples are more than a minute away, by `offset_ns` at least: stamps of another clock.
    OtherClock {
        offset_ns: StampNs,
    },
    /// The interval ends before it begins.
    Reversed,
}

impl std::fmt::Display for Coverage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ms = |ns: &StampNs| *ns as f64 * 1e-6;
        match self {
            Self::Covered => write!(f, "covered"),
            Self::Empty => write!(f, "no samples"),
            Self::NotYet { missing_ns } => write!(f, "the last {:.1} ms are missing", ms(missing_ns)),
            Self::TooLate { missing_ns } => write!(f, "the first {:.1} ms are missing", ms(missing_ns)),
            Self::Gap { gap_ns } => write!(f, "no sample for {:.1} ms", ms(gap_ns)),
            Self::OtherClock { offset_ns } => write!(f, "stamps {:.0} s away, of another clock", ms(offset_ns) * 1e-3),
            Self::Reversed => write!(f, "it ends before it begins"),
        }
    }
}

impl ImuRing {
    /// Whether the samples cover [from, to], both on the IMU's clock, with a sample at or beyond either end and no gap
    /// of more than 50 ms.
    pub fn coverage(&self, from_ns: StampNs, to_ns: StampNs) -> Coverage {
        let (Some(oldest), Some(newest)) = (self.samples.front(), self.samples.back()) else { return Coverage::Empty };
        let (before, after) = (from_ns.saturating_sub(newest.stamp_ns), oldest.stamp_ns.saturating_sub(to_ns));
        if to_ns < from_ns {
            Coverage::Reversed
        } else if before > CLOCK_NS {
            Coverage::OtherClock { offset_ns: -before }
        } else if after > CLOCK_NS {
            Coverage::OtherClock { offset_ns: after }
        } else if oldest.stamp_ns > from_ns {
            Coverage::TooLate { missing_ns: oldest.stamp_ns.saturating_sub(from_ns) }
        } else if newest.stamp_ns < to_ns {
            Coverage::NotYet { missing_ns: to_ns.saturating_sub(newest.stamp_ns) }
        } else {
            let gaps = self.spans(from_ns, to_ns).map(|(a, b)| b.stamp_ns.saturating_sub(a.stamp_ns));
            match gaps.max() {
                Some(gap_ns) if gap_ns > GAP_NS => Coverage::Gap { gap_ns },
                _ => Coverage::Covered,
            }
        }
    }

    /// The rotation that takes directions of the IMU frame at `from_ns` to the IMU frame at `to_ns`, and the greatest
    /// rate in between, rad/s: rates less `bias`, linear between samples, one exact turn about the mean rate of each
    /// span.
    ///
    /// Errors: what is missing, where [`ImuRing::coverage`] is not [`Coverage::Covered`].
    pub fn rotation(
        &self,
        from_ns: StampNs,
        to_ns: StampNs,
        bias: [f64; 3],
    ) -> Result<(UnitQuaternion<f64>, f64), Coverage> {
        match self.coverage(from_ns, to_ns) {
            Coverage::Covered => {}
            missing => return Err(missing),
        }
        let bias = Vector3::from(bias);
        let (mut imu0_from_imu1, mut greatest) = (Quaternion::identity(), 0.0_f64);
        for (a, b) in self.spans(from_ns, to_ns) {
            let (begin, end) = (a.stamp_ns.max(from_ns), b.stamp_ns.min(to_ns));
            let (first, last) = (rate_at(a, b, begin) - bias, rate_at(a, b, end) - bias);
            let angle = (first + last) * (0.5e-9 * (end - begin) as f64);
            imu0_from_imu1 *= turn(angle);
            greatest = greatest.max(first.norm()).max(last.norm());
        }
        Ok((UnitQuaternion::new_normalize(imu0_from_imu1).inverse(), greatest))
    }

    /// Pairs of samples that follow each other and have part of [from, to] between them.
    fn spans(&self, from_ns: StampNs, to_ns: StampNs) -> impl Iterator<Item = (&ImuSample, &ImuSample)> {
        let first = self.samples.partition_point(|sample| sample.stamp_ns <= from_ns).saturating_sub(1);
        let pairs = self.samples.range(first..).zip(self.samples.range(first..).skip(1));
        pairs.take_while(move |(a, _)| a.stamp_ns < to_ns)
    }
}

/// The angular velocity at `stamp_ns`, rad/s, between two samples.
fn rate_at(a: &ImuSample, b: &ImuSample, stamp_ns: StampNs) -> Vector3<f64> {
    let share = (stamp_ns - a.stamp_ns) as f64 / (b.stamp_ns - a.stamp_ns) as f64;
    Vector3::from(a.gyro) * (1.0 - share) + Vector3::from(b.gyro) * share
}

/// The quaternion of a turn by |`angle`| rad about `angle`.
fn turn(angle: Vector3<f64>) -> Quaternion<f64> {
    let norm = angle.norm();
    let half = libm::sincos(0.5 * norm);
    // sin(x / 2) / x is 1/2 to the last bit for small x.
    let scale = if norm > 1e-9 { half.0 / norm } else { 0.5 };
    Quaternion::from_parts(half.1, angle * scale)
}
