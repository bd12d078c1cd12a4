//! The first surface along a ray.

use super::{Block, Snapshot};
use crate::source::synth::trajectory::{Pose, rotate_back};

/// What a ray meets.
#[derive(Clone, Copy, Debug)]
pub(in crate::source::synth) struct Hit {
    /// In lengths of the direction.
    pub distance: f64,
    /// The surface's normal is along this axis of its frame.
    pub axis: usize,
    /// Distinguishes the surfaces of a scene: six for the hull, for each block and for each mover, in this order.
    pub surface: u32,
}

impl Snapshot<'_> {
    /// The first surface that the ray from `origin` along `direction` meets; `blocks` and `movers` are the candidates
    /// by index.
    pub fn cast(
        &self,
        origin: &[f64; 3],
        direction: &[f64; 3],
        blocks: impl Iterator<Item = usize>,
        movers: impl Iterator<Item = usize>,
    ) -> Hit {
        let inverse = direction.map(|d| 1.0 / d);
        let mut hit = self.hull_hit(origin, direction, &inverse);
        for index in blocks {
            let Some(block) = self.scene.blocks.get(index) else { continue };
            if let Some((distance, axis)) = enters(block, origin, &inverse, hit.distance) {
                hit = Hit { distance, axis, surface: surface(1 + index, axis, direction) };
            }
        }
        for index in movers {
            let (Some(mover), Some(pose)) = (self.scene.movers.get(index), self.movers.get(index)) else { continue };
            let (origin, direction) = localise(pose, origin, direction);
            if let Some((distance, axis)) = enters(&mover.block, &origin, &direction.map(|d| 1.0 / d), hit.distance) {
                let body = 1 + self.scene.blocks.len() + index;
                hit = Hit { distance, axis, surface: surface(body, axis, &direction) };
            }
        }
        hit
    }

    /// Where the ray leaves the hull.
    fn hull_hit(&self, origin: &[f64; 3], direction: &[f64; 3], inverse: &[f64; 3]) -> Hit {
        let hull = &self.scene.hull;
        let mut hit = Hit { distance: f64::INFINITY, axis: 0, surface: 0 };
        for i in 0..3 {
            let forward = direction[i] > 0.0;
            let wall = if forward { hull.max[i] } else { hull.min[i] };
            let distance = (wall - origin[i]) * inverse[i];
            if distance < hit.distance {
                hit = Hit { distance, axis: i, surface: 2 * i as u32 + u32::from(forward) };
            }
        }
        hit
    }
}

/// Distance and axis of the face by which the ray enters the block, nearer than `far`.
fn enters(block: &Block, origin: &[f64; 3], inverse: &[f64; 3], mut far: f64) -> Option<(f64, usize)> {
    let (mut near, mut axis) = (0.0, 3);
    for i in 0..3 {
        let (a, b) = ((block.min[i] - origin[i]) * inverse[i], (block.max[i] - origin[i]) * inverse[i]);
        let (enter, leave) = if a < b { (a, b) } else { (b, a) };
        if enter > near {
            (near, axis) = (enter, i);
        }
        if leave < far {
            far = leave;
        }
    }
    (axis < 3 && near < far).then_some((near, axis))
}

fn surface(body: usize, axis: usize, direction: &[f64; 3]) -> u32 {
    6 * body as u32 + 2 * axis as u32 + u32::from(direction[axis] < 0.0)
}

/// A ray of the world in the frame that `pose` leads from.
pub(in crate::source::synth) fn localise(pose: &Pose, origin: &[f64; 3], direction: &[f64; 3]) -> ([f64; 3], [f64; 3]) {
    let offset = [0, 1, 2].map(|i| origin[i] - pose.translation[i]);
    (rotate_back(&pose.rotation, &offset), rotate_back(&pose.rotation, direction))
}
