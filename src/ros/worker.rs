//! The thread that processes frames.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::complaints::Complaints;
use super::convert::{Received, stamp_ns};
use super::detector::{DetectorReport, LastImage};
use super::inbox::{Delivery, Inbox};
use super::painter::Painter;
use super::parameters::Current;
use super::publish::Outputs;
use super::respawn::Respawn;
use crate::camera::Camera;
use crate::error::Refusal;
use crate::frame::Frame;
use crate::frontend::{Calibration, FrameOutput, Frontend, GpuReport};
use crate::image::GrayImage;
use crate::mask::Objects;
use crate::telemetry::Telemetry;
use crate::trigger::Trigger;

/// What the threads of the node share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) inbox: Inbox<Received>,
    pub(super) parameters: Arc<Current>,
    requests: Mutex<Requests>,
    report: Mutex<Report>,
    /// Whether the node ends so that it can be started again with a GPU.
    wants_respawn: AtomicBool,
}

/// What the spinning thread asks of the worker before the next frame.
#[derive(Debug, Default)]
pub(super) struct Requests {
    pub(super) reset: bool,
    pub(super) camera: Option<Option<Camera>>,
    pub(super) mask: Option<GrayImage>,
    pub(super) objects: Option<Objects>,
}

/// What the worker tells the diagnostics.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) telemetry: Telemetry,
    pub(super) gpu: Option<GpuReport>,
    /// The refusal of the last frame, if it was refused.
    pub(super) refused: Option<Refusal>,
    pub(super) calibration: Option<Calibration>,
    pub(super) jitter_ns: f64,
    /// Why the last `mask`, `camera_info` or `predictions` message was refused.
    pub(super) refused_inputs: HashMap<&'static str, String>,
    pub(super) detector: DetectorReport,
    pub(super) last_image: Option<LastImage>,
}

impl Shared {
    pub(super) fn new(parameters: Arc<Current>, queue: usize) -> Self {
        Self {
            inbox: Inbox::new(queue),
            parameters,
            requests: Mutex::default(),
            report: Mutex::default(),
            wants_respawn: AtomicBool::new(false),
        }
    }

    pub(super) fn requests(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the node ended itself because its GPU is lost.
    pub(super) fn wants_respawn(&self) -> bool {
        self.wants_respawn.load(Ordering::Relaxed)
    }

    pub(super) fn report(&self) -> MutexGuard<'_, Report> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Processes frames until the inbox is closed. `leave` ends the node.
pub(super) fn work(shared: &Shared, mut frontend: Frontend, mut outputs: Outputs, painter: &Painter, leave: impl Fn()) {
    let (mut trigger, mut respawn) = (Trigger::default(), Respawn::default());
    shared.report().gpu = Some(frontend.gpu_report());
    let mut decoded = GrayImage::default();
    let mut complaints = Complaints::default();
    while let Some(delivery) = shared.inbox.next(&mut trigger, frontend.imu_offset_s(), || shared.parameters.get()) {
        let Delivery { image: received, waited, imu } = delivery;
        take_over(shared, &mut frontend, &mut complaints);
        for sample in imu {
            frontend.add_imu(sample);
        }
        let header = received.header();
        let outcome =
            received.with_view(&mut decoded, |image| frontend.process(&Frame { stamp_ns: stamp_ns(header), image }));
        match outcome {
            Ok(output) => {
                let start = Instant::now();
                let published =
                    outputs.publish(header, &output, frontend.params().publish_descriptors).and_then(|()| match output
                        .publish
                    {
                        true => painter.offer(header, frontend.gray(), frontend.mask(), &output),
                        false => Ok(()),
                    });
                if let Err(error) = published {
                    complaints.warn("publish", format_args!("frame not published: {error}"));
                }
                let jitter_limit = frontend.params().image_jitter_threshold_ms;
                complaints.about(&output, jitter_limit);
                let drift_px = output.tracking.as_ref().filter(|t| t.tracked > 0).map(|t| t.drift_px);
                if respawn.is_moment(output.stamp_ns, drift_px, output.restart.is_some())
                    && frontend.params().respawn_after_gpu_loss
                    && frontend.has_lost_gpu()
                    && !shared.wants_respawn.swap(true, Ordering::Relaxed)
                {
                    rclrs::log_warn!("vio_frontend", "the node ends: its GPU is lost, and a new process may have it");
                    leave();
                }
                tell_gpu(&mut shared.report(), &frontend);
                shared.report().last_image =
                    Some(LastImage { header: header.clone(), stamp_ns: output.stamp_ns, size: output.size });
                record(&mut shared.report(), output, waited, start.elapsed());
            }
            Err(refusal) => {
                complaints.warn(refusal.reason(), format_args!("frame refused: {refusal}"));
                let mut report = shared.report();
                report.telemetry.refused(&refusal);
                report.refused = Some(refusal);
            }
        }
    }
}

/// Takes over what changed since the last frame.
fn take_over(shared: &Shared, frontend: &mut Frontend, complaints: &mut Complaints) {
    if let Some(params) = shared.parameters.take_change()
        && let Err(error) = frontend.set_params(params)
    {
        complaints.warn("parameters", format_args!("{error}; the values in use stay as they were"));
    }
    let requests = std::mem::take(&mut *shared.requests());
    if requests.reset {
        frontend.request_restart();
    }
    if let Some(camera) = requests.camera {
        frontend.set_camera(camera);
    }
    if let Some(mask) = requests.mask {
        frontend.set_mask(mask);
    }
    if let Some(objects) = requests.objects {
        frontend.set_objects(objects);
    }
}

/// Only what has changed: it is told in words.
fn tell_gpu(report: &mut Report, frontend: &Frontend) {
    if report.gpu.as_ref().is_none_or(|told| told.revision != frontend.gpu_revision()) {
        report.gpu = Some(frontend.gpu_report());
    }
}

fn record(report: &mut Report, output: FrameOutput, waited: Duration, publish: Duration) {
    report.telemetry.took("wait", waited);
    report.telemetry.processed(&output);
    report.telemetry.took("publish", publish);
    report.telemetry.took("total", waited + output.times.total + publish);
    report.refused = None;
    report.calibration = Some(output.calibration);
    report.jitter_ns = output.jitter_ns;
}
