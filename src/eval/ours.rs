//! This project's detector under evaluation.

use super::{Answer, Detector, DetectorError, Keypoint};
use crate::detect::plain::PlainDetector;
use crate::detect::{DetectSettings, Gain};
use crate::image::GrayImage;

/// Frames after which the gain has gone from one of its limits to the other: 1.05^114 = 256.
const SETTLED: usize = 114;

/// The plain path with its gain.
#[derive(Clone, Debug)]
pub struct Ours {
    detector: PlainDetector,
    settings: DetectSettings,
    gain: Gain,
    carries_gain: bool,
}

impl Ours {
    /// For images that follow each other. `settings.target` is set by each call.
    pub fn on_sequence(settings: DetectSettings) -> Self {
        Self { detector: PlainDetector::new(), settings, gain: Gain::default(), carries_gain: true }
    }

    /// For changes of a photo: each follows the first image, on which the gain has settled.
    pub fn on_photos(settings: DetectSettings) -> Self {
        Self { carries_gain: false, ..Self::on_sequence(settings) }
    }
}

impl Detector for Ours {
    fn name(&self) -> &str {
        "vio_frontend"
    }

    fn begin(&mut self, image: &GrayImage, count: usize) {
        let settings = DetectSettings { target: count as u32, ..self.settings };
        self.gain = Gain::default();
        for _ in 0..SETTLED {
            let before = self.gain;
            self.detector.detect(image, None, &settings, &mut self.gain);
            if self.gain == before {
                break;
            }
        }
    }

    fn detect(&mut self, image: &GrayImage, count: usize) -> Result<Answer, DetectorError> {
        let settings = DetectSettings { target: count as u32, ..self.settings };
        let mut gain = self.gain;
        let detection = self.detector.detect(image, None, &settings, &mut gain);
        if self.carries_gain {
            self.gain = gain;
        }
        let keypoint = |feature: &crate::feature::Feature| Keypoint {
            position: [f64::from(feature.u), f64::from(feature.v)],
            level: feature.level,
        };
        Ok(Answer {
            keypoints: detection.features.iter().map(keypoint).collect(),
            offered: Some(detection.offered as usize),
        })
    }
}
