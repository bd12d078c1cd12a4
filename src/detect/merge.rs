//! C6: one corner of the scene shows up at several levels; the strongest stands for all.

use std::cmp::Reverse;

use super::Corner;
use crate::image::GrayImage;

/// Buffers of the merge.
#[derive(Clone, Debug, Default)]
pub struct Merge {
    /// For each pixel of a level, one more than the index of the corner there; 0 for none.
    index: Vec<u32>,
    /// For each corner, whether a neighbour comes before it.
    falls: Vec<bool>,
}

impl Merge {
    /// Copies to `merged` each corner that no neighbour N(c) at another level precedes by (S descending, Y, X, level).
    /// Order is kept.
    ///
    /// N(c): corners of other levels with max(|dX|, |dY|) <= 2 * 2^max(l, l'). Classes play no part, so that no
    /// threshold of another tile is needed. `corners` hold the levels of the pyramid one after the other.
    pub fn across_levels<'a>(
        &mut self,
        levels: impl Iterator<Item = &'a GrayImage>,
        corners: &[Corner],
        merged: &mut Vec<Corner>,
    ) {
        self.falls.clear();
        self.falls.resize(corners.len(), false);
        for (level, image) in levels.enumerate().skip(1) {
            let finer = corners.partition_point(|corner| usize::from(corner.level) < level);
            let end = corners.partition_point(|corner| usize::from(corner.level) <= level);
            self.mark(&corners[finer..end], finer, image);
            for fine in 0..finer {
                self.meet(corners, fine, level, image);
            }
        }
        merged.clear();
        merged.extend(corners.iter().zip(&self.falls).filter(|(_, falls)| !**falls).map(|(corner, _)| corner));
    }

    /// Enters the corners of one level into the index.
    fn mark(&mut self, corners: &[Corner], first: usize, image: &GrayImage) {
        self.index.clear();
        self.index.resize(image.width() * image.height(), 0);
        for (i, corner) in corners.iter().enumerate() {
            let (x, y) = corner.level_pixel();
            self.index[y * image.width() + x] = (first + i + 1) as u32;
        }
    }

    /// Judges a corner against its neighbours at a coarser level.
    ///
    /// There the distance 2 * 2^level is the pitch of the pixels, and a finer X + 1 is never a multiple of 2^level: the
    /// neighbourhood is exactly the 2 x 2 nearest pixels.
    fn meet(&mut self, corners: &[Corner], fine: usize, level: usize, image: &GrayImage) {
        let nearest = |half: i32, size: usize| {
            let left = (half + 1 - (1 << level)) >> (level + 1);
            [left, left + 1].into_iter().filter_map(move |x| usize::try_from(x).ok().filter(|&x| x < size))
        };
        for y in nearest(corners[fine].half_y, image.height()) {
            for x in nearest(corners[fine].half_x, image.width()) {
                let Some(coarse) = (self.index[y * image.width() + x] as usize).checked_sub(1) else { continue };
                let loser = if precedence(&corners[fine]) < precedence(&corners[coarse]) { coarse } else { fine };
                self.falls[loser] = true;
            }
        }
    }
}

/// The order in which corners of different levels prevail.
fn precedence(corner: &Corner) -> (Reverse<u32>, i32, i32, u8) {
    (Reverse(corner.score), corner.half_y, corner.half_x, corner.level)
}
