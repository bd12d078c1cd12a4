//! `summary.json`: one run in numbers.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer, ser::SerializeMap as _};

use crate::telemetry::{Percentiles, Telemetry};

/// What the summary says of a run beside its [`Telemetry`].
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// As named on the command line.
    pub source: String,
    /// The device that processed the last frame.
    pub device: &'static str,
    /// Name of the GPU, while one is open.
    pub gpu: Option<String>,
    /// How it exchanges images and results with the host.
    pub gpu_transfers: Option<String>,
    /// Why frames are not worked on by a GPU, where one is wanted.
    pub no_gpu: Option<String>,
    /// Whether normalised coordinates were given.
    pub calibrated: bool,
    /// Frames that `trigger` left out.
    pub skipped: u64,
    /// Processed frames that `freq` let through.
    pub published: u64,
    pub imu_samples: u64,
    pub fallbacks: Vec<Fallback>,
}

/// A frame that the GPU began and the CPU finished.
#[derive(Clone, Debug, Serialize)]
pub struct Fallback {
    pub frame: u64,
    pub reason: String,
}

/// The contents of `summary.json`.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    pub version: &'static str,
    pub source: String,
    /// All frames that arrived: processed, refused and skipped.
    pub frames: u64,
    pub processed: u64,
    pub published: u64,
    pub skipped: u64,
    /// Refused frames by reason.
    pub refused: BTreeMap<&'static str, u64>,
    pub restarts: u64,
    pub restarts_by_reason: BTreeMap<&'static str, u64>,
    /// Features a processed frame; `null` if none was processed.
    pub features_mean: Option<f64>,
    pub features_min: Option<u64>,
    pub features_max: Option<u64>,
    /// Tracks a processed frame; `null` in `mode: detect`, which has no tracks.
    pub tracks_alive_mean: Option<f64>,
    /// Frames that a track was tracked over, median over all tracks; a track seen once has 0.
    pub track_length_median: Option<u32>,
    pub tracks_born: u64,
    /// Tracks that were lost and found again, which is counted each time.
    pub tracks_reacquired: u64,
    /// Ended tracks by reason.
    pub tracks_lost: BTreeMap<&'static str, u64>,
    /// Frames in which the gyroscope told where the tracks would be.
    pub frames_predicted: u64,
    pub imu_samples: u64,
    pub calibrated: bool,
    pub device: &'static str,
    /// Name of the GPU; `null` without one.
    pub gpu: Option<String>,
    /// How it exchanges images and results with the host.
    pub gpu_transfers: Option<String>,
    /// Why the GPU is not used at the end of the run; `null` where it is, and where none is wanted.
    pub no_gpu: Option<String>,
    pub fallbacks: Vec<Fallback>,
    /// Percentiles by stage and of the whole frame (`total`), us.
    #[serde(serialize_with = "as_map")]
    pub latency_us: Vec<(&'static str, Percentiles)>,
}

impl Summary {
    pub fn new(telemetry: &Telemetry, run: Run) -> Self {
        let (features, tracks) = (telemetry.features, &telemetry.tracks);
        let any = features.samples > 0;
        Self {
            version: env!("CARGO_PKG_VERSION"),
            source: run.source,
            frames: telemetry.processed + telemetry.refused_total() + run.skipped,
            processed: telemetry.processed,
            published: run.published,
            skipped: run.skipped,
            refused: telemetry.refused.clone(),
            restarts: telemetry.restarts_total(),
            restarts_by_reason: telemetry.restarts.clone(),
            features_mean: features.mean(),
            features_min: any.then_some(features.min),
            features_max: any.then_some(features.max),
            tracks_alive_mean: tracks.alive.mean(),
            track_length_median: tracks.length_median(),
            tracks_born: tracks.born,
            tracks_reacquired: tracks.reacquired,
            tracks_lost: tracks.lost.clone(),
            frames_predicted: tracks.predicted,
            imu_samples: run.imu_samples,
            calibrated: run.calibrated,
            device: run.device,
            gpu: run.gpu,
            gpu_transfers: run.gpu_transfers,
            no_gpu: run.no_gpu,
            fallbacks: run.fallbacks,
            latency_us: telemetry.latencies().collect(),
        }
    }
}

/// Pairs as a map that keeps their order.
fn as_map<S: Serializer>(pairs: &[(&'static str, Percentiles)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(pairs.len()))?;
    for (name, percentiles) in pairs {
        map.serialize_entry(name, percentiles)?;
    }
    map.end()
}
