//! The frame's journey: [`Frontend::process`] names every stage in order.

mod device;
mod gpu;
mod motion;
mod objects;
mod plain;
mod result;
mod stream;
mod tracker;

pub use gpu::GpuReport;
pub use result::{Backend, Calibration, FrameOutput, OutputPoint, StageTimes, Tracking};

use std::time::Duration;

use crate::camera::{CamImu, Camera};
use crate::detect::{DetectSettings, Detection, Gain};
use crate::error::Refusal;
use crate::fallback::{Backoff, State};
use crate::feature::Descriptor;
use crate::frame::{Frame, ImuSample};
use crate::gpu::GpuError;
use crate::gpu::engine::EngineOptions;
use crate::image::GrayImage;
use crate::imu::Arrival;
use crate::mask::{Mask, MaskError, Masks, Objects};
use crate::params::{Mode, ParamError, Params};
use crate::track::TrackSettings;
use crate::tracks::sigma_of;
use device::{FrameDevice, Work};
use result::Stopwatch;
use stream::{Advance, Stream};
use tracker::{Step, Tracker};

/// Why the front end cannot start, or cannot take over new parameters.
#[derive(Debug, thiserror::Error)]
pub enum FrontendError {
    #[error(transparent)]
    Param(#[from] ParamError),
    #[error(transparent)]
    Mask(#[from] MaskError),
    #[error("parameter 'device': 'cuda' cannot be had: {0}; with 'auto' that means 'cpu'")]
    NoCuda(GpuError),
}

/// One camera's front end: its parameters, and the state that one frame leaves to the next.
#[derive(Debug)]
pub struct Frontend {
    params: Params,
    camera: Option<Camera>,
    masks: Masks,
    objects: Option<Objects>,
    stream: Stream,
    device: FrameDevice,
    gain: Gain,
    tracker: Tracker,
}

impl Frontend {
    /// A front end with no frame seen, on the device that the parameters want: a GPU is waited for, seconds where its
    /// kernels have to be compiled. `camera` is `None` where no calibration is known (yet).
    ///
    /// Errors: parameters that contradict each other, an unreadable mask file, a device that does not exist.
    pub fn new(params: Params, camera: Option<Camera>) -> Result<Self, FrontendError> {
        let options = EngineOptions::from(&params);
        Self::with_gpu(params, camera, options, Backoff::default())
    }

    /// As [`Frontend::new`], with CUDA's libraries from elsewhere, and other pauses after a failure.
    ///
    /// Errors: those of [`Frontend::new`].
    pub fn with_gpu(
        params: Params,
        camera: Option<Camera>,
        options: EngineOptions,
        backoff: Backoff,
    ) -> Result<Self, FrontendError> {
        Ok(Self {
            masks: Self::check(&params)?,
            objects: None,
            camera,
            stream: Stream::default(),
            device: FrameDevice::start(params.device, options, backoff).map_err(FrontendError::NoCuda)?,
            gain: Gain::default(),
            tracker: Tracker::default(),
            params,
        })
    }

    /// Whether a front end could run with `params`; yields the masks that they describe.
    ///
    /// Errors: those of [`Frontend::new`].
    pub fn check(params: &Params) -> Result<Masks, FrontendError> {
        params.check()?;
        Ok(Masks::new(params)?)
    }

    /// Turns one frame into tracks, or into features in `mode: detect`.
    ///
    /// Errors: a frame that is refused. It leaves no trace but its stamp; the next one is processed as usual.
    pub fn process(&mut self, frame: &Frame<'_>) -> Result<FrameOutput, Refusal> {
        let mut watch = Stopwatch::start();
        let Self { params, camera, masks, objects, stream, device, gain, tracker } = self;
        let (now_ns, size) = (frame.stamp_ns, [frame.image.width(), frame.image.height()]);
        let (calibration, camera) = Calibration::of(camera.as_ref(), size);
        let objects = objects::excluded(objects.as_ref(), params, camera, &tracker.motion, now_ns, size);
        let mask = masks.for_frame(size, &objects)?;
        watch.lap("mask");
        device.wake();
        let continuation = stream.admit(now_ns, size, params)?;
        if continuation.restart.is_some() {
            *gain = Gain::default();
            tracker.tracks.restart();
            tracker.motion.restart();
        }
        let Advance { before_ns, pace, publish } = stream.advance(now_ns, params.freq);

        let step = Step { params, camera, size, stamps: (before_ns, now_ns), pace, mask };
        let plan = (params.mode == Mode::Track).then(|| tracker.plan(&step, &mut watch));
        let tracking = plan.as_ref().map(|plan| (plan.starts.as_slice(), TrackSettings::from(&*params)));
        let work = Work { mask, detect: DetectSettings::from(&*params), tracking };
        device.work(&frame.image, params, &work, gain, &mut watch);
        let (tracking, (points, descriptors)) = match plan {
            Some(plan) => {
                let tracking = tracker.advance(&step, plan, device, &mut watch);
                let seconds = before_ns.map_or(0.0, |before_ns| (now_ns - before_ns) as f64 * 1e-9);
                (Some(tracking), tracker.output(seconds, params.publish_descriptors))
            }
            None => (None, detected(&device.seen().detection, camera)),
        };
        let (backend, fallback) = device.outcome();
        watch.lap("output");

        Ok(FrameOutput {
            stamp_ns: now_ns,
            size,
            points,
            descriptors,
            lost: tracker.tracks.take_lost(),
            tracking,
            offered: device.seen().detection.offered,
            calibration,
            restart: continuation.restart,
            jitter_ns: continuation.jitter_ns,
            publish,
            backend,
            fallback,
            times: watch.stop(),
        })
    }

    /// Takes an IMU sample in. Samples that cover the time between two frames, given before the later one, tell where
    /// its tracks will be.
    pub fn add_imu(&mut self, sample: ImuSample) -> Arrival {
        self.tracker.motion.add(sample)
    }

    /// Takes over changed parameters with the next frame; on an error everything stays as it was.
    pub fn set_params(&mut self, params: Params) -> Result<(), FrontendError> {
        let masks = Self::check(&params)?;
        let before = std::mem::replace(&mut self.masks, masks);
        self.masks.keep_received(before);
        self.params = params;
        Ok(())
    }

    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Replaces the calibration with the next frame.
    pub fn set_camera(&mut self, camera: Option<Camera>) {
        self.camera = camera;
    }

    /// Replaces the pose of the IMU in the camera frame, without which the gyroscope predicts nothing.
    pub fn set_cam_imu(&mut self, cam_imu: Option<CamImu>) {
        self.tracker.motion.set_cam_imu(cam_imu);
    }

    /// Image stamp to the IMU's clock, s, if a frame gains from IMU samples that cover it: tracks are predicted.
    pub fn imu_offset_s(&self) -> Option<f64> {
        let cam_imu =
            self.tracker.motion.cam_imu().filter(|_| self.params.mode == Mode::Track && self.camera.is_some());
        cam_imu.map(|cam_imu| cam_imu.td_s(&self.params))
    }

    /// Replaces the mask received at run time with the next frame.
    pub fn set_mask(&mut self, mask: GrayImage) {
        self.masks.receive(mask);
    }

    /// Replaces the things that may move, from the next frame on. They hold for frames within `detector.max_age_s` of their
    /// image, of its size.
    pub fn set_objects(&mut self, objects: Objects) {
        self.objects = Some(objects);
    }

    /// Where features were excluded in the last frame; `None` if they were not.
    pub fn mask(&self) -> Option<&Mask> {
        self.masks.last()
    }

    /// Restarts with the next frame, on request.
    pub fn request_restart(&mut self) {
        self.stream.request_restart();
    }

    /// The grey image of the last frame processed, after `histogram_method` and `prefilter`.
    pub fn gray(&self) -> &GrayImage {
        self.device.gray()
    }

    /// Waits, no longer than `limit`, for a GPU that is due to be opened again or is being opened: for those who would
    /// rather lose time than begin on the CPU.
    pub fn await_gpu(&mut self, limit: Duration) {
        self.device.await_gpu(limit);
    }

    /// Who worked on the last frame; before the first, who will.
    pub fn backend(&self) -> Backend {
        self.device.backend()
    }

    /// Where the GPU stands.
    pub fn gpu_report(&self) -> GpuReport {
        self.device.gpu_report()
    }

    /// That of the report: cheap, for every frame.
    pub fn gpu_revision(&self) -> u64 {
        self.device.gpu_revision()
    }

    /// Whether the GPU has worked and cannot work again in this process.
    pub fn has_lost_gpu(&self) -> bool {
        let GpuReport { state, failures, .. } = self.gpu_report();
        state == State::Lost && failures > 0
    }

    /// The threshold gain after the last frame (C3).
    pub fn gain(&self) -> Gain {
        self.gain
    }
}

/// The features of one frame as a back end sees them, and their descriptors.
fn detected(detection: &Detection, camera: Option<&Camera>) -> (Vec<OutputPoint>, Vec<Descriptor>) {
    let points = detection.features.iter().enumerate().map(|(index, feature)| OutputPoint {
        id: index as u64,
        age: 0,
        feature: *feature,
        normalised: camera.and_then(|c| c.normalise([f64::from(feature.u), f64::from(feature.v)])),
        velocity: [0.0; 2],
        sigma: sigma_of(feature),
    });
    (points.collect(), detection.descriptors.to_vec())
}
