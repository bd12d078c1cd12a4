//! An even spread: no track too near to another one, new ones where there are few.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::neighbours::Neighbours;
use super::{LossReason, Track, Tracks, TracksSettings};
use crate::detect::Detection;
use crate::detect::select::Grid;
use crate::feature::Feature;
use crate::image::GrayImage;
use crate::track::{min_eigenvalue, sigma};

/// A place where tracking would scatter by more than this in each frame is none for a track, px: there the gradients are
/// about those of the noise alone.
const GREATEST_SIGMA: f32 = 0.06;

impl Tracks {
    /// Loses tracks nearer than half of `min_dist` to an older one, and the youngest beyond the greatest number.
    pub fn thin(&mut self, size: [u32; 2], settings: &TracksSettings) {
        let mut order: Vec<usize> = (0..self.alive.len()).collect();
        order.sort_by_key(|&i| self.alive.get(i).map(|track| (Reverse(track.age), track.id)));
        // Half: at the full distance a pair would end by the least motion towards each other.
        let least = 0.5 * settings.min_dist;
        let mut kept = Neighbours::new(size, least);
        let mut verdicts = vec![None; self.alive.len()];
        let mut count = 0;
        for index in order {
            let (Some(track), Some(verdict)) = (self.alive.get(index), verdicts.get_mut(index)) else { continue };
            if kept.any_within(track.position(), least) {
                *verdict = Some(LossReason::Crowded);
            } else if count == settings.most {
                *verdict = Some(LossReason::Surplus);
            } else {
                kept.insert(index, track.position());
                count += 1;
            }
        }
        let mut verdicts = verdicts.into_iter();
        self.lose_where(settings, |_| verdicts.next().flatten());
    }

    /// Begins new tracks with fresh features of `image` where tracks are sparse, not where one failed a moment ago, nor
    /// where the texture hardly exceeds the noise; returns how many. `radius` is that of the tracked window.
    pub fn top_up(
        &mut self,
        detection: &Detection,
        image: &GrayImage,
        radius: usize,
        settings: &TracksSettings,
    ) -> u32 {
        let [columns, rows] = settings.grid;
        let (width, height) = (image.width(), image.height());
        let (grid, size) = (Grid { columns, rows, width, height }, [width as u32, height as u32]);
        let mut occupied = vec![0; grid.cells()];
        for track in &self.alive {
            if let Some(count) = occupied.get_mut(grid.cell(track.feature.half_x, track.feature.half_y)) {
                *count += 1;
            }
        }
        let wanted = settings.most.saturating_sub(self.alive.len());
        let mut taken = Neighbours::of(size, settings.min_dist, self.positions().chain(self.scars.places()));
        self.scars.advance();
        let noise = self.noise;
        let textured = |place| sigma(noise, min_eigenvalue(image, place, radius), radius) <= GREATEST_SIGMA;
        let mut is_free = |index, place| {
            let free = !taken.any_within(place, settings.min_dist) && textured(place);
            if free {
                taken.insert(index, place);
            }
            free
        };
        let chosen = choose(&detection.features, wanted, &grid, occupied, &mut is_free);
        let born = chosen.len() as u32;
        for index in chosen {
            if let Some(feature) = detection.features.get(index) {
                self.alive.push(Track::new(self.next_id, *feature, detection.descriptors.get(index).copied()));
                self.next_id += 1;
            }
        }
        born
    }
}

/// Chooses at most `wanted` of `features`, which come in the order of contract C7: of those that `take` accepts, by
/// index and place. `occupied` are the tracks of each cell of `grid`.
///
/// The next one is always the first feature of the cell with the fewest tracks, those of finer levels before others: they
/// are tracked more precisely. Of such cells it is that whose feature comes first. Yields the indices in the order of choice.
fn choose(
    features: &[Feature],
    wanted: usize,
    grid: &Grid,
    mut occupied: Vec<u32>,
    take: &mut impl FnMut(usize, [f32; 2]) -> bool,
) -> Vec<usize> {
    let mut offers = vec![Vec::new(); grid.cells()];
    for (index, feature) in features.iter().enumerate().rev() {
        if let Some(offer) = offers.get_mut(grid.cell(feature.half_x, feature.half_y)) {
            offer.push(index);
        }
    }
    // From the end, the finest level first, each in the order of C7.
    let level = |index: &usize| features.get(*index).map(|feature| feature.level);
    offers.iter_mut().for_each(|offer| offer.sort_by_key(|index| Reverse(level(index))));
    let mut queue = BinaryHeap::new();
    let next = |cell: usize, offers: &mut [Vec<usize>], occupied: &[u32]| {
        let index = offers.get_mut(cell)?.pop()?;
        Some(Reverse((*occupied.get(cell)?, index, cell)))
    };
    queue.extend((0..grid.cells()).filter_map(|cell| next(cell, &mut offers, &occupied)));
    let mut chosen = Vec::with_capacity(wanted.min(features.len()));
    while chosen.len() < wanted
        && let Some(Reverse((_, index, cell))) = queue.pop()
    {
        let Some(feature) = features.get(index) else { continue };
        if take(index, [feature.u, feature.v]) {
            chosen.push(index);
            occupied[cell] += 1;
        }
        queue.extend(next(cell, &mut offers, &occupied));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feature(x: i32, y: i32, score: u32) -> Feature {
        let (u, v) = (x as f32, y as f32);
        Feature { u, v, half_x: 2 * x, half_y: 2 * y, level: 0, class: 0, threshold: 10, score }
    }

    const GRID: Grid = Grid { columns: 2, rows: 1, width: 100, height: 50 };

    fn chosen(wanted: usize, occupied: [u32; 2], taken: &[[f32; 2]], min_dist: f32) -> Vec<usize> {
        // Four in the left cell, the stronger ones; two in the right one.
        let features = [(10, 9), (20, 8), (30, 7), (40, 6), (60, 5), (90, 4)].map(|(x, score)| feature(x, 25, score));
        let mut taken = Neighbours::of([100, 50], 10.0, taken.iter().copied());
        let mut take = |index, place| {
            let free = !taken.any_within(place, min_dist);
            if free {
                taken.insert(index, place);
            }
            free
        };
        choose(&features, wanted, &GRID, occupied.to_vec(), &mut take)
    }

    #[test]
    fn the_emptier_cell_comes_first() {
        assert_eq!(chosen(4, [0, 0], &[], 0.0), [0, 4, 1, 5]);
        assert_eq!(chosen(3, [2, 0], &[], 0.0), [4, 5, 0]);
        assert_eq!(chosen(9, [0, 0], &[], 0.0).len(), 6);
        assert!(chosen(0, [0, 0], &[], 0.0).is_empty());
    }

    #[test]
    fn none_is_nearer_than_the_least_distance() {
        assert_eq!(chosen(9, [1, 0], &[[19.0, 25.0]], 9.5), [4, 2, 5, 3]);
        assert_eq!(chosen(9, [0, 0], &[], 15.0), [0, 4, 2, 5]);
    }
}
