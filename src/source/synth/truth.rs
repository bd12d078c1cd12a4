//! What the simulator knows: poses, depth, and where every pixel goes.

use nalgebra::Vector3;

use super::render::rotate;
use super::trajectory::{BodyState, Pose};
use super::{START_NS, Synth, body_from_cam};
use crate::frame::StampNs;

impl Synth {
    /// State of the body, which is the IMU, at any time.
    pub fn body_state(&self, stamp_ns: StampNs) -> BodyState {
        self.scene.trajectory.at((stamp_ns - START_NS) as f64 * 1e-9)
    }

    /// Extrinsics: camera frame to IMU frame.
    pub fn body_from_cam(&self) -> Pose {
        body_from_cam()
    }

    /// Pose of the camera at image `k`.
    pub fn world_from_cam(&self, k: usize) -> Pose {
        self.body_state(self.stamp_ns(k)).world_from_body.compose(&body_from_cam())
    }

    /// The point of the world that `pixel` of image `k` shows, m. `None` where the lens sees nothing.
    pub fn world_point(&self, k: usize, pixel: [f64; 2]) -> Option<Vector3<f64>> {
        let pose = self.world_from_cam(k);
        let direction = rotate(&pose.rotation, &self.camera.unproject(pixel)?);
        let distance = self.distance(&pose, &direction);
        Some(pose.translation + Vector3::from(direction) * distance)
    }

    /// Depth along the optical axis of what `pixel` of image `k` shows, m.
    pub fn depth(&self, k: usize, pixel: [f64; 2]) -> Option<f64> {
        Some(self.world_from_cam(k).apply_inverse(self.world_point(k, pixel)?).z)
    }

    /// Where what `pixel` of image `from` shows is in image `to`; `None` if it is outside that image or hidden there.
    pub fn flow(&self, from: usize, to: usize, pixel: [f64; 2]) -> Option<[f64; 2]> {
        self.pixel_of(to, self.world_point(from, pixel)?)
    }

    /// Where image `k` shows a point of a surface (world, m); `None` if it is outside the image or hidden.
    pub fn pixel_of(&self, k: usize, point: Vector3<f64>) -> Option<[f64; 2]> {
        let pose = self.world_from_cam(k);
        let [u, v] = self.camera.project(pose.apply_inverse(point).into())?;
        let [width, height] = self.camera.image_size()?.map(|n| f64::from(n) - 1.0);
        let inside = (0.0..=width).contains(&u) && (0.0..=height).contains(&v);
        let towards = point - pose.translation;
        // In lengths of `towards` the point itself is at 1.
        (inside && self.distance(&pose, &towards.into()) > 1.0 - 1e-9).then_some([u, v])
    }

    /// Distance of the first surface, in lengths of `direction`.
    fn distance(&self, world_from_cam: &Pose, direction: &[f64; 3]) -> f64 {
        let origin = world_from_cam.translation.into();
        self.scene.cast(&origin, direction, 0..self.scene.blocks.len()).distance
    }
}
