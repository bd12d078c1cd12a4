//! The node: subscriptions that only store, services, and three threads.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rclrs::{
    Context, CreateBasicExecutor, DeclarationError, Executor, InitOptions, IntoPrimitiveOptions, Node, NodeOptions,
    PrimitiveOptions, QoSProfile, RclrsError, RclrsErrorFilter, SpinOptions,
};
use ros_env::sensor_msgs::msg::rmw::{CameraInfo, CompressedImage, Image, Imu};
use ros_env::std_msgs::msg::rmw::Float32MultiArray;
use ros_env::std_srvs::srv::rmw::{Trigger_Request, Trigger_Response};

use super::arguments::{ArgumentError, Arguments, NODE_NAME};
use super::convert::{self, Received};
use super::detector::Detector;
use super::diagnostics;
use super::log;
use super::painter::Painter;
use super::parameters::{self, Current};
use super::publish::Outputs;
use super::worker::{self, Shared};
use crate::camera::{CalibrationError, CamImu, Camera};
use crate::detections::anywhere::Anywhere;
use crate::fallback::Backoff;
use crate::frontend::{Frontend, FrontendError};
use crate::gpu::GpuError;
use crate::gpu::engine::EngineOptions;
use crate::image::GrayImage;
use crate::params::{Device, ImageTransport, Params, QosProfile};

/// IMU messages that may wait in the middleware: two seconds at 1 kHz.
const IMU_DEPTH: u32 = 2000;
/// How often a signal that came before the spin is repeated to it.
const HALT_REPEAT: Duration = Duration::from_millis(20);

