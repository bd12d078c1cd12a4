//! What `threshold_ratio` does, measured on image files: `cargo run --release --example threshold_ratio -- IMAGE...`.
//!
//! Per ratio and target: how far class 0 of a first frame (gain 1) is from the wanted number, the gain it settles at,
//! how evenly features spread, and the share found again under changes of light, blur, noise and a shift.

use vio_frontend::detect::plain::PlainDetector;
use vio_frontend::detect::{DetectSettings, Gain};
use vio_frontend::feature::Feature;
use vio_frontend::image::GrayImage;
use vio_frontend::params::Params;

/// Frames until the gain has settled from anywhere: 1.05^114 = 256.
const SETTLED: usize = 114;
/// The shift of the repeatability test, px: odd, so that the pyramid meets other pixels.
const SHIFT: (usize, usize) = (5, 3);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut images = Vec::new();
    for file in std::env::args().skip(1) {
        images.push(GrayImage::decode(&std::fs::read(file)?)?);
    }
    println!(
        "| target | ratio | class 0 / wanted, log2: median abs | within 2x, % | gain settled: p10 p50 p90 | entropy | found again: light x0.5, x2, blur, noise, shift, mean |"
    );
    println!("|---|---|---|---|---|---|---|");
    for target in [300, 1000, 4600] {
        for ratio in [0.0, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 64.0] {
            let params = Params { max_cnt: target, threshold_ratio: ratio, ..Params::default() };
            row(&images, ratio, &DetectSettings::from(&params));
        }
    }
    Ok(())
}

fn row(images: &[GrayImage], ratio: f64, settings: &DetectSettings) {
    let wanted = 1.5 * f64::from(settings.target);
    let (mut misses, mut gains, mut entropies) = (Vec::new(), Vec::new(), Vec::new());
    let mut repeats = [const { Vec::new() }; 5];
    let mut detector = PlainDetector::new();
    for image in images {
        let mut gain = Gain::default();
        let first = detector.detect(image, None, settings, &mut gain);
        if first.offered < 2 * settings.target {
            continue;
        }
        misses.push((f64::from(first.offered_class0.max(1)) / wanted).log2().abs());
        for _ in 0..SETTLED {
            detector.detect(image, None, settings, &mut gain);
        }
        gains.push(f64::from(gain.0) / 65536.0);
        let features = detector.detect(image, None, settings, &mut gain.clone()).features;
        entropies.push(entropy(&features, image));
        let changed = [
            GrayImage::from_fn(image.width(), image.height(), |x, y| image.at(x, y) / 2),
            GrayImage::from_fn(image.width(), image.height(), |x, y| image.at(x, y).saturating_mul(2)),
            blurred(image),
            noisy(image),
            cropped(image),
        ];
        for (k, changed) in changed.iter().enumerate() {
            let again = detector.detect(changed, None, settings, &mut gain.clone()).features;
            repeats[k].push(found_again(&features, &again, if k == 4 { SHIFT } else { (0, 0) }, changed));
        }
    }
    let within = misses.iter().filter(|&&miss| miss <= 1.0).count() as f64 / misses.len().max(1) as f64;
    let means = repeats.each_ref().map(|shares| mean(shares));
    println!(
        "| {} | {ratio} | {:.2} | {:.0} | {:.2} {:.2} {:.2} | {:.3} | {} {:.3} |",
        settings.target,
        quantile(&misses, 0.5),
        100.0 * within,
        quantile(&gains, 0.1),
        quantile(&gains, 0.5),
        quantile(&gains, 0.9),
        mean(&entropies),
        means.map(|share| format!("{share:.3}")).join(" "),
        mean(&means)
    );
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get((q * (sorted.len().max(1) - 1) as f64).round() as usize).copied().unwrap_or(f64::NAN)
}

/// Entropy of the features over 8 x 6 cells, 1 when all hold the same number.
fn entropy(features: &[Feature], image: &GrayImage) -> f64 {
    let mut cells = [0.0; 48];
    for feature in features {
        let x = (feature.half_x + 1) as usize * 4 / image.width();
        let y = (feature.half_y + 1) as usize * 3 / image.height();
        cells[y * 8 + x] += 1.0 / features.len() as f64;
    }
    -cells.iter().filter(|&&p| p > 0.0).map(|p| p * p.ln()).sum::<f64>() / 48_f64.ln()
}

/// Share of the features that have one of the same level within 1.5 of its pixels in the changed image; those that
/// the changed image cannot show do not count.
fn found_again(features: &[Feature], again: &[Feature], shift: (usize, usize), changed: &GrayImage) -> f64 {
    let (mut possible, mut found) = (0, 0);
    for feature in features {
        let (u, v) = (feature.u - shift.0 as f32, feature.v - shift.1 as f32);
        let border = f32::from(5_u8 << feature.level);
        if u < border || v < border || u + border > changed.width() as f32 || v + border > changed.height() as f32 {
            continue;
        }
        possible += 1;
        let reach = 1.5 * f32::from(1_u8 << feature.level);
        let near = |f: &Feature| (f.u - u).abs() <= reach && (f.v - v).abs() <= reach && f.level == feature.level;
        found += usize::from(again.iter().any(near));
    }
    found as f64 / possible.max(1) as f64
}

fn cropped(image: &GrayImage) -> GrayImage {
    let (dx, dy) = SHIFT;
    GrayImage::from_fn(image.width() - dx, image.height() - dy, |x, y| image.at(x + dx, y + dy))
}

/// (1 2 1) x (1 2 1) / 16.
fn blurred(image: &GrayImage) -> GrayImage {
    let (width, height) = (image.width(), image.height());
    GrayImage::from_fn(width, height, |x, y| {
        let row = |y: usize| {
            let at = |x: usize| u32::from(image.at(x, y));
            at(x.saturating_sub(1)) + 2 * at(x) + at((x + 1).min(width - 1))
        };
        ((row(y.saturating_sub(1)) + 2 * row(y) + row((y + 1).min(height - 1)) + 8) >> 4) as u8
    })
}

/// Uniform noise of +-8 grey levels, a fixed sequence.
fn noisy(image: &GrayImage) -> GrayImage {
    let mut state = 1_u32;
    GrayImage::from_fn(image.width(), image.height(), |x, y| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (i32::from(image.at(x, y)) + (state >> 24) as i32 % 17 - 8).clamp(0, 255) as u8
    })
}
