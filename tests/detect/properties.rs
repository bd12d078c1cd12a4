//! Properties over random sizes, contents, settings and masks.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use vio_frontend::detect::merge::Merge;
use vio_frontend::detect::plain::PlainDetector;
use vio_frontend::detect::select::{Grid, Selection};
use vio_frontend::detect::{Candidate, Corner, DetectSettings, Gain};
use vio_frontend::image::GrayImage;
use vio_frontend::mask::Mask;
use vio_frontend::params::Params;

use crate::images::{Kind, hash, image};
use crate::naive;

fn kinds() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::Black),
        Just(Kind::White),
        (1_usize..12).prop_map(Kind::Checkerboard),
        Just(Kind::Noise),
        Just(Kind::CoarseNoise),
        Just(Kind::Texture),
        Just(Kind::Blocks),
    ]
}

/// Random images of 32 x 32 to 100 x 70, the contract's small sizes among them.
fn frames() -> impl Strategy<Value = GrayImage> {
    let sizes = prop_oneof![Just((32, 32)), Just((33, 33)), Just((67, 43)), (32_usize..100, 32_usize..70)];
    (kinds(), sizes, any::<u32>()).prop_map(|(kind, (width, height), seed)| image(kind, width, height, seed))
}

/// Any settings in range.
fn settings() -> impl Strategy<Value = DetectSettings> {
    let targets = prop_oneof![1_u32..400, 1_u32..=65535];
    let thresholds = (1_u8..=254, 1_u8..=254);
    (targets, thresholds, 0_u32..=64 * 256, 1_u32..=64, 1_u32..=64, 1_u32..=3, any::<bool>()).prop_map(
        |(target, (a, b), ratio_q8, grid_x, grid_y, levels, describe)| DetectSettings {
            target,
            threshold_min: a.min(b),
            threshold_max: a.max(b),
            ratio_q8,
            grid_x,
            grid_y,
            levels,
            describe,
        },
    )
}

/// Settings near those in use, which leave candidates of both classes.
fn usual_settings() -> impl Strategy<Value = DetectSettings> {
    (1_u32..400, 1_u8..12, 20_u8..80, 128_u32..2048, 1_u32..10, 1_u32..10, 1_u32..=3, any::<bool>()).prop_map(
        |(target, threshold_min, threshold_max, ratio_q8, grid_x, grid_y, levels, describe)| DetectSettings {
            target,
            threshold_min,
            threshold_max,
            ratio_q8,
            grid_x,
            grid_y,
            levels,
            describe,
        },
    )
}

fn gains() -> impl Strategy<Value = Gain> {
    (Gain::LEAST.0..=Gain::GREATEST.0).prop_map(Gain)
}

