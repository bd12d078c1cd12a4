//! The frame's journey: [`Frontend::process`] names every stage in order.

mod result;

pub use result::{Calibration, FrameOutput, OutputPoint, SIGMA_LEVEL_PX, StageTimes};

use crate::camera::Camera;
use crate::detect::plain::PlainDetector;
use crate::detect::{DetectSettings, Gain};
use crate::error::Refusal;
use crate::feature::Feature;
use crate::frame::Frame;
use crate::image::GrayImage;
use crate::mask::{MaskError, Masks};
use crate::params::{Device, HistogramMethod, ParamError, Params, Prefilter};
use crate::stamps::{PublishThrottle, RestartReason, StampGuard};
use result::Stopwatch;

/// Why the front end cannot start, or cannot take over new parameters.
#[derive(Debug, thiserror::Error)]
pub enum FrontendError {
    #[error(transparent)]
    Param(#[from] ParamError),
    #[error(transparent)]
    Mask(#[from] MaskError),
    #[error("parameter 'device': 'cuda' is not available: this version has no CUDA path; use 'auto' or 'cpu'")]
    NoCuda,
}

/// One camera's front end: its parameters, and the state that one frame leaves to the next.
#[derive(Debug)]
pub struct Frontend {
    params: Params,
    settings: DetectSettings,
    camera: Option<Camera>,
    masks: Masks,
    stamps: StampGuard,
    throttle: PublishThrottle,
    /// A restart that was asked for and comes with the next frame.
    requested: Option<RestartReason>,
    /// Size of the last frame.
    size: Option<[u32; 2]>,
    detector: PlainDetector,
    gain: Gain,
    gray: GrayImage,
    /// The image before the prefilter.
    unfiltered: GrayImage,
}

impl Frontend {
    /// A front end with no frame seen. `camera` is `None` where no calibration is known (yet).
    ///
    /// Errors: parameters that contradict each other, an unreadable mask file, a device that does not exist.
    pub fn new(params: Params, camera: Option<Camera>) -> Result<Self, FrontendError> {
        Ok(Self {
            masks: Self::check(&params)?,
            settings: DetectSettings::from(&params),
            camera,
            stamps: StampGuard::default(),
            throttle: PublishThrottle::default(),
            requested: None,
            size: None,
            detector: PlainDetector::new(),
            gain: Gain::default(),
            gray: GrayImage::default(),
            unfiltered: GrayImage::default(),
            params,
        })
    }

    /// Whether a front end could run with `params`; yields the masks that they describe.
    ///
    /// Errors: those of [`Frontend::new`].
    pub fn check(params: &Params) -> Result<Masks, FrontendError> {
        params.check()?;
        if params.device == Device::Cuda {
            return Err(FrontendError::NoCuda);
        }
        Ok(Masks::new(params)?)
    }

    /// Turns one frame into features.
    ///
    /// Errors: a frame that is refused. It leaves no trace but its stamp; the next one is processed as usual.
    pub fn process(&mut self, frame: &Frame<'_>) -> Result<FrameOutput, Refusal> {
        let mut watch = Stopwatch::start();
        let size = [frame.image.width(), frame.image.height()];
        self.check_configured_size(size)?;
        let (restart, jitter_ns) = self.continue_stream(frame, size)?;

        self.load(frame);
        watch.lap("gray");
        let mask = self.masks.for_size(self.gray.width(), self.gray.height())?;
        let detection = self.detector.detect(&self.gray, mask, &self.settings, &mut self.gain);
        watch.lap("detect");
        let (calibration, points) = self.observe(&detection.features, size);
        watch.lap("normalise");

        Ok(FrameOutput {
            stamp_ns: frame.stamp_ns,
            size,
            points,
            descriptors: detection.descriptors,
            offered: detection.offered,
            calibration,
            restart,
            jitter_ns,
            publish: self.throttle.admit(frame.stamp_ns, self.params.freq),
            times: watch.stop(),
        })
    }

    /// Takes over changed parameters with the next frame; on an error everything stays as it was.
    pub fn set_params(&mut self, params: Params) -> Result<(), FrontendError> {
        let masks = Self::check(&params)?;
        let before = std::mem::replace(&mut self.masks, masks);
        self.masks.keep_received(before);
        self.settings = DetectSettings::from(&params);
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

    /// Replaces the mask received at run time with the next frame.
    pub fn set_mask(&mut self, mask: GrayImage) {
        self.masks.receive(mask);
    }

    /// Restarts with the next frame, on request.
    pub fn request_restart(&mut self) {
        self.requested = Some(RestartReason::Requested);
    }

    /// The grey image of the last frame processed, after `histogram_method` and `prefilter`.
    pub fn gray(&self) -> &GrayImage {
        &self.gray
    }

    /// The threshold gain after the last frame (C3).
    pub fn gain(&self) -> Gain {
        self.gain
    }

    fn check_configured_size(&self, size: [u32; 2]) -> Result<(), Refusal> {
        let [width, height] = size;
        match *self.params.image_size.as_slice() {
            [wanted_width, wanted_height] if [wanted_width, wanted_height] != size.map(i64::from) => {
                Err(Refusal::ConfiguredSize { width, height, wanted_width, wanted_height })
            }
            _ => Ok(()),
        }
    }

    /// The frame as the grey image that every stage sees.
    fn load(&mut self, frame: &Frame<'_>) {
        let smooth = self.params.prefilter == Prefilter::Binomial3;
        let gray = if smooth { &mut self.unfiltered } else { &mut self.gray };
        frame.image.to_gray(gray);
        match self.params.histogram_method {
            HistogramMethod::None => {}
            HistogramMethod::Histogram => gray.equalise(),
            HistogramMethod::Clahe => gray.equalise_tiles(),
        }
        if smooth {
            self.unfiltered.binomial3(&mut self.gray);
        }
    }

    /// Whether the frame continues the stream or starts it anew; a restart forgets the state between frames.
    fn continue_stream(&mut self, frame: &Frame<'_>, size: [u32; 2]) -> Result<(Option<RestartReason>, f64), Refusal> {
        let continuation = self.stamps.admit(frame.stamp_ns, self.params.restart_gap_s)?;
        let resized = self.size.replace(size).is_some_and(|before| before != size);
        let restart = self.requested.take().or(continuation.restart).or(resized.then_some(RestartReason::SizeChange));
        if restart.is_some() {
            self.gain = Gain::default();
            self.throttle.reset();
        }
        Ok((restart, continuation.jitter_ns))
    }

    /// The features as observations of bearings, where the calibration holds for this image.
    fn observe(&self, features: &[Feature], size: [u32; 2]) -> (Calibration, Vec<OutputPoint>) {
        let (calibration, camera) = match &self.camera {
            None => (Calibration::Missing, None),
            Some(camera) => match camera.check_image_size(size) {
                Ok(()) => (Calibration::Valid, Some(camera)),
                Err(error) => (Calibration::OtherSize(error), None),
            },
        };
        let points = features.iter().enumerate().map(|(index, feature)| OutputPoint {
            id: index as u64,
            age: 0,
            feature: *feature,
            normalised: camera.and_then(|c| c.normalise([f64::from(feature.u), f64::from(feature.v)])),
            velocity: [0.0; 2],
        });
        (calibration, points.collect())
    }
}