/// Why the node cannot start or stopped.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    #[error(transparent)]
    Arguments(#[from] ArgumentError),
    #[error(transparent)]
    Frontend(#[from] FrontendError),
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
    #[error("ROS 2: {0}")]
    Ros(#[from] RclrsError),
    #[error("ROS 2 parameters: {0}")]
    Declaration(#[from] DeclarationError),
    #[error("signal handler: {0}")]
    Signal(#[from] ctrlc::Error),
    #[error("parameter 'detector.device': 'cuda' cannot be had: {0}; with 'auto' that means 'cpu'")]
    DetectorGpu(GpuError),
    #[error("the GPU is lost for this process, and parameter 'respawn_after_gpu_loss' is true")]
    GpuLost,
    #[error("thread: {0}")]
    Thread(#[from] std::io::Error),
}

/// Runs the node until SIGINT, SIGTERM or SIGHUP.
pub fn run(args: impl IntoIterator<Item = String>) -> Result<(), NodeError> {
    let Arguments { params, for_context } = Arguments::parse(args)?;
    log::forward();
    let camera = Camera::resolve(&params, || Ok(None))?;
    let anywhere = anywhere(&params)?;
    let mut frontend = Frontend::new(params.clone(), camera)?;
    frontend.set_cam_imu(CamImu::resolve(&params, None)?);

    let mut executor = Context::new(for_context, InitOptions::default())?.create_basic_executor();
    halt_on_signal(&executor)?;

    let node = executor.create_node(NodeOptions::new(NODE_NAME))?;
    let current = Arc::new(Current::new(params.clone()));
    let _declared = parameters::declare(&node, &current)?;
    let shared = Arc::new(Shared::new(current, params.image_queue_size as usize));
    let outputs = Outputs::new(&node, params.output_layout)?;
    let _reset = reset_service(&node, &shared)?;
    let detector = Arc::new(Detector::new(&node)?);
    let _subscriptions = subscribe(&node, &shared, &detector, &params)?;
    rclrs::log_info!(
        node.logger(),
        "ready: device {}, {} features wanted",
        frontend.gpu_report().in_words(),
        params.max_cnt
    );
    spin(&mut executor, &node, &shared, Work { frontend, outputs, detector, anywhere })?;
    if shared.wants_respawn() { Err(NodeError::GpuLost) } else { Ok(()) }
}

/// Ends the spin on SIGINT, SIGTERM or SIGHUP, also when the signal comes before the spin.
///
/// A spin that begins forgets an earlier call of `halt_spinning`, so the call is repeated until the executor is gone.
/// The handler lives as long as the process: a strong reference would keep the DDS participant alive after the node.
fn halt_on_signal(executor: &Executor) -> Result<(), ctrlc::Error> {
    let commands = Arc::downgrade(executor.commands());
    ctrlc::set_handler(move || {
        while let Some(commands) = commands.upgrade() {
            commands.halt_spinning();
            drop(commands);
            thread::sleep(HALT_REPEAT);
        }
    })
}

/// What makes boxes. Where a GPU is insisted on, it is opened now.
fn anywhere(params: &Params) -> Result<Anywhere, NodeError> {
    let wanted = params.detector_device;
    let mut anywhere = Anywhere::new(wanted != Device::Cpu, EngineOptions::from(params), Backoff::default());
    if wanted == Device::Cuda {
        anywhere.refresh();
        if let Some(error) = anywhere.why_not() {
            return Err(NodeError::DetectorGpu(error.clone()));
        }
    }
    Ok(anywhere)
}

/// What the threads beside the spinning one work with.
struct Work {
    frontend: Frontend,
    outputs: Outputs,
    detector: Arc<Detector>,
    anywhere: Anywhere,
}

/// Spins on this thread while worker, painter, detector and diagnostics run on theirs; ends all five.
fn spin(executor: &mut Executor, node: &Node, shared: &Arc<Shared>, work: Work) -> Result<(), NodeError> {
    let Work { frontend, outputs, detector, anywhere } = work;
    let painter = Painter::new(node)?;
    let reporter = diagnostics::Reporter::new(node, Arc::clone(shared))?;
    let commands = Arc::clone(executor.commands());
    let leave = move || commands.halt_spinning();
    thread::scope(|scope| {
        let spawn = |name: &str, body: Box<dyn FnOnce() + Send>| {
            thread::Builder::new().name(name.to_owned()).spawn_scoped(scope, body)
        };
        let started = spawn("vio_worker", Box::new(|| worker::work(shared, frontend, outputs, &painter, leave)))
            .and_then(|_| spawn("vio_painter", Box::new(|| painter.paint())))
            .and_then(|_| spawn("vio_detector", Box::new(|| detector.work(shared, anywhere))))
            .and_then(|_| spawn("vio_diagnostics", Box::new(|| reporter.report_each_second())));
        let spun = match started {
            Ok(_) => executor.spin(SpinOptions::default()).first_error().map_err(NodeError::from),
            Err(error) => Err(NodeError::Thread(error)),
        };
        shared.inbox.close();
        painter.close();
        detector.close();
        reporter.stop();
        spun
    })
}

/// Keeps the subscriptions alive.
type Subscriptions = Vec<Box<dyn std::any::Any>>;

fn subscribe(
    node: &Node,
    shared: &Arc<Shared>,
    detector: &Arc<Detector>,
    params: &Params,
) -> Result<Subscriptions, RclrsError> {
    let images: Box<dyn std::any::Any> = match params.image_transport {
        ImageTransport::Raw => {
            let image = with_qos("image", params.image_qos);
            let shared = Arc::clone(shared);
            Box::new(node.create_subscription(image, move |message: Image| put(&shared, Received::Raw(message)))?)
        }
        ImageTransport::Compressed => {
            let image = with_qos("image/compressed", params.image_qos);
            let shared = Arc::clone(shared);
            Box::new(node.create_subscription(image, move |message: CompressedImage| {
                put(&shared, Received::Compressed(message));
            })?)
        }
    };
    let for_imu = Arc::clone(shared);
    let imu = with_qos("imu", params.imu_qos).keep_last(IMU_DEPTH);
    let imu =
        node.create_subscription(imu, move |message: Imu| for_imu.inbox.put_imu(convert::imu_sample(&message)))?;
    let for_mask = Arc::clone(shared);
    let mask = node.create_subscription("mask".keep_last(1).reliable(), move |message: Image| {
        take_mask(&for_mask, &message);
    })?;
    let (for_predictions, detector) = (Arc::clone(shared), Arc::clone(detector));
    let predictions = "predictions".keep_last(1).reliable();
    let predictions = node.create_subscription(predictions, move |message: Float32MultiArray| {
        detector.offer(&for_predictions, message);
    })?;
    let mut subscriptions: Subscriptions = vec![images, Box::new(imu), Box::new(mask), Box::new(predictions)];
    if params.intrinsics.is_empty() && params.calibration_file.is_empty() {
        subscriptions.push(Box::new(subscribe_camera_info(node, shared, params)?));
    }
    Ok(subscriptions)
}

fn put(shared: &Shared, received: Received) {
    shared.inbox.put_image(convert::stamp_ns(received.header()), received);
}

fn take_mask(shared: &Shared, message: &Image) {
    let refused = match convert::view(message) {
        Ok(view) => {
            let mut mask = GrayImage::default();
            view.to_gray(&mut mask);
            shared.requests().mask = Some(mask);
            None
        }
        Err(refusal) => Some(refusal.to_string()),
    };
    note_input(shared, "mask", refused);
}

/// The calibration as it was last published; asked for again only when the message changes.
fn subscribe_camera_info(
    node: &Node,
    shared: &Arc<Shared>,
    params: &Params,
) -> Result<rclrs::Subscription<CameraInfo>, RclrsError> {
    let (shared, params) = (Arc::clone(shared), params.clone());
    let last = std::sync::Mutex::new(None);
    node.create_subscription("camera_info".sensor_data_qos(), move |message: CameraInfo| {
        let info = convert::camera_info(&message);
        let mut last = last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if last.as_ref() == Some(&info) {
            return;
        }
        let (camera, refused) = match Camera::resolve(&params, || Camera::from_camera_info(&info)) {
            Ok(camera) => (camera, None),
            Err(error) => (None, Some(error.to_string())),
        };
        shared.requests().camera = Some(camera);
        note_input(&shared, "camera_info", refused);
        *last = Some(info);
    })
}

/// Remembers whether the last message of `topic` was refused, for the diagnostics, and logs the first of its kind.
fn note_input(shared: &Shared, topic: &'static str, refused: Option<String>) {
    let before = match &refused {
        Some(message) => shared.report().refused_inputs.insert(topic, message.clone()),
        None => shared.report().refused_inputs.remove(topic),
    };
    if let Some(message) = refused
        && before.as_ref() != Some(&message)
    {
        rclrs::log_warn!("vio_frontend", "{topic} refused: {message}");
    }
}

fn reset_service(
    node: &Node,
    shared: &Arc<Shared>,
) -> Result<rclrs::Service<ros_env::std_srvs::srv::rmw::Trigger>, RclrsError> {
    let shared = Arc::clone(shared);
    node.create_service("~/reset", move |_: Trigger_Request| {
        shared.requests().reset = true;
        Trigger_Response { success: true, message: "the front end restarts with the next frame".into() }
    })
}

fn with_qos(topic: &str, profile: QosProfile) -> PrimitiveOptions<'_> {
    topic.qos(match profile {
        QosProfile::SensorData => QoSProfile::sensor_data_default(),
        QosProfile::Reliable => QoSProfile::topics_default().reliable(),
        QosProfile::SystemDefault => QoSProfile::system_default(),
    })
}
