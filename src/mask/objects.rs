//! Where things may move on their own: boxes that a detector found in one image, carried to another.

use nalgebra::{UnitQuaternion, Vector3};

use super::Rectangle;
use crate::camera::Camera;
use crate::detections::Detection;
use crate::frame::StampNs;

/// Points along each side of a box that are carried: between them a lens bends a side by less than a pixel or two.
const SIDE_POINTS: u32 = 4;
/// A box that comes so near to the border of its image, px, was cut off there.
const CUT_OFF: f64 = 1.0;

/// The boxes of one image.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Objects {
    /// Of the image.
    pub stamp_ns: StampNs,
    /// Width and height of the image, px.
    pub size: [u32; 2],
    /// Left, top, right, bottom edge, px of the image: pixel x reaches from x to x + 1.
    pub boxes: Vec<[f32; 4]>,
}

impl Objects {
    /// The boxes of these classes. Those without area, as boxes outside the image become, are left out.
    pub fn of(detections: &[Detection], classes: &[u32], stamp_ns: StampNs, size: [u32; 2]) -> Self {
        let of_class = detections.iter().filter(|found| classes.contains(&found.class));
        let boxes = of_class.map(|found| [found.x1, found.y1, found.x2, found.y2]);
        Self { stamp_ns, size, boxes: boxes.filter(|[x1, y1, x2, y2]| x1 < x2 && y1 < y2).collect() }
    }

    /// Whether they say anything of an image of this stamp and size: they are at most `max_age_s` apart from it.
    pub fn hold_for(&self, stamp_ns: StampNs, size: [u32; 2], max_age_s: f64) -> bool {
        self.size == size && stamp_ns.abs_diff(self.stamp_ns) as f64 <= max_age_s * 1e9
    }

    /// The pixels of another image that the boxes touch when they are `dilate_px` wider on each side. `turn` takes
    /// directions of the camera frame at their own image to that at the other; without, they stay where they were.
    pub fn excluded(&self, turn: Option<(&UnitQuaternion<f64>, &Camera)>, dilate_px: f64) -> Vec<Rectangle> {
        let edges = self.boxes.iter().map(|edges| {
            let edges = edges.map(f64::from);
            turn.map_or(edges, |(turn, camera)| self.carried(edges, turn, camera))
        });
        // A conversion to usize ends at 0 and at its greatest value.
        let pixels = |low: f64, high: f64| (low - dilate_px).floor() as usize..(high + dilate_px).ceil() as usize;
        edges.map(|[x1, y1, x2, y2]| Rectangle { columns: pixels(x1, x2), rows: pixels(y1, y2) }).collect()
    }

    /// The edges of the least upright box about what becomes of a box when the camera turns.
    fn carried(&self, edges: [f64; 4], turn: &UnitQuaternion<f64>, camera: &Camera) -> [f64; 4] {
        let [x1, y1, x2, y2] = edges;
        let [width, height] = self.size.map(f64::from);
        let mut to = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
        for i in 0..SIDE_POINTS {
            let along = f64::from(i) / f64::from(SIDE_POINTS);
            let (dx, dy) = (along * (x2 - x1), along * (y2 - y1));
            // Each side from a corner of its own.
            let points = [[x1 + dx, y1], [x2, y1 + dy], [x2 - dx, y2], [x1, y2 - dy]];
            for [u, v] in points.map(|point| carried_point(point, turn, camera)) {
                to = [to[0].min(u), to[1].min(v), to[2].max(u), to[3].max(v)];
            }
        }
        // What is beyond the border goes on in what the turn brings into sight.
        let beyond = [x1 <= CUT_OFF, y1 <= CUT_OFF, x2 >= width - CUT_OFF, y2 >= height - CUT_OFF];
        let infinite = [f64::NEG_INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::INFINITY];
        std::array::from_fn(|side| if beyond[side] { infinite[side] } else { to[side] })
    }
}

/// Edges lie between pixels, whose centres the camera counts at integers. What leaves the lens goes on without end towards
/// where it leaves; what the lens does not see stays.
fn carried_point(point: [f64; 2], turn: &UnitQuaternion<f64>, camera: &Camera) -> [f64; 2] {
    let Some(ray) = camera.unproject(point.map(|c| c - 0.5)) else { return point };
    let ray = turn * Vector3::from(ray);
    camera
        .project(ray.into())
        .map_or([ray.x, ray.y].map(|side| f64::INFINITY.copysign(side)), |place| place.map(|c| c + 0.5))
}
