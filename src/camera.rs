//! Camera models and calibration.

/// A calibrated camera.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {}
