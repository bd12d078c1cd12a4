//! The ring of IMU samples under everything that drivers send.

use proptest::prelude::*;
use vio_frontend::frame::{ImuSample, StampNs};
use vio_frontend::imu::{Arrival, ImuRing};

const MS: StampNs = 1_000_000;
const S: StampNs = 1_000 * MS;

fn at(stamp_ns: StampNs) -> ImuSample {
    ImuSample { stamp_ns, gyro: [0.1, 0.0, 0.0], accel: Some([0.0, 0.0, 9.81]) }
}

fn stamps(ring: &ImuRing) -> Vec<StampNs> {
    ring.samples().map(|sample| sample.stamp_ns).collect()
}

#[test]
fn the_newest_samples_are_kept() {
    let mut ring = ImuRing::new(3);
    assert!(ring.newest().is_none() && !ring.covers(1));
    for stamp in 1..=5 {
        assert_eq!(ring.push(at(stamp)), Arrival::Accepted);
    }
    assert_eq!(stamps(&ring), [3, 4, 5]);
    assert_eq!(ring.newest(), Some(&at(5)));
    assert_eq!([2, 3, 4, 5, 6].map(|stamp| ring.covers(stamp)), [false, true, true, true, false]);
    ring.clear();
    assert!(ring.newest().is_none());
    assert_eq!(ring.counters().accepted, 5);
}

#[test]
fn duplicates_and_late_samples_are_left_out() {
    let mut ring = ImuRing::default();
    ring.push(at(S));
    ring.push(at(S + 5 * MS));
    assert_eq!(ring.push(at(S + 5 * MS)), Arrival::Duplicate);
    assert_eq!(ring.push(at(S)), Arrival::Backwards { back_ns: 5 * MS });
    assert_eq!(stamps(&ring), [S, S + 5 * MS]);
    assert_eq!((ring.counters().accepted, ring.counters().refused()), (2, 2));
}

#[test]
fn a_driver_that_starts_again_is_followed() {
    let mut ring = ImuRing::default();
    ring.push(at(100 * S));
    assert_eq!(ring.push(at(10 * S)), Arrival::Restart { back_ns: 90 * S });
    assert_eq!(ring.push(at(10 * S + MS)), Arrival::Accepted);
    assert_eq!(stamps(&ring), [10 * S, 10 * S + MS]);
    assert_eq!(ring.counters().restarts, 1);
}

#[test]
fn samples_without_stamp_or_number_are_left_out() {
    let mut ring = ImuRing::default();
    assert_eq!(ring.push(at(0)), Arrival::NoStamp);
    assert_eq!(ring.push(at(-5)), Arrival::NoStamp);
    assert_eq!(ring.push(ImuSample { gyro: [f64::NAN, 0.0, 0.0], ..at(1) }), Arrival::NotFinite);
    assert_eq!(ring.push(ImuSample { accel: Some([0.0, f64::INFINITY, 0.0]), ..at(1) }), Arrival::NotFinite);
    assert_eq!(ring.push(ImuSample { accel: None, ..at(1) }), Arrival::Accepted);
    assert_eq!(ring.counters().refused(), 4);
}

#[test]
fn another_clock_is_reported_and_covers_nothing() {
    let mut ring = ImuRing::default();
    let (since_boot, since_epoch) = (500 * S, 1_700_000_000 * S);
    ring.push(at(since_epoch - 5 * MS));
    ring.note_image(since_boot);
    assert_eq!(ring.push(at(since_epoch)), Arrival::OtherClock { offset_ns: since_epoch - since_boot });
    assert!(!ring.covers(since_boot));
    assert_eq!((ring.counters().other_clock, ring.counters().refused()), (1, 0));

    let mut ring = ImuRing::default();
    ring.note_image(since_epoch);
    assert_eq!(ring.push(at(since_boot)), Arrival::OtherClock { offset_ns: since_boot - since_epoch });
    assert!(!ring.covers(since_epoch));
}

#[test]
fn a_camera_that_pauses_is_no_other_clock() {
    let mut ring = ImuRing::default();
    ring.note_image(100 * S);
    assert_eq!(ring.push(at(130 * S)), Arrival::Accepted);
}

proptest! {
    /// Whatever comes in whatever order: stamps increase, the bound holds, every sample is counted once.
    #[test]
    fn stamps_increase_whatever_comes(
        stamps_ms in prop::collection::vec(-10..5_000_i64, 0..200),
        extremes in prop::collection::vec(prop::sample::select(vec![i64::MIN, 0, i64::MAX]), 0..4),
    ) {
        let mut ring = ImuRing::new(16);
        for (i, stamp) in stamps_ms.iter().map(|ms| ms * MS).chain(extremes.iter().copied()).enumerate() {
            if i % 7 == 0 {
                ring.note_image(stamp);
            }
            if ring.push(at(stamp)).is_kept() {
                prop_assert_eq!(ring.newest().map(|newest| newest.stamp_ns), Some(stamp));
            }
            prop_assert!(stamps(&ring).is_sorted_by(|a, b| a < b) && ring.samples().len() <= 16);
        }
        let counters = ring.counters();
        prop_assert_eq!(counters.accepted + counters.refused(), (stamps_ms.len() + extremes.len()) as u64);
    }
}
