//! What each stage leaves, as plain data: for tests, and for comparison with a twin of the plain path.

use super::pyramid::Pyramid;
use super::response::{self, ResponseMap};
use super::threshold::Tiles;
use super::{Candidate, Corner, DetectSettings, MAX_LEVELS, descriptor, fast9, subpixel};
use crate::feature::{Descriptor, Feature};
use crate::image::GrayImage;
use crate::mask::Mask;

/// The results of all stages for one frame.
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
    /// C10: of those selected, in the same order; empty where none are wanted.
    pub descriptors: Vec<Descriptor>,
    /// A buffer of one row.
    peaks: Vec<bool>,
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

    /// C10, if wanted; `image` is level 0.
    pub fn describe(&mut self, image: &GrayImage, settings: &DetectSettings) {
        self.descriptors.clear();
        if settings.describe {
            let levels: Vec<&GrayImage> = self.pyramid.levels(image).collect();
            let describe = |c: &Candidate| descriptor::describe(&c.corner, levels[usize::from(c.corner.level)]);
            self.descriptors.extend(self.selected.iter().map(describe));
        }
    }

    /// The results as numbers, stage by stage under its name, in the order in which they arise.
    pub fn values(&self) -> Vec<(String, Vec<u32>)> {
        let bytes = |values: &[u8]| values.iter().map(|&v| u32::from(v)).collect::<Vec<_>>();
        let mut stages = Vec::new();
        for (i, image) in self.pyramid.coarser.iter().enumerate() {
            stages.push((format!("pyramid[{}]", i + 1), bytes(image.pixels())));
        }
        stages.push(("medians".to_owned(), bytes(&self.tiles.medians)));
        stages.push(("thresholds".to_owned(), bytes(&self.tiles.thresholds)));
        for (level, (strength, response)) in self.strengths.iter().zip(&self.responses).enumerate() {
            stages.push((format!("strength[{level}]"), bytes(strength.pixels())));
            stages.push((format!("response[{level}]"), response.values().iter().map(|&s| u32::from(s)).collect()));
        }
        let corner = |c: &Corner| [c.half_x as u32, c.half_y as u32, c.level.into(), c.strength.into(), c.score];
        let candidate = |c: &Candidate| {
            let [x, y, level, strength, score] = corner(&c.corner);
            [x, y, level, strength, score, c.threshold.into(), c.class.into()]
        };
        stages.push(("survivors".to_owned(), self.survivors.iter().flat_map(corner).collect()));
        stages.push(("merged".to_owned(), self.merged.iter().flat_map(corner).collect()));
        stages.push(("candidates".to_owned(), self.candidates.iter().flat_map(candidate).collect()));
        stages.push(("selected".to_owned(), self.selected.iter().flat_map(candidate).collect()));
        let position = |feature: Feature| [feature.u.to_bits(), feature.v.to_bits()];
        stages.push(("positions".to_owned(), self.refine().into_iter().flat_map(position).collect()));
        let descriptors = self.descriptors.iter().flat_map(|d| d.0).map(u32::from);
        stages.push(("descriptors".to_owned(), descriptors.collect()));
        stages
    }
}
