//! Where a frame's pixels are worked on: the image, its pyramid, and those of the frame before.

use crate::detect::plain::PlainDetector;
use crate::detect::pyramid::Pyramid;
use crate::detect::{DetectSettings, Detection, Gain};
use crate::image::{GrayImage, ImageView};
use crate::mask::Mask;
use crate::params::{HistogramMethod, Params, Prefilter};
use crate::track::{Flow, FlowStart, TrackSettings, plain};

/// The plain path on the CPU.
#[derive(Debug, Default)]
pub(super) struct PlainDevice {
    detector: PlainDetector,
    gray: GrayImage,
    /// The image before the prefilter.
    unfiltered: GrayImage,
    previous_gray: GrayImage,
    previous_pyramid: Pyramid,
}

impl PlainDevice {
    /// Takes the next image in, as the grey one that every stage sees; the one before stays for tracking.
    pub fn load(&mut self, image: &ImageView<'_>, params: &Params) {
        std::mem::swap(&mut self.gray, &mut self.previous_gray);
        self.detector.swap_pyramid(&mut self.previous_pyramid);
        let smooth = params.prefilter == Prefilter::Binomial3;
        let gray = if smooth { &mut self.unfiltered } else { &mut self.gray };
        image.to_gray(gray);
        match params.histogram_method {
            HistogramMethod::None => {}
            HistogramMethod::Histogram => gray.equalise(),
            HistogramMethod::Clahe => gray.equalise_tiles(),
        }
        if smooth {
            self.unfiltered.binomial3(&mut self.gray);
        }
    }

    /// The image loaded last, after `histogram_method` and `prefilter`.
    pub fn gray(&self) -> &GrayImage {
        &self.gray
    }

    /// Pyramid and features of the image loaded last.
    pub fn detect(&mut self, mask: Option<&Mask>, settings: &DetectSettings, gain: &mut Gain) -> Detection {
        self.detector.detect(&self.gray, mask, settings, gain)
    }

    /// Finds points of the image before in the one that was detected last.
    pub fn track(&self, starts: &[FlowStart], settings: &TrackSettings) -> Vec<Flow> {
        let previous: Vec<&GrayImage> = self.previous_pyramid.levels(&self.previous_gray).collect();
        let current: Vec<&GrayImage> = self.detector.stages().pyramid.levels(&self.gray).collect();
        plain::track(&previous, &current, starts, settings)
    }
}
