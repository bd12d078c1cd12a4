//! `/diagnostics` at 1 Hz from a thread of its own: it goes on when frames stop.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use rclrs::{IntoPrimitiveOptions, Node, Publisher, RclrsError};
use ros_env::builtin_interfaces::msg::rmw::Time;
use ros_env::diagnostic_msgs::msg::rmw::{DiagnosticArray, DiagnosticStatus, KeyValue};

use super::detector::DetectorReport;
use super::worker::{Report, Shared};
use crate::detections::Counts;
use crate::fallback::State;
use crate::frontend::{Calibration, GpuReport};
use crate::imu::Coverage;
use crate::params::{OutputLayout, Trigger};
use crate::telemetry::{TrackCounters, health};
use crate::track::predict::NoPrediction;
use crate::trigger::IMU_SILENCE;

const PERIOD: Duration = Duration::from_secs(1);

/// Publishes the state of the node until stopped.
pub(super) struct Reporter {
    node: Node,
    shared: Arc<Shared>,
    publisher: Publisher<DiagnosticArray>,
    stopped: Mutex<bool>,
    stop: Condvar,
}

/// A level of `diagnostic_msgs/DiagnosticStatus` and why.
type Verdict = (u8, String);

impl Reporter {
    pub(super) fn new(node: &Node, shared: Arc<Shared>) -> Result<Self, RclrsError> {
        Ok(Self {
            node: Arc::clone(node),
            shared,
            publisher: node.create_publisher("/diagnostics".keep_last(10).reliable())?,
            stopped: Mutex::new(false),
            stop: Condvar::new(),
        })
    }

