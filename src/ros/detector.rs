//! The thread that makes boxes of a network's output: frames do not wait for it.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rclrs::rosidl_runtime_rs::Sequence;
use rclrs::{IntoPrimitiveOptions, Node, Publisher, RclrsError};
use ros_env::builtin_interfaces::msg::rmw::Time;
use ros_env::sensor_msgs::msg::rmw::{PointCloud2, PointField};
use ros_env::std_msgs::msg::rmw::{Float32MultiArray, Header};

use super::boxes;
use super::complaints::Complaints;
use super::predictions::{self, BadPredictions, Dimension};
use super::worker::Shared;
use crate::detections::anywhere::Anywhere;
use crate::detections::{Counts, Refused, Tensor, prepare};
use crate::frame::StampNs;
use crate::mask::Objects;
use crate::params::Params;
use crate::telemetry::Latency;

/// The `detections` topic and the newest message to work on; one that comes meanwhile replaces the waiting one.
pub(super) struct Detector {
    publisher: Publisher<PointCloud2>,
    fields: Sequence<PointField>,
    next: Mutex<Next>,
    bell: Condvar,
}

#[derive(Default)]
struct Next {
    message: Option<Float32MultiArray>,
    closed: bool,
}

/// What the diagnostics tell of it.
#[derive(Debug, Default)]
pub(super) struct DetectorReport {
    pub(super) received: u64,
    /// Messages that a newer one replaced.
    pub(super) dropped: u64,
    /// By [`Trouble::reason`].
    pub(super) refused: BTreeMap<&'static str, u64>,
    /// Of the last message that was not refused.
    pub(super) last: Counts,
    /// Boxes of the classes that are masked, of that message.
    pub(super) masking: usize,
    /// What works on it, and why if it is not the GPU.
    pub(super) device: String,
    pub(super) latency: Latency,
}

/// The newest frame that was processed.
#[derive(Clone, Debug)]
pub(super) struct LastImage {
    pub(super) header: Header,
    pub(super) stamp_ns: StampNs,
    pub(super) size: [u32; 2],
}

/// Why a message gives no boxes.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error(transparent)]
    Message(#[from] BadPredictions),
    #[error(transparent)]
    Tensor(#[from] Refused),
}

impl Trouble {
    fn reason(&self) -> &'static str {
        match self {
            Self::Message(error) => error.reason(),
            Self::Tensor(error) => error.reason(),
        }
    }
}

impl Detector {
    pub(super) fn new(node: &Node) -> Result<Self, RclrsError> {
        let field = |(i, (name, datatype)): (usize, &(&str, u8))| PointField {
            name: (*name).into(),
            offset: 4 * i as u32,
            datatype: *datatype,
            count: 1,
        };
        Ok(Self {
            publisher: node.create_publisher("detections".keep_last(10).reliable())?,
            fields: boxes::FIELDS.iter().enumerate().map(field).collect(),
            next: Mutex::default(),
            bell: Condvar::new(),
        })
    }

    fn next(&self) -> MutexGuard<'_, Next> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves a message.
    pub(super) fn offer(&self, shared: &Shared, message: Float32MultiArray) {
        let replaced = self.next().message.replace(message);
        let mut report = shared.report();
        report.detector.received += 1;
        report.detector.dropped += u64::from(replaced.is_some());
        drop(report);
        self.bell.notify_one();
    }

    pub(super) fn close(&self) {
        self.next().closed = true;
        self.bell.notify_all();
    }

    fn wait(&self) -> Option<Float32MultiArray> {
        let waiting = |next: &mut Next| !next.closed && next.message.is_none();
        let mut next = self.bell.wait_while(self.next(), waiting).unwrap_or_else(PoisonError::into_inner);
        if next.closed { None } else { next.message.take() }
    }

    /// Makes boxes of messages until closed.
    pub(super) fn work(&self, shared: &Shared, mut anywhere: Anywhere) {
        let mut complaints = Complaints::default();
        while let Some(message) = self.wait() {
            let start = Instant::now();
            match self.boxes(shared, &message, &mut anywhere, &mut complaints) {
                Ok(()) => {
                    let mut report = shared.report();
                    report.refused_inputs.remove("predictions");
                    report.detector.latency.record(start.elapsed());
                }
                Err(trouble) => {
                    complaints.warn(trouble.reason(), format_args!("predictions refused: {trouble}"));
                    let mut report = shared.report();
                    *report.detector.refused.entry(trouble.reason()).or_default() += 1;
                    report.refused_inputs.insert("predictions", trouble.to_string());
                }
            }
            // Not before the boxes: opening can take seconds.
            anywhere.refresh();
            shared.report().detector.device = in_words(&anywhere);
        }
    }

