//! What the ranges of single parameters cannot say.

use super::{CameraModel, DetectorLayout, Mode, OutputLayout, ParamError, Params};
use crate::detections::objects::{self, UnknownClass};

/// Greatest `max_cnt` that leaves VINS room for features that come and go within its window.
const MAX_CNT_OF_VINS: u32 = 500;

impl Params {
    /// Checks what single ranges cannot: relations between parameters and array lengths.
    pub fn check(&self) -> Result<(), ParamError> {
        let relation = |name: &str, message: String| Err(ParamError::Relation { name: name.to_owned(), message });
        if self.fast_threshold_min > self.fast_threshold_max {
            return relation(
                "fast_threshold_min",
                format!("{} exceeds fast_threshold_max {}", self.fast_threshold_min, self.fast_threshold_max),
            );
        }
        if self.output_layout != OutputLayout::None && self.mode == Mode::Detect {
            let message = format!("'{}' is a layout for tracks, and mode 'detect' has none", self.output_layout);
            return relation("output_layout", message);
        }
        if self.output_layout != OutputLayout::None && self.max_cnt > MAX_CNT_OF_VINS {
            let (found, layout) = (self.max_cnt, self.output_layout);
            let why = "VINS has room for 1000 features in all frames of its window (NUM_OF_F)";
            return relation(
                "max_cnt",
                format!("{found} exceeds {MAX_CNT_OF_VINS} with output_layout '{layout}': {why}"),
            );
        }
        if self.klt_win_size.is_multiple_of(2) {
            return relation("klt_win_size", format!("{} given, an odd number expected", self.klt_win_size));
        }
        if self.klt_refine_size != 0 && (self.klt_refine_size.is_multiple_of(2) || self.klt_refine_size < 5) {
            return relation(
                "klt_refine_size",
                format!("{} given, 0 or an odd number from 5 expected", self.klt_refine_size),
            );
        }
        let (values, coefficients): (_, &[usize]) = match self.camera_model {
            CameraModel::Pinhole => ("fx, fy, cx, cy", &[0, 4, 5, 8]),
            CameraModel::Equidistant => ("fx, fy, cx, cy", &[0, 4]),
            CameraModel::Omni => ("xi, fx, fy, cx, cy", &[0, 4]),
        };
        let count = values.split(',').count();
        if !self.intrinsics.is_empty() && self.intrinsics.len() != count {
            let found = self.intrinsics.len();
            return relation("intrinsics", format!("{found} values given, {count} expected: {values}"));
        }
        if !coefficients.contains(&self.distortion.len()) {
            return relation(
                "distortion",
                format!(
                    "{} coefficients given, camera_model '{}' takes {coefficients:?}",
                    self.distortion.len(),
                    self.camera_model
                ),
            );
        }
        if !(self.image_size.is_empty() || self.image_size.len() == 2 && self.image_size.iter().all(|&n| n > 0)) {
            return relation("image_size", format!("{:?} given, [width, height] in pixels expected", self.image_size));
        }
        if !matches!(self.t_cam_imu.len(), 0 | 16) {
            let found = self.t_cam_imu.len();
            return relation("t_cam_imu", format!("{found} values given, 16 expected: a 4 x 4 matrix, row-major"));
        }
        if !matches!(self.gyro_bias.len(), 0 | 3) {
            return relation("gyro_bias", format!("{} values given, 3 expected: x, y, z", self.gyro_bias.len()));
        }
        self.check_detector()
    }

    fn check_detector(&self) -> Result<(), ParamError> {
        let relation = |name: &str, message: String| Err(ParamError::Relation { name: name.to_owned(), message });
        if let Err(unknown) = self.detector_class_numbers() {
            return relation("detector.classes", unknown.to_string());
        }
        let side = |side: &i64| (1..=32768).contains(side);
        let size = &self.detector_input_size;
        if !(size.is_empty() || size.len() == 2 && size.iter().all(side)) {
            return relation("detector.input_size", format!("{size:?} given, [width, height] in pixels expected"));
        }
        if self.detector_raw && self.detector_layout != DetectorLayout::Yolov5 {
            let message = format!("raw heads are known of layout 'yolov5' alone, not of '{}'", self.detector_layout);
            return relation("detector.raw", message);
        }
        Ok(())
    }

    /// Numbers of `detector.classes` among the classes of the network.
    ///
    /// Errors: the first that is none of them.
    pub fn detector_class_numbers(&self) -> Result<Vec<u32>, UnknownClass> {
        let wanted: Vec<&str> = self.detector_classes.iter().map(String::as_str).collect();
        let own: Vec<&str> = self.detector_class_names.iter().map(String::as_str).collect();
        objects::classes(&wanted, if own.is_empty() { &objects::COCO } else { &own })
    }
}
