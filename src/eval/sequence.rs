//! The protocol on simulated sequences, whose flow is known exactly.
//!
//! - *Precision*: points of frame k, moved by the true flow, against the points of frame k + 1: nearest of the same
//!   level within 1.5 of its pixels, mutually.
//! - *Bias*: every tenth frame against itself turned by 180 degrees.
//! - *Repeatability*: frame k against k + 1 and k + 10, a pair being mutually nearest within 3 level-0 pixels.

use super::changes::{even, turned};
use super::figures::Figures;
use super::judge::{Sums, level_answers};
use super::{Answer, Detector, DetectorError, Keypoint, LEVELS};
use crate::image::GrayImage;
use crate::source::synth::Synth;

/// Frames between the images of a pair.
const GAPS: [usize; 2] = [1, 10];
/// Frames from one measurement of bias to the next.
const BIAS_EVERY: usize = 10;

/// What the detectors found in one frame.
#[derive(Clone, Debug, Default)]
struct FrameAnswers {
    /// Of each detector.
    published: Vec<Answer>,
    /// With the first detector's numbers by level.
    by_level: Vec<Vec<Keypoint>>,
}

/// Judges the detectors, each asked for `wanted` points, on the frames of `synth`; the first decides how many points
/// of each level count for precision. `progress` is called after each frame.
///
/// Errors: those of a detector.
pub fn evaluate(
    synth: &Synth,
    wanted: usize,
    detectors: &mut [Box<dyn Detector>],
    mut progress: impl FnMut(),
) -> Result<Vec<Figures>, DetectorError> {
    let mut sums = vec![Sums::default(); detectors.len()];
    let mut history: Vec<FrameAnswers> = Vec::new();
    let mut image = GrayImage::default();
    for k in 0..synth.frames() {
        synth.render(k, &mut image);
        if k == 0 {
            detectors.iter_mut().for_each(|detector| detector.begin(&image, wanted));
        }
        let mut answers = FrameAnswers::default();
        for (sums, detector) in sums.iter_mut().zip(detectors.iter_mut()) {
            let answer = detector.detect(&image, wanted)?;
            sums.add_image(&answer, &image);
            answers.published.push(answer);
        }
        answers.by_level = level_answers(detectors, &image, wanted)?;
        compare(synth, k, &history, &answers, &mut sums, [image.width(), image.height()]);
        if k % BIAS_EVERY == 0 {
            let image = even(&image);
            let first = level_answers(detectors, &image, wanted)?;
            let second = level_answers(detectors, &turned(&image), wanted)?;
            for ((sums, first), second) in sums.iter_mut().zip(&first).zip(&second) {
                sums.add_turned([first, second], [image.width(), image.height()]);
            }
        }
        history.push(answers);
        progress();
    }
    Ok(sums.iter().zip(&*detectors).map(|(sums, detector)| sums.figures(detector.name(), wanted)).collect())
}

/// Frame `k` against those before it.
fn compare(
    synth: &Synth,
    k: usize,
    history: &[FrameAnswers],
    answers: &FrameAnswers,
    sums: &mut [Sums],
    size: [usize; 2],
) {
    for gap in GAPS {
        let Some(from) = k.checked_sub(gap) else { continue };
        let Some(before) = history.get(from) else { continue };
        let flow = |point: [f64; 2]| synth.flow(from, k, point);
        for (i, sums) in sums.iter_mut().enumerate() {
            let change = format!("{gap} frame{}", if gap == 1 { "" } else { "s" });
            sums.add_repeats([&change; 2], [&before.published[i], &answers.published[i]], size, flow);
            if gap == 1 {
                let pair = [&before.by_level[i][..], &answers.by_level[i]];
                (0..LEVELS).for_each(|level| sums.add_pairs(level, pair, size, flow));
            }
        }
    }
}
