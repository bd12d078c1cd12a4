//! An IMU that misbehaves: late, doubled, swapped, lost and foreign samples, other units.

use super::{MS, grid, ring, samples, scene, worst_error};
use vio_frontend::frame::ImuSample;
use vio_frontend::imu::{Coverage, ImuRing};
use vio_frontend::params::Params;
use vio_frontend::track::predict::{GyroPredictor, NoPrediction, predict};

#[test]
fn duplicates_swaps_and_lost_samples_cost_little() {
    let synth = scene("fast_rotation", 40);
    let clean = samples(&synth);
    let defaults = Params::default();
    let baseline = worst_error(&synth, &ring(clean.clone()), &defaults);
    assert!(baseline < 2e-5, "{baseline}");
    let twice = ring(clean.iter().flat_map(|sample| [*sample; 2]));
    assert_eq!(worst_error(&synth, &twice, &defaults), baseline);
    let swapped = ring(clean.chunks(7).flat_map(|chunk| {
        let mut chunk = chunk.to_vec();
        if chunk.len() > 3 {
            chunk.swap(2, 3);
        }
        chunk
    }));
    assert!(swapped.counters().backwards > 0);
    assert!(worst_error(&synth, &swapped, &defaults) < 2e-4);
    let lost = ring(clean.iter().enumerate().filter(|(j, _)| j % 3 == 0).map(|(_, sample)| *sample));
    assert!(worst_error(&synth, &lost, &defaults) < 4e-4);
}

#[test]
fn late_samples_are_said_to_be_missing_and_then_give_the_same() {
    let synth = scene("fast_rotation", 10);
    let clean = samples(&synth);
    let predictor = GyroPredictor::new(&synth.cam_imu(), &Params::default());
    let (from, to) = (synth.stamp_ns(3), synth.stamp_ns(4));
    // Two milliseconds before the image, as of an IMU whose samples come 3 ms late.
    let mut imu = ring(clean.iter().filter(|s| s.stamp_ns <= to - 2 * MS).copied());
    let newest = imu.newest().unwrap().stamp_ns;
    assert_eq!(predictor.coverage(&imu, from, to), Coverage::NotYet { missing_ns: to - newest });
    let refused = predictor.rotation(&imu, from, to);
    assert_eq!(refused, Err(NoPrediction::Imu(Coverage::NotYet { missing_ns: to - newest })));
    for sample in clean.iter().filter(|s| s.stamp_ns > newest) {
        imu.push(*sample);
    }
    assert_eq!(predictor.coverage(&imu, from, to), Coverage::Covered);
    assert_eq!(predictor.rotation(&imu, from, to), predictor.rotation(&ring(clean), from, to));
}

#[test]
fn what_is_missing_is_named() {
    let synth = scene("room", 10);
    let clean = samples(&synth);
    let (from, to) = (synth.stamp_ns(2), synth.stamp_ns(3));
    let coverage = |imu: &ImuRing| imu.coverage(from, to);
    assert_eq!(coverage(&ImuRing::default()), Coverage::Empty);
    assert_eq!(ring(clean.clone()).coverage(to, from), Coverage::Reversed);
    let late = ring(clean.iter().filter(|s| s.stamp_ns >= from + 5 * MS).copied());
    assert_eq!(coverage(&late), Coverage::TooLate { missing_ns: 5 * MS });
    let gap = ring(clean.iter().filter(|s| !(from - 20 * MS..from + 40 * MS).contains(&s.stamp_ns)).copied());
    assert_eq!(coverage(&gap), Coverage::Gap { gap_ns: 65 * MS });
    let gap_elsewhere = ring(clean.iter().filter(|s| !(to + 5 * MS..to + 90 * MS).contains(&s.stamp_ns)).copied());
    assert_eq!(coverage(&gap_elsewhere), Coverage::Covered);
    let reversed = ring(clean.iter().rev().copied());
    assert!(matches!(coverage(&reversed), Coverage::TooLate { .. }), "only the first to come is kept");
    let epoch = 1_700_000_000_000 * MS;
    let other = ring(clean.iter().map(|s| ImuSample { stamp_ns: s.stamp_ns + epoch, ..*s }));
    assert!(matches!(coverage(&other), Coverage::OtherClock { offset_ns } if offset_ns > epoch - 1000 * MS));
    let boot = ring(clean.iter().enumerate().map(|(j, s)| ImuSample { stamp_ns: (j as i64 + 1) * 5 * MS, ..*s }));
    assert!(matches!(coverage(&boot), Coverage::OtherClock { offset_ns } if offset_ns < 0));
    assert_eq!(ring(clean).coverage(i64::MIN, i64::MAX), Coverage::TooLate { missing_ns: i64::MAX });
}

#[test]
fn degrees_are_refused_by_rate_or_by_displacement() {
    let synth = scene("fast_rotation", 40);
    let degrees = ring(samples(&synth).into_iter().map(|mut s| {
        s.gyro = s.gyro.map(f64::to_degrees);
        s
    }));
    let predictor = GyroPredictor::new(&synth.cam_imu(), &Params::default());
    let size = synth.camera().image_size().expect("a size");
    let pixels = grid(&synth);
    let (mut rates, mut displacements) = (0, 0);
    for k in 0..synth.frames() - 1 {
        match predictor.rotation(&degrees, synth.stamp_ns(k), synth.stamp_ns(k + 1)) {
            Err(NoPrediction::Rate { rate }) => {
                assert!(rate > 35.0);
                rates += 1;
            }
            Ok(turn) => match predict(synth.camera(), size, &turn, &pixels) {
                Err(NoPrediction::Displacement { median_px, limit_px }) => {
                    assert!(median_px > limit_px && limit_px == 160.0);
                    displacements += 1;
                }
                other => panic!("image {k}: {other:?}"),
            },
            other => panic!("image {k}: {other:?}"),
        }
    }
    assert!(rates > 20 && rates + displacements == 39, "{rates} by rate, {displacements} by displacement");
}
