//! Log lines, each kind throttled on its own: a refused frame must not hide a restart.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use crate::frontend::{Calibration, FrameOutput, Tracking};

/// The same complaint is logged at most this often.
const LOG_INTERVAL: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub(super) struct Complaints {
    last: HashMap<&'static str, Instant>,
    /// What is said only once.
    said: HashSet<&'static str>,
}

impl Complaints {
    pub(super) fn warn(&mut self, kind: &'static str, message: std::fmt::Arguments<'_>) {
        let now = Instant::now();
        if self.last.get(kind).is_none_or(|last| now - *last >= LOG_INTERVAL) {
            self.last.insert(kind, now);
            rclrs::log_warn!("vio_frontend", "{message}");
        }
    }

    pub(super) fn about(&mut self, output: &FrameOutput, jitter_limit_ms: f64) {
        if let Some(reason) = output.restart {
            self.warn("restart", format_args!("restart: {} at stamp {} ns", reason.name(), output.stamp_ns));
        }
        if let Calibration::OtherSize(error) = &output.calibration {
            self.warn("calibration", format_args!("features go out without normalised coordinates: {error}"));
        }
        if let Some((kind, reason)) = output.tracking.as_ref().and_then(Tracking::complaint)
            && self.said.insert(kind)
        {
            rclrs::log_warn!("vio_frontend", "tracks are not predicted: {reason}");
        }
        let jitter_ms = output.jitter_ns / 1e6;
        if jitter_limit_ms > 0.0 && jitter_ms.abs() > jitter_limit_ms {
            self.warn(
                "jitter",
                format_args!(
                    "image interval departs by {jitter_ms:.1} ms from the usual one, image_jitter_threshold_ms is {jitter_limit_ms}"
                ),
            );
        }
    }
}
