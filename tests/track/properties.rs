//! Properties over random sizes, contents, settings and points.

use proptest::prelude::*;
use vio_frontend::image::GrayImage;
use vio_frontend::track::{FlowStart, FlowStatus, TrackSettings};

use crate::images::{Kind, image};
use crate::motion::{Pair, bits, shifted_texture, start};
use crate::naive;

fn sizes() -> impl Strategy<Value = (usize, usize)> {
    prop_oneof![Just((32, 32)), Just((33, 33)), Just((67, 43)), (32_usize..100, 32_usize..70)]
}

/// Two images of one size: moved texture, or contents that have nothing to do with each other.
fn pairs() -> impl Strategy<Value = (usize, usize, Pair)> {
    let kinds = [Kind::Black, Kind::Checkerboard(5), Kind::Noise, Kind::Texture, Kind::Blocks];
    let motions = (0_usize..24, 0_usize..24);
    (sizes(), any::<u32>(), 0_usize..10, motions).prop_map(move |((width, height), seed, what, motion)| {
        let (previous, current) = match kinds.get(what) {
            Some(&kind) => (image(kind, width, height, seed), image(kind, width, height, seed / 2)),
            None => (
                shifted_texture(width, height, seed, (24, 24)),
                shifted_texture(width, height, seed, (36 - motion.0, 36 - motion.1)),
            ),
        };
        (width, height, Pair::new(previous, current))
    })
}

fn settings() -> impl Strategy<Value = TrackSettings> {
    let gates = (prop_oneof![Just(0.0_f32), Just(1e-4), Just(1e-2)], prop_oneof![Just(f32::MAX), 1.0_f32..20.0]);
    let back = prop_oneof![Just(None), (0.0_f32..2.0).prop_map(Some)];
    let refine = prop_oneof![Just(0), (2_u32..=15).prop_map(|radius| 2 * radius + 1)];
    ((2_u32..=15, 1_u32..=4, 0_u32..40, prop_oneof![Just(0.0_f32), 0.0_f32..0.1]), gates, back, refine, any::<bool>())
        .prop_map(
            |(
                (radius, levels, max_iter, eps),
                (min_eigenvalue, max_residual),
                max_backward_error,
                refine_window,
                illumination,
            )| {
                TrackSettings {
                    window: 2 * radius + 1,
                    levels,
                    max_iter,
                    eps,
                    min_eigenvalue,
                    max_residual,
                    max_backward_error,
                    refine_window,
                    illumination,
                }
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every track equals the contract as written, bit for bit, and what leaves it is finite.
    #[test]
    fn equals_the_naive_contract((width, height, pair) in pairs(), settings in settings(), seed in any::<u32>()) {
        let starts: Vec<_> = (0..12).map(|k| start(width, height, k, seed)).collect();
        let flows = pair.track(&starts, &settings);
        prop_assert_eq!(flows.len(), starts.len());
        for (start, flow) in starts.iter().zip(&flows) {
            let naive = naive::track(&pair.previous(), &pair.current(), start, &settings);
            prop_assert_eq!(bits(flow), bits(&naive), "{:?}: {:?}, naive {:?}", start, flow, naive);
            let floats = [flow.position[0], flow.position[1], flow.residual, flow.min_eigenvalue, flow.backward_error];
            prop_assert!(floats.iter().all(|f| f.is_finite()), "{:?}", flow);
        }
    }

    /// Where nothing moves a point keeps its bits, in any window and light model.
    #[test]
    fn a_resting_point_keeps_its_bits((width, height) in sizes(), settings in settings(), seed in any::<u32>()) {
        let still = image(Kind::Noise, width, height, seed);
        let pair = Pair::new(still.clone(), still);
        let starts: Vec<_> = (0..12).map(|k| FlowStart::resting(start(width, height, k, seed).from)).collect();
        for (start, flow) in starts.iter().zip(pair.track(&starts, &settings)) {
            prop_assert_eq!(flow.position.map(f32::to_bits), start.from.map(f32::to_bits));
            let [x, y] = start.from;
            let inside = (0.0..=width as f32 - 1.0).contains(&x) && (0.0..=height as f32 - 1.0).contains(&y);
            prop_assert_eq!(flow.status == FlowStatus::Outside, !inside);
            prop_assert_eq!(flow.backward_error, 0.0);
        }
    }

    /// Whatever is asked for, finite or not, is answered.
    #[test]
    fn no_number_breaks_it(
        from in [any::<f32>(), any::<f32>()],
        guess in [any::<f32>(), any::<f32>()],
        trusted in any::<bool>(),
    ) {
        let still = image(Kind::Texture, 40, 36, 1);
        let pair = Pair::new(still.clone(), still);
        let [inside, outside] = [[20.0, 17.0], from];
        for from in [inside, outside] {
            let start = FlowStart { from, guess, trusted };
            let flow = pair.track(&[start], &TrackSettings::default())[0];
            let settled = flow.status != FlowStatus::Tracked || flow.position.iter().all(|c| (0.0..=39.0).contains(c));
            prop_assert!(settled, "{:?}", flow);
        }
    }

    /// The order of the points and their company change nothing.
    #[test]
    fn points_are_independent((width, height, pair) in pairs(), seed in any::<u32>()) {
        let starts: Vec<_> = (0..12).map(|k| start(width, height, k, seed)).collect();
        let settings = TrackSettings::default();
        let together = pair.track(&starts, &settings);
        for (start, flow) in starts.iter().zip(&together).rev() {
            prop_assert_eq!(bits(&pair.track(&[*start], &settings)[0]), bits(flow));
        }
    }
}

#[test]
fn without_levels_every_point_is_outside() {
    let flows =
        vio_frontend::track::plain::track(&[], &[], &[FlowStart::resting([5.0, 5.0])], &TrackSettings::default());
    assert_eq!(flows[0].status, FlowStatus::Outside);
}

#[test]
fn flat_windows_have_too_little_texture() {
    let flat = GrayImage::from_fn(64, 48, |_, _| 90);
    let ramp = GrayImage::from_fn(64, 48, |x, _| 2 * x as u8);
    for image in [flat, ramp] {
        let pair = Pair::new(image.clone(), image);
        let flows = pair.track(&[FlowStart::resting([30.0, 20.0])], &TrackSettings::default());
        assert_eq!(flows[0].status, FlowStatus::LowTexture);
    }
}

#[test]
fn statuses_are_numbered_as_listed() {
    for (i, status) in FlowStatus::ALL.into_iter().enumerate() {
        assert_eq!(status as usize, i);
    }
}
