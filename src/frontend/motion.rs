//! What the gyroscope says of the time between two frames, and how far it is believed.

use nalgebra::UnitQuaternion;

use crate::camera::{CamImu, Camera};
use crate::frame::{ImuSample, StampNs};
use crate::imu::{Arrival, ImuRing};
use crate::params::Params;
use crate::track::predict::{GyroPredictor, NoPrediction, contradicted, predict};
use crate::track::{Flow, FlowStatus};

/// Frames whose tracks contradict the prediction, one after the other, until it is no longer used.
const PATIENCE: u32 = 3;
/// Fewer tracks are no evidence.
const LEAST_TRACKS: usize = 8;
/// A prediction that finds fewer of the tracks than this lost most of them.
const LEAST_SHARE: f64 = 0.3;

/// The IMU beside the camera.
#[derive(Debug, Default)]
pub(super) struct Motion {
    imu: ImuRing,
    cam_imu: Option<CamImu>,
    /// Rises with each frame that contradicts the prediction, falls with each that does not; at most twice
    /// [`PATIENCE`].
    doubt: u32,
}

/// The camera's turn between two frames, and where it takes the tracks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Prediction {
    /// `cam1_from_cam0`.
    pub turn: UnitQuaternion<f64>,
    /// In the order of the tracks, px; `None` for those that leave the lens or the image.
    pub pixels: Vec<Option<[f64; 2]>>,
    /// Median displacement, px.
    pub median_px: f64,
}

impl Motion {
    pub fn set_cam_imu(&mut self, cam_imu: Option<CamImu>) {
        self.cam_imu = cam_imu;
        self.doubt = 0;
    }

    /// A stream that starts anew is no evidence against what comes.
    pub fn restart(&mut self) {
        self.doubt = 0;
    }

    pub fn cam_imu(&self) -> Option<&CamImu> {
        self.cam_imu.as_ref()
    }

    pub fn add(&mut self, sample: ImuSample) -> Arrival {
        self.imu.push(sample)
    }

    /// Where the tracks at `pixels` of the frame before will be in an image of `size` (width, height).
    ///
    /// Errors: what is missing, or why the gyroscope is not believed.
    pub fn predict(
        &self,
        params: &Params,
        camera: Option<&Camera>,
        (before_ns, now_ns): (Option<StampNs>, StampNs),
        size: [u32; 2],
        pixels: &[[f64; 2]],
    ) -> Result<Prediction, NoPrediction> {
        let before_ns = before_ns.ok_or(NoPrediction::First)?;
        let camera = camera.ok_or(NoPrediction::Uncalibrated)?;
        let cam_imu = self.cam_imu.as_ref().ok_or(NoPrediction::Extrinsics)?;
        let turn = GyroPredictor::new(cam_imu, params).rotation(&self.imu, before_ns, now_ns)?;
        let predicted = predict(camera, size, &turn, pixels)?;
        Ok(Prediction { turn, pixels: predicted.pixels, median_px: predicted.median_px })
    }

    /// `cam1_from_cam0` from one stamp to another, which may be the earlier, where the gyroscope tells it and is believed.
    pub fn turn(&self, params: &Params, from_ns: StampNs, to_ns: StampNs) -> Option<UnitQuaternion<f64>> {
        let predictor = GyroPredictor::new(self.cam_imu.as_ref().filter(|_| self.is_believed())?, params);
        if from_ns <= to_ns {
            predictor.rotation(&self.imu, from_ns, to_ns).ok()
        } else {
            Some(predictor.rotation(&self.imu, to_ns, from_ns).ok()?.inverse())
        }
    }

    /// Whether a prediction is used: not after several frames contradicted theirs.
    pub fn is_believed(&self) -> bool {
        self.doubt < PATIENCE
    }

    /// Compares where tracks were found with where they started and where they were predicted.
    pub fn learn(&mut self, prediction: &Prediction, pixels: &[[f64; 2]], flows: &[Flow]) {
        let found: Vec<_> = pixels
            .iter()
            .zip(&prediction.pixels)
            .zip(flows)
            .filter(|(_, flow)| flow.status == FlowStatus::Tracked)
            .filter_map(|((&from, predicted), flow)| Some((from, (*predicted)?, flow.position.map(f64::from))))
            .collect();
        if found.len() >= LEAST_TRACKS {
            self.doubt = match contradicted(&found) {
                true => (self.doubt + 1).min(2 * PATIENCE),
                false => self.doubt.saturating_sub(1),
            };
        }
    }
}

impl Prediction {
    /// Whether most of the tracks were not found from where they were predicted.
    pub fn failed(&self, flows: &[Flow]) -> bool {
        let predicted = self.pixels.iter().zip(flows).filter(|(pixel, _)| pixel.is_some());
        let (found, lost): (Vec<_>, Vec<_>) = predicted.partition(|(_, flow)| flow.status == FlowStatus::Tracked);
        let predicted = found.len() + lost.len();
        predicted >= LEAST_TRACKS && (found.len() as f64) < LEAST_SHARE * predicted as f64
    }
}