    fn boxes(
        &self,
        shared: &Shared,
        message: &Float32MultiArray,
        anywhere: &mut Anywhere,
        complaints: &mut Complaints,
    ) -> Result<(), Trouble> {
        let params = shared.parameters.get();
        let dimensions: Vec<Dimension> = message.layout.dim.iter().map(dimension).collect();
        let read = predictions::read(&dimensions, message.layout.data_offset, message.data.as_slice())?;
        let last = shared.report().last_image.clone();
        let stamp_ns = read.stamp_ns.or(last.as_ref().map(|last| last.stamp_ns)).ok_or(BadPredictions::NoImage)?;
        let size = read.image.or(last.as_ref().map(|last| last.size)).ok_or(BadPredictions::NoImage)?;
        let (plan, letterbox) = prepare::prepare(&params, &read.shape, size)?;
        if plan.batch() != 1 {
            return Err(BadPredictions::Batch { batch: plan.batch(), shape: read.shape }.into());
        }
        let found = anywhere.run(&plan, &Tensor::F32(read.values), &[letterbox])?;

        let counts = found.counts.first().copied().unwrap_or_default();
        if counts.not_considered() > 0 || counts.not_written() > 0 {
            complaints.warn("capacity", format_args!("{}", overflow(&counts, &params)));
        }
        let classes = params.detector_class_numbers().unwrap_or_default();
        let objects = Objects::of(&found.boxes, &classes, stamp_ns, size);
        let masking = objects.boxes.len();
        shared.requests().objects = Some(objects);
        if let Err(error) = self.publisher.publish(self.cloud(header(stamp_ns, last), &found.boxes)) {
            complaints.warn("publish", format_args!("detections not published: {error}"));
        }
        let mut report = shared.report();
        (report.detector.last, report.detector.masking) = (counts, masking);
        Ok(())
    }

    fn cloud(&self, header: Header, found: &[crate::detections::Detection]) -> PointCloud2 {
        let row_step = found.len() * boxes::STEP;
        let mut data = Sequence::new(row_step);
        boxes::write(found, data.as_mut_slice());
        PointCloud2 {
            header,
            height: 1,
            width: found.len() as u32,
            fields: self.fields.clone(),
            is_bigendian: false,
            point_step: boxes::STEP as u32,
            row_step: row_step as u32,
            data,
            is_dense: true,
        }
    }
}

fn dimension(dimension: &ros_env::std_msgs::msg::rmw::MultiArrayDimension) -> Dimension {
    Dimension { label: dimension.label.to_string(), size: dimension.size, stride: dimension.stride }
}

/// The stamp of the network's image, in the frame of the images.
fn header(stamp_ns: StampNs, last: Option<LastImage>) -> Header {
    let (sec, nanosec) = (stamp_ns.div_euclid(1_000_000_000), stamp_ns.rem_euclid(1_000_000_000));
    let frame_id = last.map(|last| last.header.frame_id).unwrap_or_default();
    Header { stamp: Time { sec: sec as i32, nanosec: nanosec as u32 }, frame_id }
}

fn overflow(counts: &Counts, params: &Params) -> String {
    format!(
        "{} of {} candidates are beyond detector.max_candidates {}, {} of {} boxes beyond detector.max_detections {}",
        counts.not_considered(),
        counts.candidates,
        params.detector_max_candidates,
        counts.not_written(),
        counts.kept,
        params.detector_max_detections
    )
}

fn in_words(anywhere: &Anywhere) -> String {
    match (anywhere.is_on_gpu(), anywhere.why_not()) {
        (true, _) => "cuda".to_owned(),
        (false, None) => "cpu".to_owned(),
        (false, Some(error)) if error.is_absence() => "cpu (no GPU)".to_owned(),
        (false, Some(error)) => format!("cpu ({error})"),
    }
}
