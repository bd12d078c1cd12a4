//! The plain path: the reference that every other one equals bit for bit, and the fallback on the CPU.

use super::merge::Merge;
use super::pyramid::Pyramid;
use super::select::{Grid, Selection};
use super::stages::Stages;
use super::{DetectSettings, Detection, Gain};
use crate::image::{GrayImage, MIN_SIDE};
use crate::mask::Mask;

/// The detector. Owns its buffers: in the steady state only the result is allocated.
#[derive(Clone, Debug, Default)]
pub struct PlainDetector {
    stages: Stages,
    merge: Merge,
    selection: Selection,
}

impl PlainDetector {
    pub fn new() -> Self {
        Self::default()
    }

    /// What each stage made of the last frame.
    pub fn stages(&self) -> &Stages {
        &self.stages
    }

    /// The pyramid of `image` alone, as [`PlainDetector::detect`] leaves it.
    pub fn build_pyramid(&mut self, image: &GrayImage, levels: usize) {
        self.stages.pyramid.build(image, levels);
    }

    /// Exchanges the pyramid of the last frame for another one, whose memory the next frame uses.
    pub fn swap_pyramid(&mut self, other: &mut Pyramid) {
        std::mem::swap(&mut self.stages.pyramid, other);
    }

    /// The features of `image` where `mask` allows them, in the order of C7.
    ///
    /// `gain` is the state carried from frame to frame; it is read (C2) and advanced (C3). There are exactly
    /// min(target, offered) features. An image below [`MIN_SIDE`] is no frame: it yields nothing and moves no state.
    pub fn detect(
        &mut self,
        image: &GrayImage,
        mask: Option<&Mask>,
        settings: &DetectSettings,
        gain: &mut Gain,
    ) -> Detection {
        let (width, height) = (image.width(), image.height());
        if width.min(height) < MIN_SIDE as usize {
            return Detection::default();
        }
        let stages = &mut self.stages;
        stages.build_pyramid(image, settings);
        stages.tiles.measure(image, settings, *gain);
        stages.find_corners(image, settings);
        self.merge.across_levels(stages.pyramid.levels(image), &stages.survivors, &mut stages.merged);
        stages.admit(mask);
        let offered_class0 = stages.candidates.partition_point(|candidate| candidate.class == 0) as u32;
        *gain = gain.after(offered_class0, settings.target);
        let grid = Grid::new(settings, width, height);
        self.selection.water_fill(&stages.candidates, &grid, settings.target, &mut stages.selected);
        stages.describe(image, settings);
        Detection {
            features: stages.refine().into(),
            descriptors: stages.descriptors.clone().into(),
            offered: stages.candidates.len() as u32,
            offered_class0,
        }
    }
}
