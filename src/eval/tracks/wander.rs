//! Where the camera stands, tracks should too.

use serde::Serialize;

use super::run::History;
use super::statistics::Values;

/// Frames of a stretch.
const STRETCH: usize = 20;

/// How tracks wander about their mean over stretches of 20 frames, one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Wander {
    /// Tracks seen all through a stretch, over all stretches.
    pub stretches: usize,
    /// RMS distance from the mean of the stretch, px, median over tracks and stretches.
    pub median_px: Option<f64>,
    pub p95_px: Option<f64>,
    /// The same without what all tracks do together, which is the camera's: the median of the frame along each axis.
    pub alone_median_px: Option<f64>,
    pub alone_p95_px: Option<f64>,
}

/// `None` without a track of 20 frames.
pub(super) fn judge(histories: &[History], frames: usize) -> Option<Wander> {
    let (mut together, mut alone) = (Values::default(), Values::default());
    for first in (0..(frames + 1).saturating_sub(STRETCH)).step_by(STRETCH) {
        let through = |track: &History| (first..first + STRETCH).map(|k| Some(track.at(k)?.position)).collect();
        let tracks: Vec<Vec<[f64; 2]>> = histories.iter().filter_map(through).collect();
        let off: Vec<Vec<[f64; 2]>> = tracks.iter().map(|track| from_mean(track)).collect();
        let common: Vec<[f64; 2]> =
            (0..STRETCH).map(|k| [0, 1].map(|axis| median(off.iter().map(|t| t[k][axis])))).collect();
        for track in &off {
            together.add(rms(track.iter().copied()));
            alone.add(rms(track.iter().zip(&common).map(|(d, c)| [d[0] - c[0], d[1] - c[1]])));
        }
    }
    (together.len() > 0).then(|| Wander {
        stretches: together.len(),
        median_px: together.median(),
        p95_px: together.quantile(0.95),
        alone_median_px: alone.median(),
        alone_p95_px: alone.quantile(0.95),
    })
}

fn from_mean(track: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mean = [0, 1].map(|axis| track.iter().map(|p| p[axis]).sum::<f64>() / track.len() as f64);
    track.iter().map(|p| [p[0] - mean[0], p[1] - mean[1]]).collect()
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    values.collect::<Values>().median().unwrap_or(0.0)
}

fn rms(off: impl ExactSizeIterator<Item = [f64; 2]>) -> f64 {
    let count = off.len() as f64;
    (off.map(|[x, y]| x * x + y * y).sum::<f64>() / count).sqrt()
}