    pub(super) fn report_each_second(&self) {
        let mut seen = 0;
        let mut stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        while !*stopped {
            if let Err(error) = self.publisher.publish(self.message(&mut seen)) {
                rclrs::log_warn!(self.node.logger(), "/diagnostics not published: {error}");
            }
            stopped = self.stop.wait_timeout(stopped, PERIOD).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(super) fn stop(&self) {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stop.notify_all();
    }

    fn message(&self, seen: &mut u64) -> DiagnosticArray {
        let (images, hardware, values) = self.values();
        let (level, message) = self.verdict(images - *seen);
        *seen = images;
        let status = DiagnosticStatus {
            level,
            name: format!("{}: front end", self.node.fully_qualified_name().trim_start_matches('/')).as_str().into(),
            message: message.as_str().into(),
            hardware_id: hardware.as_str().into(),
            values: values
                .into_iter()
                .map(|(key, value)| KeyValue { key: key.as_str().into(), value: value.as_str().into() })
                .collect(),
        };
        let (sec, nanosec) = self.node.get_clock().now().to_sec_nanosec().unwrap_or_default();
        let mut array = DiagnosticArray { status: [status].into_iter().collect(), ..DiagnosticArray::default() };
        array.header.stamp = Time { sec, nanosec };
        array
    }

    /// The number of images so far, what works on them, and everything worth telling.
    fn values(&self) -> (u64, String, Vec<(String, String)>) {
        let inbox = self.shared.inbox.counters();
        let (imu, silent) = self.shared.inbox.imu();
        let report = self.shared.report();
        let mut values: Vec<(String, String)> = Vec::new();
        let mut tell = |key: &str, value: String| values.push((key.to_owned(), value));
        let gpu = report.gpu.as_ref();
        let hardware = gpu.and_then(|gpu| gpu.name.clone()).unwrap_or_else(|| "cpu".to_owned());
        tell("backend", if gpu.is_some_and(|gpu| gpu.name.is_some()) { "cuda" } else { "cpu" }.to_owned());
        let transfers = gpu.and_then(|gpu| gpu.transfers).map(|transfers| transfers.to_string());
        tell("gpu transfers", transfers.unwrap_or_else(|| "none".to_owned()));
        tell("fallback", gpu.map_or_else(|| "none".to_owned(), fallback_in_words));
        tell("frames finished on the cpu after a failure of the gpu", report.telemetry.fallbacks.to_string());
        tell("images received", inbox.images.to_string());
        tell("images dropped", inbox.dropped.to_string());
        tell("images skipped by trigger", inbox.skipped.to_string());
        tell("frames processed", report.telemetry.processed.to_string());
        tell("frames refused", report.telemetry.refused_total().to_string());
        for (reason, count) in &report.telemetry.refused {
            tell(&format!("refused {reason}"), count.to_string());
        }
        tell("restarts", report.telemetry.restarts_total().to_string());
        for (reason, count) in &report.telemetry.restarts {
            tell(&format!("restart {reason}"), count.to_string());
        }
        tracks_in_words(&report.telemetry.tracks, &mut tell);
        let features = &report.telemetry.features;
        tell("features mean", format!("{:.1}", features.mean().unwrap_or(0.0)));
        tell("features min", features.min.to_string());
        tell("features max", features.max.to_string());
        for (stage, p) in report.telemetry.latencies() {
            tell(&format!("latency {stage} p50/p95/p99"), format!("{:.0} / {:.0} / {:.0} us", p.p50, p.p95, p.p99));
        }
        detector_in_words(&report.detector, &mut tell);
        tell("image jitter", format!("{:.3} ms", report.jitter_ns / 1e6));
        tell("calibration", calibration_in_words(&report));
        tell("imu samples", imu.accepted.to_string());
        tell("imu samples refused", imu.refused().to_string());
        tell("imu samples of another clock", imu.other_clock.to_string());
        tell("imu silent for", format!("{:.3} s", silent.as_secs_f64()));
        drop(report);
        values.extend(health::readings());
        (inbox.images, hardware, values)
    }

    /// The worst of what is wrong, most urgent first.
    fn verdict(&self, new_images: u64) -> Verdict {
        let (_, silent) = self.shared.inbox.imu();
        let report = self.shared.report();
        if let Some(refusal) = &report.refused {
            return (DiagnosticStatus::ERROR, format!("last frame refused: {refusal}"));
        }
        if new_images == 0 {
            return (DiagnosticStatus::WARN, "no image in the last second".to_owned());
        }
        if let Some((topic, message)) = report.refused_inputs.iter().next() {
            return (DiagnosticStatus::WARN, format!("{topic} refused: {message}"));
        }
        if let Some(gpu) = report.gpu.as_ref().filter(|gpu| gpu.why_not.is_some() && !gpu.is_absent) {
            return (DiagnosticStatus::WARN, format!("on the CPU: {}", fallback_in_words(gpu)));
        }
        if self.shared.parameters.get().trigger == Trigger::ImuInterval && silent >= IMU_SILENCE {
            return (DiagnosticStatus::WARN, "no IMU for a second: every frame is processed".to_owned());
        }
        let layout = self.shared.parameters.get().output_layout;
        match &report.calibration {
            Some(Calibration::Missing) if layout != OutputLayout::None => {
                (DiagnosticStatus::WARN, format!("uncalibrated: nothing on topic feature for '{layout}'"))
            }
            Some(Calibration::OtherSize(error)) => (DiagnosticStatus::WARN, error.to_string()),
            Some(Calibration::Missing) => (DiagnosticStatus::OK, "running, uncalibrated: pixels only".to_owned()),
            _ => (DiagnosticStatus::OK, "running".to_owned()),
        }
    }
}

/// Why the CPU works on frames where the GPU was wanted.
fn fallback_in_words(gpu: &GpuReport) -> String {
    let Some(why_not) = &gpu.why_not else { return "none".to_owned() };
    match gpu.state {
        State::Resting { .. } => format!("{why_not}; the GPU is tried again"),
        State::Opening => format!("{why_not}; the GPU is being opened"),
        _ => format!("{why_not}; until this process ends"),
    }
}

fn calibration_in_words(report: &Report) -> String {
    match &report.calibration {
        None => "no frame yet".to_owned(),
        Some(Calibration::Valid) => "valid".to_owned(),
        Some(Calibration::Missing) => "none: no parameter and no valid camera_info".to_owned(),
        Some(Calibration::OtherSize(error)) => error.to_string(),
    }
}

fn detector_in_words(detector: &DetectorReport, tell: &mut impl FnMut(&str, String)) {
    tell("predictions received", detector.received.to_string());
    if detector.received == 0 {
        return;
    }
    tell("predictions replaced by newer ones", detector.dropped.to_string());
    for (reason, count) in &detector.refused {
        tell(&format!("predictions refused {reason}"), count.to_string());
    }
    tell("detector device", detector.device.clone());
    let Counts { candidates, kept, written, .. } = detector.last;
    tell("detector candidates / kept / published", format!("{candidates} / {kept} / {written}"));
    tell("detector candidates beyond capacity", detector.last.not_considered().to_string());
    tell("detector boxes masked", detector.masking.to_string());
    let p = detector.latency.percentiles();
    tell("latency detector p50/p95/p99", format!("{:.0} / {:.0} / {:.0} us", p.p50, p.p95, p.p99));
}

/// Counts of the run, then what the newest frame did.
fn tracks_in_words(tracks: &TrackCounters, tell: &mut impl FnMut(&str, String)) {
    let Some(last) = &tracks.last else { return };
    tell("tracks alive", (last.tracked + last.born).to_string());
    tell("tracks mean", format!("{:.1}", tracks.alive.mean().unwrap_or(0.0)));
    tell("tracks born", tracks.born.to_string());
    tell("tracks reacquired", tracks.reacquired.to_string());
    for (reason, count) in tracks.losses() {
        tell(&format!("tracks lost {reason}"), count.to_string());
    }
    tell("frames predicted", tracks.predicted.to_string());
    tell(
        "prediction",
        match &last.prediction {
            Ok(median_px) => format!("used: {median_px:.1} px (median)"),
            Err(why) => format!("none: {why}"),
        },
    );
    tell(
        "imu coverage",
        match &last.prediction {
            Err(NoPrediction::Imu(coverage)) => format!("{coverage:?}"),
            Err(NoPrediction::First | NoPrediction::Uncalibrated | NoPrediction::Extrinsics) => {
                "not asked for".to_owned()
            }
            _ => format!("{:?}", Coverage::Covered),
        },
    );
    let method = last.verification.map(|method| format!("{method:?}"));
    tell("verification", method.unwrap_or_else(|| "none: uncalibrated, or no tracks".to_owned()));
}
