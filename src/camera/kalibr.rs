//! Kalibr's `camchain.yaml`: maps `cam0`, `cam1`, ... with intrinsics and, if an IMU took part, extrinsics.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::extrinsics::rigid;
use super::yaml::{Keys, array, check_spelling};
use super::{CalibrationFile, CamImu, Camera, CameraError, names};

/// The keys that are read; others are comments to us.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct KalibrCamera {
    camera_model: Option<String>,
    intrinsics: Option<Vec<f64>>,
    distortion_model: Option<String>,
    distortion_coeffs: Option<Vec<f64>>,
    resolution: Option<Vec<u32>>,
    #[serde(rename = "T_cam_imu")]
    t_cam_imu: Option<Vec<Vec<f64>>>,
    timeshift_cam_imu: Option<f64>,
}

/// All keys that Kalibr writes.
const KEYS: [&str; 10] = [
    "camera_model",
    "intrinsics",
    "distortion_model",
    "distortion_coeffs",
    "resolution",
    "T_cam_imu",
    "timeshift_cam_imu",
    "T_cn_cnm1",
    "cam_overlaps",
    "rostopic",
];

/// Whether the keys at the top of a file are those of a camchain.
pub(super) fn is_camchain(keys: &Keys) -> bool {
    let numbered = |rest: &str| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
    keys.keys().any(|key| key.strip_prefix("cam").is_some_and(numbered))
}

/// The camera called `name`.
///
/// Errors: no such camera, a misspelt key, missing or refused values.
pub(super) fn camera(
    mut chain: BTreeMap<String, KalibrCamera>,
    keys: &BTreeMap<String, Keys>,
    name: &str,
) -> Result<CalibrationFile, CameraError> {
    let cameras = chain.keys().cloned().collect::<Vec<_>>().join(", ");
    let unknown = || CameraError::UnknownCamera { name: name.to_owned(), cameras };
    let camera = chain.remove(name).ok_or_else(unknown)?;
    check_spelling(keys.get(name).unwrap_or(&Keys::new()), &KEYS)?;
    camera.calibration()
}

impl KalibrCamera {
    fn calibration(self) -> Result<CalibrationFile, CameraError> {
        let missing = |field, expected| CameraError::Field { field, value: "missing".to_owned(), expected };
        let intrinsics =
            self.intrinsics.ok_or_else(|| missing("intrinsics", "the numbers of the camera model are needed"))?;
        let size = self.resolution.ok_or_else(|| missing("resolution", "width and height are needed"))?;
        let size = array(&size, "resolution", "2 whole numbers are needed: width, height")?;
        let distortion = self.distortion_coeffs.unwrap_or_default();
        let model = names::model(self.camera_model.as_deref(), self.distortion_model.as_deref(), &distortion)?;
        let camera = Camera::new(model, intrinsics, &distortion, Some(size))?;
        let timeshift_s = self.timeshift_cam_imu.unwrap_or(0.0);
        // A second is far beyond any shift of clocks that Kalibr can estimate.
        if !(-1.0..=1.0).contains(&timeshift_s) {
            let expected = "seconds from -1 to 1 are needed";
            let value = timeshift_s.to_string();
            return Err(CameraError::Field { field: "timeshift_cam_imu", value, expected });
        }
        let pose = self.t_cam_imu.map(|rows| rigid("T_cam_imu", &rows.concat())).transpose()?;
        let cam_imu = pose.map(|cam_from_imu| CamImu { cam_from_imu, timeshift_s });
        Ok(CalibrationFile { camera, cam_imu })
    }
}
