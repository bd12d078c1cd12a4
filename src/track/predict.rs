//! Where features will be: predicted from the gyroscope before any of them is looked for.
//!
//! Between two images the camera mostly turns. [`GyroPredictor::rotation`] integrates the gyroscope over the interval
//! and carries the turn to the camera; [`predict`] sends each feature through the camera model: unproject, rotate,
//! project. What the camera's translation adds is left to the tracker. A prediction that cannot be right is refused,
//! with the reason as data.

use nalgebra::{UnitQuaternion, Vector3};

use crate::camera::{CamImu, Camera};
use crate::frame::StampNs;
use crate::imu::{Coverage, ImuRing};
use crate::params::Params;

/// Greatest rate, rad/s: where most gyroscopes end, 2000 deg/s.
pub const GREATEST_RATE: f64 = 35.0;

/// Greatest median displacement, as a share of the image's shorter side. The tracker needs two images with most of
/// their content in common.
pub const GREATEST_SHARE: f64 = 1.0 / 3.0;

/// Why there is no prediction.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum NoPrediction {
    #[error("no frame came before")]
    First,
    #[error("the camera is not calibrated for this image size")]
    Uncalibrated,
    #[error("the pose of the IMU in the camera frame is not known: set t_cam_imu or calibration_file")]
    Extrinsics,
    #[error("the IMU does not cover the interval between the images: {0}")]
    Imu(Coverage),
    #[error("the gyroscope says {rate:.1} rad/s, more than {GREATEST_RATE}: are the units rad/s?")]
    Rate { rate: f64 },
    #[error("features would move by {median_px:.0} px (median), more than {limit_px:.0}: are units and clock right?")]
    Displacement { median_px: f64, limit_px: f64 },
    #[error("most tracks were not found where the gyroscope takes them in this frame")]
    NotFound,
    #[error("the tracks move otherwise than the gyroscope says: are units, axes, t_cam_imu and td right?")]
    Contradicted,
}

impl NoPrediction {
    /// The short name of a reason that somebody should look into, once; `None` for what is as it should be: a first
    /// frame, a camera or an IMU that is not there or not described, a frame in which tracks are lost anyway.
    pub fn complaint(&self) -> Option<&'static str> {
        match self {
            Self::First
            | Self::Uncalibrated
            | Self::Extrinsics
            | Self::NotFound
            | Self::Imu(Coverage::Empty | Coverage::Covered) => None,
            Self::Imu(Coverage::NotYet { .. }) => Some("imu_late"),
            Self::Imu(Coverage::TooLate { .. }) => Some("imu_began_late"),
            Self::Imu(Coverage::Gap { .. }) => Some("imu_gap"),
            Self::Imu(Coverage::OtherClock { .. }) => Some("imu_other_clock"),
            Self::Imu(Coverage::Reversed) => Some("imu_reversed"),
            Self::Rate { .. } => Some("imu_rate"),
            Self::Displacement { .. } => Some("imu_displacement"),
            Self::Contradicted => Some("imu_contradicted"),
        }
    }
}

/// Turns of a camera from the gyroscope beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GyroPredictor {
    cam_from_imu: UnitQuaternion<f64>,
    /// Image stamp to the IMU's clock, ns.
    td_ns: StampNs,
    /// rad/s.
    bias: [f64; 3],
}

impl GyroPredictor {
    /// With the extrinsics in force and the parameters `td` and `gyro_bias`.
    pub fn new(cam_imu: &CamImu, params: &Params) -> Self {
        let bias = params.gyro_bias.as_slice().try_into().unwrap_or_default();
        let td_ns = (cam_imu.td_s(params) * 1e9).round() as StampNs;
        Self { cam_from_imu: cam_imu.cam_from_imu.rotation, td_ns, bias }
    }

