//! The plain path: the reference that every other one equals bit for bit, and the fallback on the CPU.

use super::merge::Merge;
use super::pyramid::Pyramid;
use super::response::{self, ResponseMap};
use super::select::{Grid, Selection};
use super::threshold::Tiles;
use super::{Candidate, Corner, DetectSettings, Detection, Gain, MAX_LEVELS, fast9, subpixel};
use crate::feature::Feature;
use crate::image::{GrayImage, MIN_SIDE};
use crate::mask::Mask;

/// What each stage made of the last frame, for tests and for comparison with a twin.
#[derive(Clone, Debug, Default)]
pub struct Stages {
    /// C0.
    pub pyramid: Pyramid,
    /// C1, C2.
    pub tiles: Tiles,
    /// C4: V above tmin, per level.
    pub strengths: Vec<GrayImage>,
    /// C5: S, per level.
    pub responses: Vec<ResponseMap>,
    /// C5: survivors, level by level, each row by row.
    pub survivors: Vec<Corner>,
    /// C6: those left after the merge, in the same order.
    pub merged: Vec<Corner>,
    /// C7: those that the mask admits, in order.
    pub candidates: Vec<Candidate>,
    /// C8: those selected, in order.
    pub selected: Vec<Candidate>,
    /// A buffer of one row.
    peaks: Vec<bool>,
}

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
        Detection { features: stages.refine(), offered: stages.candidates.len() as u32, offered_class0 }
    }
}

impl Stages {
    /// C0, with the maps of all levels made ready.
    pub fn build_pyramid(&mut self, image: &GrayImage, settings: &DetectSettings) {
        let levels = (settings.levels as usize).clamp(1, MAX_LEVELS);
        self.pyramid.build(image, levels);
        self.strengths.resize_with(levels, GrayImage::default);
        self.responses.resize_with(levels, ResponseMap::default);
    }

    /// C4, C5.
    pub fn find_corners(&mut self, image: &GrayImage, settings: &DetectSettings) {
        self.survivors.clear();
        let maps = self.strengths.iter_mut().zip(&mut self.responses);
        for (level, (image, (strength, response))) in self.pyramid.levels(image).zip(maps).enumerate() {
            fast9::strength_map(image, settings.threshold_min, strength);
            response.smooth(strength);
            response::suppress(strength, response, level, &mut self.peaks, &mut self.survivors);
        }
    }

    /// The mask, the classes of C4 and the order of C7.
    pub fn admit(&mut self, mask: Option<&Mask>) {
        self.candidates.clear();
        self.candidates.extend(self.merged.iter().filter_map(|&corner| {
            let (x, y) = corner.pixel();
            let threshold = self.tiles.threshold_at(x, y);
            let class = u8::from(corner.strength <= threshold);
            mask.is_none_or(|mask| mask.allows(x, y)).then_some(Candidate { corner, threshold, class })
        }));
        self.candidates.sort_unstable_by_key(Candidate::order_key);
    }

    /// C9.
    pub fn refine(&self) -> Vec<Feature> {
        let response = |candidate: &Candidate| &self.responses[usize::from(candidate.corner.level)];
        self.selected.iter().map(|candidate| subpixel::refine(candidate, response(candidate))).collect()
    }
}
