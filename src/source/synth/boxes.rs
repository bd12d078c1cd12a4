//! Where things that move on their own are, as a detector would tell.

use nalgebra::Vector3;

use super::Synth;
use super::scene::Block;

/// Steps along an edge of a body: between them a lens bends it by a fraction of a pixel.
const STEPS: u32 = 8;

impl Synth {
    /// The least upright boxes about the bodies that move on their own in image `k`, clipped to it: left, top, right,
    /// bottom edge, px; pixel x reaches from x to x + 1. What hides a body is not considered; one that is out of sight
    /// has none.
    pub fn moving_boxes(&self, k: usize) -> Vec<[f64; 4]> {
        let (camera, world_from_cam) = (&self.camera, self.world_from_cam(k));
        let Some(size) = camera.image_size() else { return Vec::new() };
        let [width, height] = size.map(f64::from);
        let snapshot = self.scene.at(Self::seconds(self.stamp_ns(k)));
        let boxes = snapshot.mover_blocks().map(|(pose, block)| {
            let seen = edges(block).map(|point| world_from_cam.apply_inverse(pose.apply(point)));
            let pixels = seen.filter_map(|point| camera.project(point.into()));
            let empty = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
            let [x1, y1, x2, y2] = pixels
                .map(|pixel| pixel.map(|c| c + 0.5))
                .fold(empty, |[x1, y1, x2, y2], [u, v]| [x1.min(u), y1.min(v), x2.max(u), y2.max(v)]);
            [x1.max(0.0), y1.max(0.0), x2.min(width), y2.min(height)]
        });
        boxes.filter(|[x1, y1, x2, y2]| x1 < x2 && y1 < y2).collect()
    }
}

/// Points along the twelve edges.
fn edges(block: &Block) -> impl Iterator<Item = Vector3<f64>> {
    let (min, max) = (block.min, block.max);
    (0..12 * (STEPS + 1)).map(move |i| {
        let (edge, step) = ((i / (STEPS + 1)) as usize, f64::from(i % (STEPS + 1)) / f64::from(STEPS));
        let (along, corner) = (edge / 4, edge % 4);
        Vector3::from_fn(|axis, _| {
            // The two other axes, in order, take the bits of the corner.
            let bit = (axis + 3 - along) % 3;
            match bit {
                0 => min[axis] + step * (max[axis] - min[axis]),
                bit if corner >> (bit - 1) & 1 == 0 => min[axis],
                _ => max[axis],
            }
        })
    })
}
