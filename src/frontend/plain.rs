//! The CPU's part: the grey image of every frame, and the plain path on those that no GPU worked on.

use crate::detect::plain::PlainDetector;
use crate::detect::pyramid::Pyramid;
use crate::detect::{DetectSettings, Detection, Gain};
use crate::image::{GrayImage, ImageView};
use crate::mask::Mask;
use crate::params::{HistogramMethod, Params, Prefilter};
use crate::track::{Flow, FlowStart, TrackSettings, plain};

/// The last two images, and their pyramids as far as they were needed.
#[derive(Debug, Default)]
pub(super) struct PlainDevice {
    detector: PlainDetector,
    gray: GrayImage,
    /// The image before the prefilter.
    unfiltered: GrayImage,
    /// Levels that the pyramid has once it is built.
    levels: usize,
    is_built: bool,
    previous: Previous,
}

/// The image before.
#[derive(Debug, Default)]
struct Previous {
    gray: GrayImage,
    pyramid: Pyramid,
    levels: usize,
    is_built: bool,
}

impl PlainDevice {
    /// The last image becomes the one before.
    pub fn advance(&mut self) {
        let previous = &mut self.previous;
        std::mem::swap(&mut self.gray, &mut previous.gray);
        self.detector.swap_pyramid(&mut previous.pyramid);
        (previous.levels, previous.is_built) = (self.levels, self.is_built);
    }

    /// Takes the next image in, as the grey one that every stage sees.
    pub fn load(&mut self, image: &ImageView<'_>, params: &Params) {
        (self.levels, self.is_built) = (params.pyramid_levels as usize, false);
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

    /// The image before it, likewise, and the levels of its pyramid.
    pub fn previous(&self) -> (&GrayImage, usize) {
        (&self.previous.gray, self.previous.levels)
    }

    /// Pyramid and features of the image loaded last.
    pub fn detect(&mut self, mask: Option<&Mask>, settings: &DetectSettings, gain: &mut Gain) -> Detection {
        self.is_built = true;
        self.detector.detect(&self.gray, mask, settings, gain)
    }

    /// Finds points of the image before in the last one. Pyramids that a GPU had are built here first.
    pub fn track(&mut self, starts: &[FlowStart], settings: &TrackSettings) -> Vec<Flow> {
        let before = &mut self.previous;
        if !std::mem::replace(&mut before.is_built, true) {
            before.pyramid.build(&before.gray, before.levels);
        }
        if !std::mem::replace(&mut self.is_built, true) {
            self.detector.build_pyramid(&self.gray, self.levels);
        }
        let previous: Vec<&GrayImage> = before.pyramid.levels(&before.gray).collect();
        let current: Vec<&GrayImage> = self.detector.stages().pyramid.levels(&self.gray).collect();
        plain::track(&previous, &current, starts, settings)
    }
}
