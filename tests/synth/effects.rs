//! Light, blur and noise do what they say, and nothing when they are off.

use vio_frontend::image::GrayImage;
use vio_frontend::source::synth::{Effects, Light, Synth, SynthOptions};

use crate::{image, scene, scenes};

fn mean(image: &GrayImage) -> f64 {
    image.pixels().iter().map(|&grey| f64::from(grey)).sum::<f64>() / image.pixels().len() as f64
}

#[test]
fn light_follows_its_course() {
    let courses: [(&str, &[(usize, f64)]); 4] = [
        // At 1, 3, 5 s; 20 images a second.
        ("step", &[(0, 1.0), (19, 1.0), (20, 0.45), (59, 0.45), (60, 1.0), (100, 0.45)]),
        ("ramp", &[(0, 1.0), (40, 0.625), (80, 0.25), (120, 0.625), (160, 1.0)]),
        // A seventh of a second is 20 / 7 images: after 10 images, 3.5 turns.
        ("flicker", &[(0, 1.0), (10, 0.7), (20, 1.0)]),
        ("blackout", &[(19, 1.0), (20, 0.03), (23, 0.03), (24, 1.0), (60, 0.03)]),
    ];
    for (light, course) in courses {
        let synth = scene(&format!("room?light={light}"));
        for &(k, expected) in course {
            // Rounding to whole grey levels is even over an image.
            let found = mean(&image(&synth, k)) / mean(&image(&scenes()[0], k));
            assert!((found - expected).abs() < 0.005, "{light} image {k}: {found} for {expected}");
        }
    }
}

#[test]
fn effects_that_are_off_change_nothing() {
    let off = scene("room?light=steady&blur=0&noise=0");
    assert_eq!(off.effects(), &Effects::default());
    assert!(image(&off, 3) == image(&scenes()[0], 3));
}

#[test]
fn blur_takes_contrast_along_the_motion() {
    let contrast = |image: &GrayImage| {
        let rows = image.pixels().chunks_exact(image.width());
        let steps = rows.flat_map(|row| row.windows(2).map(|pair| f64::from(pair[0].abs_diff(pair[1]))));
        steps.sum::<f64>() / image.pixels().len() as f64
    };
    let name = "fast_rotation";
    let [sharp, short, long] =
        ["", "?blur=2ms", "?blur=12ms"].map(|effects| contrast(&image(&scene(&format!("{name}{effects}")), 0)));
    println!("{sharp} {short} {long}");
    assert!(short < 0.9 * sharp && long < 0.6 * short, "{sharp} {short} {long}");
}

/// Noise of image `k` where it is not cut off, and its rows' means.
fn noise(clean: &Synth, noisy: &Synth, k: usize) -> (Vec<f64>, Vec<f64>) {
    let (clean, noisy) = (image(clean, k), image(noisy, k));
    let differences = |(clean, noisy): (&[u8], &[u8])| -> Vec<f64> {
        let kept = clean.iter().zip(noisy).filter(|(clean, _)| (30..=225).contains(*clean));
        kept.map(|(clean, noisy)| f64::from(*noisy) - f64::from(*clean)).collect()
    };
    let rows: Vec<Vec<f64>> =
        clean.pixels().chunks_exact(640).zip(noisy.pixels().chunks_exact(640)).map(differences).collect();
    let means = rows.iter().map(|row| row.iter().sum::<f64>() / row.len() as f64).collect();
    (rows.concat(), means)
}

fn deviation(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, (values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / n).sqrt())
}

#[test]
fn noise_has_the_strength_asked_for_by_pixel_by_row_and_in_a_fixed_pattern() {
    let (clean, noisy) = (&scenes()[0], scene("room?noise=4"));
    let (first, first_rows) = noise(clean, &noisy, 0);
    let (_, second_rows) = noise(clean, &noisy, 1);
    // Of pixels, twice of rows, of rounding.
    let expected = (16.0f64 + 1.0 + 1.0 + 1.0 / 12.0).sqrt();
    let (mean, all) = deviation(&first);
    assert!(mean.abs() < 0.2 && (all / expected - 1.0).abs() < 0.02, "{mean} {all} of {expected}");
    // Rows differ by both kinds of row noise; half of that variance stays from image to image.
    let (_, rows) = deviation(&first_rows);
    assert!((rows / 2.0f64.sqrt() - 1.0).abs() < 0.1, "{rows}");
    let change: Vec<f64> = first_rows.iter().zip(&second_rows).map(|(a, b)| a - b).collect();
    let (_, change) = deviation(&change);
    assert!((change / 2.0f64.sqrt() - 1.0).abs() < 0.1, "{change}");
}

#[test]
fn blackouts_keep_their_noise() {
    let dark = image(&scene("room?light=blackout&noise=3"), 21);
    assert!(dark.pixels().iter().any(|&grey| grey > 8), "noise");
    assert!(mean(&dark) < 12.0, "{}", mean(&dark));
}

#[test]
fn effects_are_refused_out_of_range() {
    let refusal = |effects: Effects| {
        let options = SynthOptions { effects, ..SynthOptions::default() };
        Synth::new("room", &options).expect_err("out of range").to_string()
    };
    let long = refusal(Effects { blur_ns: 50_000_001, ..Effects::default() });
    assert!(long.contains("blur") && long.contains("50ms"), "{long}");
    refusal(Effects { blur_ns: -1, ..Effects::default() });
    for noise in [-1.0, f64::NAN, 51.0] {
        let loud = refusal(Effects { noise, light: Light::Step, ..Effects::default() });
        assert!(loud.contains("noise") && loud.contains("50"), "{loud}");
    }
}
