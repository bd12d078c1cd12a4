//! Lost tracks found again among the fresh features, by their descriptors.

use std::cmp::Reverse;

use nalgebra::UnitQuaternion;

use super::neighbours::Neighbours;
use super::{Tracks, TracksSettings};
use crate::camera::Camera;
use crate::detect::Detection;
use crate::feature::{Descriptor, Feature};

/// A feature whose place is this near to a track's is the track's own corner, px of the level.
const COINCIDENCE: f32 = 1.5;
/// Where a lost track is looked for, px about its predicted place: what a tracker without its failure would have
/// covered, growing with each frame without a sight of it.
const RADIUS: f32 = 12.0;
const RADIUS_GROWTH: f32 = 4.0;
/// A radius of the usual size, for the lookup: a track missed for three frames.
const BUCKET: f32 = RADIUS + 3.0 * RADIUS_GROWTH;
/// Greatest squared distance of two descriptors of one point, of 2 * 255^2 between descriptors without a common bin.
const GREATEST: u32 = 100 * 100;
/// The best one's squared distance over that of the second best, at most: 0.8 of the distance (Lowe 2004).
const RATIO: f32 = 0.64;
/// Features this near to each other see the same surroundings, px of the level.
const OWN: f32 = 4.0;

impl Tracks {
    /// Finds lost tracks again among the fresh features: `turn` (`cam1_from_cam0`) tells where they are now; without it
    /// they move as the median of those alive did, by `drift` px. Those looked for in vain for more than
    /// `reacquire_frames` end. Returns how many were found.
    pub fn reacquire(
        &mut self,
        detection: &Detection,
        size: [u32; 2],
        motion: (Option<(&UnitQuaternion<f64>, &Camera)>, [f32; 2]),
        settings: &TracksSettings,
    ) -> u32 {
        if detection.descriptors.is_empty() && self.parked.is_empty() {
            return 0;
        }
        let near = Neighbours::of(size, BUCKET, detection.features.iter().map(|f| [f.u, f.v]));
        let taken = Neighbours::of(size, BUCKET, self.positions());
        self.refresh_descriptors(detection, &near);
        let mut claimed = Vec::new();
        let mut found = Vec::new();
        // The oldest chooses first.
        self.parked.sort_by_key(|parked| (Reverse(parked.track.age), parked.track.id));
        for mut parked in std::mem::take(&mut self.parked) {
            parked.carry(motion.0, motion.1);
            let index = parked.look(detection, &near).filter(|index| !claimed.contains(index));
            let free = |feature: &&Feature| !taken.any_within([feature.u, feature.v], COINCIDENCE);
            match index.and_then(|index| Some((index, detection.features.get(index).filter(free)?))) {
                Some((index, feature)) => {
                    claimed.push(index);
                    found.push(parked.found_as(feature, detection.descriptors.get(index).copied()));
                }
                None if parked.frames >= settings.reacquire_frames => self.lost.push(parked.end()),
                None => {
                    parked.frames += 1;
                    self.parked.push(parked);
                }
            }
        }
        let count = found.len() as u32;
        self.alive.extend(found);
        self.alive.sort_by_key(|track| track.id);
        count
    }

    /// A fresh feature at a track's own place describes it as it looks now.
    fn refresh_descriptors(&mut self, detection: &Detection, near: &Neighbours) {
        for track in &mut self.alive {
            let radius = COINCIDENCE * f32::from(1_u16 << track.feature.level.min(15));
            let nearest = near.within(track.position(), radius).min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
            if let Some((index, _)) = nearest
                && detection.features.get(index).is_some_and(|feature| feature.level == track.feature.level)
                && let Some(descriptor) = detection.descriptors.get(index)
            {
                track.descriptor = Some(*descriptor);
            }
        }
    }
}

/// The feature that looks like `wanted`, about `place` and at a level next to `level`, if there is one and no other
/// there looks much like it; `lost_for` are the frames since it was last seen. `near` holds the features' places.
pub fn find(
    wanted: &Descriptor,
    level: u8,
    place: [f32; 2],
    lost_for: u32,
    detection: &Detection,
    near: &Neighbours,
) -> Option<usize> {
    let radius = RADIUS + RADIUS_GROWTH * lost_for as f32;
    let candidates: Vec<(u32, usize, &Feature)> = near
        .within(place, radius)
        .filter_map(|(index, _)| {
            let (feature, descriptor) = (detection.features.get(index)?, detection.descriptors.get(index)?);
            let comparable = feature.level.abs_diff(level) <= 1;
            comparable.then(|| (descriptor.squared_distance(wanted), index, feature))
        })
        .collect();
    // Of equals the one published first.
    let &(distance, index, best) = candidates.iter().min_by_key(|&&(distance, index, _)| (distance, index))?;
    let elsewhere = |other: &Feature| {
        let (dx, dy) = (other.u - best.u, other.v - best.v);
        let own = OWN * f32::from(1_u16 << best.level);
        dx * dx + dy * dy > own * own
    };
    let second = candidates.iter().filter(|(_, _, other)| elsewhere(other)).map(|&(distance, ..)| distance).min();
    let distinct = second.is_none_or(|second| distance as f32 <= RATIO * second as f32);
    (distance <= GREATEST && distinct).then_some(index)
}
