//! This project's detector under evaluation.

use super::{Answer, Descriptors, Detector, DetectorError, Distance, Keypoint};
use crate::detect::plain::PlainDetector;
use crate::detect::{DetectSettings, Detection, Gain};
use crate::feature::Feature;
use crate::image::GrayImage;
use crate::params::{Params, Prefilter};

/// Frames after which the gain has gone from one of its limits to the other: 1.05^114 = 256.
const SETTLED: usize = 114;

/// The plain path with its gain, after the prefilter.
#[derive(Clone, Debug)]
pub struct Ours {
    detector: PlainDetector,
    settings: DetectSettings,
    prefilter: Prefilter,
    smoothed: GrayImage,
    gain: Gain,
    carries_gain: bool,
}

impl Ours {
    /// For images that follow each other. `max_cnt` is set by each call.
    pub fn on_sequence(params: &Params) -> Self {
        Self {
            detector: PlainDetector::new(),
            settings: DetectSettings { describe: true, ..params.into() },
            prefilter: params.prefilter,
            smoothed: GrayImage::default(),
            gain: Gain::default(),
            carries_gain: true,
        }
    }

    /// For changes of a photo: each follows the first image, on which the gain has settled.
    pub fn on_photos(params: &Params) -> Self {
        Self { carries_gain: false, ..Self::on_sequence(params) }
    }

    /// One frame; `count` of at most u32::MAX.
    fn frame(&mut self, image: &GrayImage, count: usize) -> (Detection, Gain) {
        let settings = DetectSettings { target: count as u32, ..self.settings };
        let image = match self.prefilter {
            Prefilter::None => image,
            Prefilter::Binomial3 => {
                image.binomial3(&mut self.smoothed);
                &self.smoothed
            }
        };
        let mut gain = self.gain;
        (self.detector.detect(image, None, &settings, &mut gain), gain)
    }
}

impl Detector for Ours {
    fn name(&self) -> &str {
        "vio_frontend"
    }

    fn begin(&mut self, image: &GrayImage, count: usize) {
        self.gain = Gain::default();
        // Without a ratio the gain has nothing to act on.
        let frames = if self.settings.ratio_q8 == 0 { 0 } else { SETTLED };
        for _ in 0..frames {
            let (_, gain) = self.frame(image, count);
            if gain == self.gain {
                break;
            }
            self.gain = gain;
        }
    }

    fn detect(&mut self, image: &GrayImage, count: usize) -> Result<Answer, DetectorError> {
        let (detection, gain) = self.frame(image, count);
        if self.carries_gain {
            self.gain = gain;
        }
        let keypoint = |feature: &Feature| Keypoint {
            position: [f64::from(feature.u), f64::from(feature.v)],
            level: feature.level,
        };
        Ok(Answer {
            keypoints: detection.features.iter().map(keypoint).collect(),
            offered: Some(detection.offered as usize),
            descriptors: Some(Descriptors {
                distance: Distance::Euclidean,
                bytes: detection.descriptors.iter().map(|descriptor| descriptor.0.to_vec()).collect(),
            }),
        })
    }
}