    /// Whether the IMU covers the time between two image stamps. [`Coverage::NotYet`] is worth waiting for; how long is
    /// the caller's decision (`imu_wait_ms`).
    pub fn coverage(&self, imu: &ImuRing, stamp0_ns: StampNs, stamp1_ns: StampNs) -> Coverage {
        imu.coverage(stamp0_ns.saturating_add(self.td_ns), stamp1_ns.saturating_add(self.td_ns))
    }

    /// `cam1_from_cam0`: takes directions of the camera frame at the first stamp to that at the second.
    ///
    /// Errors: an interval that the IMU does not cover; a rate that no gyroscope has.
    pub fn rotation(
        &self,
        imu: &ImuRing,
        stamp0_ns: StampNs,
        stamp1_ns: StampNs,
    ) -> Result<UnitQuaternion<f64>, NoPrediction> {
        let (from_ns, to_ns) = (stamp0_ns.saturating_add(self.td_ns), stamp1_ns.saturating_add(self.td_ns));
        let (imu1_from_imu0, rate) = imu.rotation(from_ns, to_ns, self.bias).map_err(NoPrediction::Imu)?;
        if rate > GREATEST_RATE {
            return Err(NoPrediction::Rate { rate });
        }
        Ok(self.cam_from_imu * imu1_from_imu0 * self.cam_from_imu.inverse())
    }
}

/// Where features will be.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// In the order of the features, px; `None` for those that leave the camera model or the image.
    pub pixels: Vec<Option<[f64; 2]>>,
    /// Median displacement of those that the lens sees, px; 0 without any.
    pub median_px: f64,
}

/// Predicts `pixels` of one image in the next, of `size` (width, height), from the camera's turn.
///
/// Errors: a median displacement of more than a third of the image's shorter side.
pub fn predict(
    camera: &Camera,
    size: [u32; 2],
    cam1_from_cam0: &UnitQuaternion<f64>,
    pixels: &[[f64; 2]],
) -> Result<Prediction, NoPrediction> {
    let [width, height] = size.map(f64::from);
    let rotation = cam1_from_cam0.to_rotation_matrix();
    let turned = |ray: [f64; 3]| camera.project((rotation * Vector3::from(ray)).into());
    let inside = |&[u, v]: &[f64; 2]| (0.0..=width - 1.0).contains(&u) && (0.0..=height - 1.0).contains(&v);
    let mut displacements = Vec::with_capacity(pixels.len());
    let mut predicted = Vec::with_capacity(pixels.len());
    for &pixel in pixels {
        let ray = camera.unproject(pixel);
        let to = ray.and_then(turned);
        if ray.is_some() {
            // What leaves the lens moves further than any bound.
            displacements.push(to.map_or(f64::INFINITY, |to| distance(pixel, to)));
        }
        predicted.push(to.filter(inside));
    }
    let median_px = median(displacements).unwrap_or(0.0);
    let limit_px = GREATEST_SHARE * width.min(height);
    if median_px > limit_px {
        return Err(NoPrediction::Displacement { median_px, limit_px });
    }
    Ok(Prediction { pixels: predicted, median_px })
}

/// Whether the features, once found, tell that the prediction was worse than none: their median distance from the
/// prediction is greater than from where they started, by more than a pixel. Each item is start, prediction and place
/// found, px. Units, clock or extrinsics are wrong then, by less than [`predict`] can see.
pub fn contradicted(found: &[([f64; 2], [f64; 2], [f64; 2])]) -> bool {
    let from_prediction = median(found.iter().map(|(_, predicted, at)| distance(*predicted, *at)).collect());
    let from_start = median(found.iter().map(|(start, _, at)| distance(*start, *at)).collect());
    match (from_prediction, from_start) {
        (Some(prediction), Some(start)) => prediction > start + 1.0,
        _ => false,
    }
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    let (x, y) = (a[0] - b[0], a[1] - b[1]);
    (x * x + y * y).sqrt()
}

/// The lower one of two in the middle; `None` of nothing.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied()
}
