//! Ids that a `float32` can carry, for tracks that have ids of 64 bits.

use std::collections::{HashMap, HashSet};

/// Whole numbers below this are exact in `float32`.
const END: u32 = 1 << 24;

/// The short ids of the tracks in the last message.
///
/// A track keeps its short id from message to message. One that was missing from the message before gets a fresh one,
/// even if it was published earlier: back ends count a feature's observations from its first message on, without gaps.
#[derive(Debug, Default)]
pub struct ShortIds {
    /// Where the search for a free id begins.
    next: u32,
    /// Short id by id, of the tracks in the last message.
    live: HashMap<u64, u32>,
}

impl ShortIds {
    /// The short ids of the tracks in the next message, in their order.
    ///
    /// Fresh ids count upwards and from 2^24 on begin again at 0; ids in the last message or in this one are skipped.
    pub fn renew(&mut self, ids: impl IntoIterator<Item = u64>) -> Vec<u32> {
        let before = std::mem::take(&mut self.live);
        let taken: HashSet<u32> = before.values().copied().collect();
        let mut short_of = |id| {
            before.get(&id).copied().unwrap_or_else(|| {
                // Ends: a message has far fewer points than there are ids.
                while taken.contains(&self.next) {
                    self.next = (self.next + 1) % END;
                }
                let fresh = self.next;
                self.next = (self.next + 1) % END;
                fresh
            })
        };
        let ids: Vec<(u64, u32)> = ids.into_iter().map(|id| (id, short_of(id))).collect();
        self.live = ids.iter().copied().collect();
        ids.into_iter().map(|(_, short)| short).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_keeps_its_id_until_it_misses_a_message() {
        let mut ids = ShortIds::default();
        assert_eq!(ids.renew([u64::MAX, 7]), [0, 1]);
        assert_eq!(ids.renew([7, u64::MAX, 8]), [1, 0, 2]);
        assert_eq!(ids.renew([8]), [2]);
        assert_eq!(ids.renew([7, 8, u64::MAX]), [3, 2, 4], "found again: fresh ids");
        assert_eq!(ids.renew([]), [0; 0]);
        assert_eq!(ids.renew([8]), [5]);
    }

    #[test]
    fn ids_begin_again_below_2_24_and_skip_living_ones() {
        let mut ids = ShortIds { next: END - 2, ..ShortIds::default() };
        assert_eq!(ids.renew([1, 2, 3]), [END - 2, END - 1, 0]);
        // Once around: 0, END - 2 and END - 1 still live.
        ids.next = END - 3;
        assert_eq!(ids.renew([1, 2, 3, 10, 11]), [END - 2, END - 1, 0, END - 3, 1]);
        assert!(ids.live.values().all(|&id| (id as f32) as u32 == id && id < END));
        // Those of the last message are skipped too, although they end with this one.
        ids.next = END - 3;
        assert_eq!(ids.renew([20]), [2]);
    }
}
