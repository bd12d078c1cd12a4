//! Where tracks came along.

use std::collections::{HashMap, VecDeque};

use crate::frontend::OutputPoint;

/// The positions of the living tracks over their last frames.
#[derive(Clone, Debug, Default)]
pub struct Trails {
    /// Level-0 pixels, oldest first, by id.
    tails: HashMap<u64, VecDeque<[f32; 2]>>,
}

impl Trails {
    /// Positions that are remembered of a track.
    pub const LENGTH: usize = 10;

    /// Takes in the tracks of the next frame, and forgets those that are not among them.
    pub fn extend(&mut self, points: &[OutputPoint]) {
        let mut before = std::mem::take(&mut self.tails);
        for point in points {
            let mut tail = before.remove(&point.id).unwrap_or_default();
            if tail.len() == Self::LENGTH {
                tail.pop_front();
            }
            tail.push_back([point.feature.u, point.feature.v]);
            self.tails.insert(point.id, tail);
        }
    }

    /// The positions of track `id`, oldest first; none if it is not alive.
    pub fn tail(&self, id: u64) -> impl ExactSizeIterator<Item = &[f32; 2]> + Clone {
        self.tails.get(&id).map(VecDeque::iter).unwrap_or_default()
    }
}
