//! What the simulator knows: poses, depth, what moves, and where every pixel goes.

use nalgebra::{Isometry3, Rotation3, Translation3, UnitQuaternion, Vector3};

use super::scene::{Hit, Snapshot};
use super::trajectory::{BodyState, Pose, rotate};
use super::{START_NS, Synth, body_from_cam};
use crate::camera::CamImu;
use crate::frame::StampNs;

/// A point that is fixed to a surface and goes where the surface goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Distinguishes the surfaces of a scene.
    pub surface: u32,
    /// The surface moves on its own.
    pub moving: bool,
    /// In the surface's frame, m: the world's where it does not move.
    point: Vector3<f64>,
}

/// What becomes of a point of a surface in an image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sight {
    /// Column and row, px.
    Seen([f64; 2]),
    /// Where it would be (px), were it not behind another surface or on the far side of its own.
    Hidden([f64; 2]),
    /// Beyond the image's border or the lens.
    Outside,
}

impl Sight {
    /// Column and row (px) of what is seen.
    pub fn pixel(self) -> Option<[f64; 2]> {
        match self {
            Self::Seen(pixel) => Some(pixel),
            Self::Hidden(_) | Self::Outside => None,
        }
    }
}

impl Synth {
    /// State of the body, which is the IMU, at any time.
    pub fn body_state(&self, stamp_ns: StampNs) -> BodyState {
        self.scene.trajectory.at(Self::seconds(stamp_ns))
    }

    /// Extrinsics: camera frame to IMU frame.
    pub fn body_from_cam(&self) -> Pose {
        body_from_cam()
    }

    /// Extrinsics as a calibration gives them.
    pub fn cam_imu(&self) -> CamImu {
        let pose = body_from_cam();
        let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(pose.rotation));
        let body_from_cam = Isometry3::from_parts(Translation3::from(pose.translation), rotation);
        CamImu { cam_from_imu: body_from_cam.inverse(), timeshift_s: 0.0 }
    }

    /// Pose of the camera at image `k`: at the middle of its exposure, as all that follows.
    pub fn world_from_cam(&self, k: usize) -> Pose {
        self.camera_pose(self.stamp_ns(k))
    }

    /// The point of a surface that `pixel` of image `k` shows. `None` where the lens sees nothing.
    pub fn surface_point(&self, k: usize, pixel: [f64; 2]) -> Option<SurfacePoint> {
        let pose = self.world_from_cam(k);
        let direction = rotate(&pose.rotation, &self.camera.unproject(pixel)?);
        let world = self.snapshot(k);
        let hit = first_hit(&world, &pose, &direction);
        let point = pose.translation + Vector3::from(direction) * hit.distance;
        let world_from_surface = world.world_from_surface(hit.surface);
        Some(SurfacePoint {
            surface: hit.surface,
            moving: world_from_surface.is_some(),
            point: world_from_surface.map_or(point, |pose| pose.apply_inverse(point)),
        })
    }

    /// Where `point` is at image `k`, world, m.
    pub fn position(&self, k: usize, point: &SurfacePoint) -> Vector3<f64> {
        let world = self.snapshot(k);
        world.world_from_surface(point.surface).map_or(point.point, |pose| pose.apply(point.point))
    }

    /// Whether and where image `k` shows `point`.
    pub fn sight(&self, k: usize, point: &SurfacePoint) -> Sight {
        self.sight_of(k, self.position(k, point))
    }

    /// What becomes in image `to` of what `pixel` of image `from` shows. `None` where the lens sees nothing.
    pub fn trace(&self, from: usize, to: usize, pixel: [f64; 2]) -> Option<Sight> {
        Some(self.sight(to, &self.surface_point(from, pixel)?))
    }

    /// The point of the world that `pixel` of image `k` shows, m. `None` where the lens sees nothing.
    pub fn world_point(&self, k: usize, pixel: [f64; 2]) -> Option<Vector3<f64>> {
        Some(self.position(k, &self.surface_point(k, pixel)?))
    }

    /// Depth along the optical axis of what `pixel` of image `k` shows, m.
    pub fn depth(&self, k: usize, pixel: [f64; 2]) -> Option<f64> {
        Some(self.world_from_cam(k).apply_inverse(self.world_point(k, pixel)?).z)
    }

    /// Whether `pixel` of image `k` shows a surface that moves on its own.
    pub fn moving(&self, k: usize, pixel: [f64; 2]) -> bool {
        self.surface_point(k, pixel).is_some_and(|point| point.moving)
    }

    /// Where what `pixel` of image `from` shows is in image `to`; `None` if it is outside that image or hidden there.
    pub fn flow(&self, from: usize, to: usize, pixel: [f64; 2]) -> Option<[f64; 2]> {
        self.trace(from, to, pixel)?.pixel()
    }

    /// Where image `k` shows a point that lies on a surface then (world, m); `None` if it is outside the image or
    /// hidden.
    pub fn pixel_of(&self, k: usize, point: Vector3<f64>) -> Option<[f64; 2]> {
        self.sight_of(k, point).pixel()
    }

    fn sight_of(&self, k: usize, point: Vector3<f64>) -> Sight {
        let pose = self.world_from_cam(k);
        let (Some([u, v]), Some(size)) =
            (self.camera.project(pose.apply_inverse(point).into()), self.camera.image_size())
        else {
            return Sight::Outside;
        };
        let [width, height] = size.map(|n| f64::from(n) - 1.0);
        if !(0.0..=width).contains(&u) || !(0.0..=height).contains(&v) {
            return Sight::Outside;
        }
        // In lengths of `towards` the point itself is at 1.
        let towards = point - pose.translation;
        let nearest = first_hit(&self.snapshot(k), &pose, &towards.into()).distance;
        if nearest > 1.0 - 1e-9 { Sight::Seen([u, v]) } else { Sight::Hidden([u, v]) }
    }

    pub(super) fn camera_pose(&self, stamp_ns: StampNs) -> Pose {
        self.body_state(stamp_ns).world_from_body.compose(&body_from_cam())
    }

    /// Since the first image.
    pub(super) fn seconds(stamp_ns: StampNs) -> f64 {
        (stamp_ns - START_NS) as f64 * 1e-9
    }

    fn snapshot(&self, k: usize) -> Snapshot<'_> {
        self.scene.at(Self::seconds(self.stamp_ns(k)))
    }
}

/// The first surface along `direction` (world), of all there are.
fn first_hit(world: &Snapshot, world_from_cam: &Pose, direction: &[f64; 3]) -> Hit {
    let (blocks, movers) = (0..world.scene.blocks.len(), 0..world.scene.movers.len());
    world.cast(&world_from_cam.translation.into(), direction, blocks, movers)
}