/// A mask of blocks, about a quarter of them excluded.
fn mask(width: usize, height: usize, seed: u32) -> Mask {
    let mut mask = Mask::all(width, height);
    for y in 0..height {
        for x in (0..width).filter(|x| hash(x / 8, y / 8, seed) < 64) {
            mask.exclude(x, y);
        }
    }
    mask
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every stage equals the contract as written, and no setting in range makes it panic.
    #[test]
    fn equals_the_naive_contract(
        image in frames(),
        settings in prop_oneof![settings(), usual_settings()],
        gain in gains(),
        mask_seed in option::of(any::<u32>()),
    ) {
        let mask = mask_seed.map(|seed| mask(image.width(), image.height(), seed));
        let naive = naive::detect(&image, mask.as_ref(), &settings, gain);
        let (mut detector, mut next) = (PlainDetector::new(), gain);
        let detection = detector.detect(&image, mask.as_ref(), &settings, &mut next);
        let stages = detector.stages();
        prop_assert_eq!(&stages.pyramid.coarser[..], &naive.levels[1..]);
        prop_assert_eq!(&stages.tiles.medians, &naive.medians);
        prop_assert_eq!(&stages.tiles.thresholds, &naive.thresholds);
        prop_assert_eq!(&stages.survivors, &naive.survivors);
        prop_assert_eq!(&stages.merged, &naive.merged);
        prop_assert_eq!(&stages.candidates, &naive.candidates);
        prop_assert_eq!(next, naive.gain);
        let bits = |features: &[vio_frontend::feature::Feature]| -> Vec<_> {
            features.iter().map(|f| (f.u.to_bits(), f.v.to_bits(), f.order_key(), f.threshold)).collect()
        };
        prop_assert_eq!(bits(&detection.features), bits(&naive.features));
        prop_assert_eq!(&detection.descriptors, &naive.descriptors);
    }

    /// The order is total and strict; the count is what target and image allow; positions lie within half a pixel.
    #[test]
    fn features_are_ordered_and_counted(image in frames(), settings in usual_settings(), gain in gains()) {
        let mut gain = gain;
        let detection = PlainDetector::new().detect(&image, None, &settings, &mut gain);
        prop_assert!(detection.features.windows(2).all(|pair| pair[0].order_key() < pair[1].order_key()));
        prop_assert_eq!(detection.features.len() as u32, settings.target.min(detection.offered));
        for feature in &detection.features {
            let reach = 0.5 * (1_u32 << feature.level) as f32;
            prop_assert!((feature.u - 0.5 * feature.half_x as f32).abs() <= reach);
            prop_assert!((feature.v - 0.5 * feature.half_y as f32).abs() <= reach);
        }
    }

    /// Neither the order in which corners are found nor what the buffers held before matters.
    #[test]
    fn evaluation_order_is_irrelevant(image in frames(), other in frames(), settings in usual_settings(), seed in any::<u32>()) {
        let mut fresh = PlainDetector::new();
        let expected = fresh.detect(&image, None, &settings, &mut Gain::default());
        let mut used = PlainDetector::new();
        used.detect(&other, None, &settings, &mut Gain::default());
        prop_assert_eq!(&used.detect(&image, None, &settings, &mut Gain::default()), &expected);

        let mut stages = fresh.stages().clone();
        let shuffle = |i: usize| hash(i, 0, seed);
        let mut shuffled: Vec<_> = stages.survivors.iter().copied().enumerate().collect();
        shuffled.sort_by_key(|(i, corner)| (corner.level, shuffle(*i)));
        let shuffled: Vec<_> = shuffled.into_iter().map(|(_, corner)| corner).collect();
        Merge::default().across_levels(stages.pyramid.levels(&image), &shuffled, &mut stages.merged);
        stages.admit(None);
        prop_assert_eq!(&stages.candidates, &fresh.stages().candidates);
    }

    /// A mask takes candidates away and changes none.
    #[test]
    fn mask_only_removes(image in frames(), settings in usual_settings(), seed in any::<u32>()) {
        let mask = mask(image.width(), image.height(), seed);
        let (mut masked, mut open) = (PlainDetector::new(), PlainDetector::new());
        let detection = masked.detect(&image, Some(&mask), &settings, &mut Gain::default());
        open.detect(&image, None, &settings, &mut Gain::default());
        let mut expected = open.stages().candidates.clone();
        expected.retain(|candidate| mask.allows(candidate.corner.pixel().0, candidate.corner.pixel().1));
        prop_assert_eq!(&masked.stages().candidates, &expected);
        let inside = |half: i32| ((half + 1) >> 1) as usize;
        prop_assert!(detection.features.iter().all(|f| mask.allows(inside(f.half_x), inside(f.half_y))));
    }

    /// C8 alone, on crowded grids where a level often meets the target exactly.
    #[test]
    fn selection_equals_the_naive_law(
        corners in vec((0_i32..64, 0_i32..64, 0_u32..40, 0_u8..2), 0..120),
        target in 1_u32..130,
        grid_x in 1_u32..6,
        grid_y in 1_u32..6,
    ) {
        let image = GrayImage::new(64, 64);
        let settings = DetectSettings { target, grid_x, grid_y, ..DetectSettings::from(&Params::default()) };
        let candidate = |(x, y, score, class): (i32, i32, u32, u8)| Candidate {
            corner: Corner { half_x: 2 * x, half_y: 2 * y, level: 0, strength: 9, score },
            threshold: 9,
            class,
        };
        let mut candidates: Vec<_> = corners.into_iter().map(candidate).collect();
        candidates.sort_by_key(|c| (c.corner.half_y, c.corner.half_x));
        candidates.dedup_by_key(|c| (c.corner.half_y, c.corner.half_x));
        candidates.sort_by_key(Candidate::order_key);
        let mut selected = Vec::new();
        Selection::default().water_fill(&candidates, &Grid::new(&settings, 64, 64), target, &mut selected);
        prop_assert_eq!(selected, naive::select(&candidates, &image, &settings));
    }

    /// C3: at most a twentieth a frame, within 1/16 to 16, towards the wanted number.
    #[test]
    fn gain_moves_within_bounds(gain in gains(), target in 1_u32..=65535, share in 0.9..1.1, far in option::of(any::<u32>())) {
        let wanted = (3 * target).div_ceil(2);
        let found = far.unwrap_or((f64::from(wanted) * share) as u32);
        let next = gain.after(found, target);
        prop_assert!(next >= Gain::LEAST && next <= Gain::GREATEST);
        prop_assert!(next.0.abs_diff(gain.0) <= gain.0 / 20);
        let towards = if found >= wanted { next >= gain } else { next <= gain };
        prop_assert!(towards);
        prop_assert_eq!(next, naive::advance(gain, found.into(), target));
    }
}
