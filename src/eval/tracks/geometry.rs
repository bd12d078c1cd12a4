//! Against known poses: how far tracks are from their epipolar lines, and from where a turn alone takes them.

use nalgebra::{Isometry3, Matrix3, Vector3};
use serde::Serialize;

use super::poses::Poses;
use super::run::{History, Seen};
use super::statistics::{Values, distance};
use super::{BASELINE, RIGHT_PX};
use crate::camera::Camera;
use crate::params::CameraModel;

/// Translations up to this long are none, in the unit of the poses: a turn then says where every point goes.
const NO_TRANSLATION: f64 = 1e-9;

/// Distance from the epipolar line over five frames, px of the undistorted image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Epipolar {
    /// Frames of the baseline.
    pub baseline: usize,
    pub pairs: usize,
    pub median_px: Option<f64>,
    pub p95_px: Option<f64>,
    pub within_1px: Option<f64>,
}

/// How far a point is from where the camera's turn alone takes it, frame by frame, px.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Rotation {
    pub pairs: usize,
    /// Distance between the two positions.
    pub moved_median_px: Option<f64>,
    /// Distance that the turn leaves.
    pub left_median_px: Option<f64>,
}

/// `cam1_from_cam0`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relative {
    pub rotation: Matrix3<f64>,
    pub translation: Vector3<f64>,
}

impl Relative {
    fn of(poses: &Poses, from: &Seen, to: &Seen) -> Option<Self> {
        let cam1_from_cam0: Isometry3<f64> = poses.world_from_cam(to.frame)?.inv_mul(poses.world_from_cam(from.frame)?);
        let rotation = *cam1_from_cam0.rotation.to_rotation_matrix().matrix();
        Some(Self { rotation, translation: cam1_from_cam0.translation.vector })
    }
}

/// `None` where no pair of frames five apart has poses and a track.
pub(super) fn epipolar(histories: &[History], poses: &Poses, camera: &Camera) -> Option<Epipolar> {
    let pairs = histories.iter().flat_map(|track| track.pairs(BASELINE));
    let off =
        |(from, to): (&Seen, &Seen)| off_line(camera, &Relative::of(poses, from, to)?, from.position, to.position);
    let mut off: Values = pairs.filter_map(off).collect();
    (off.len() > 0).then(|| Epipolar {
        baseline: BASELINE,
        pairs: off.len(),
        median_px: off.median(),
        p95_px: off.quantile(0.95),
        within_1px: off.within(RIGHT_PX),
    })
}

/// Distance of `pixel1` from the epipolar line of `pixel0` in the undistorted image, px at the camera's focal length;
/// of models other than the pinhole the angle from the epipolar plane, in pixels. `None` where the lens sees nothing.
pub(super) fn off_line(camera: &Camera, relative: &Relative, pixel0: [f64; 2], pixel1: [f64; 2]) -> Option<f64> {
    let ray1 = Vector3::from(camera.unproject(pixel1)?);
    let turned = relative.rotation * Vector3::from(camera.unproject(pixel0)?);
    if relative.translation.norm() <= NO_TRANSLATION {
        return Some(distance(camera.project(turned.into())?, pixel1));
    }
    let plane = relative.translation.cross(&turned);
    let off = if camera.model() == CameraModel::Pinhole {
        (ray1 / ray1.z).dot(&plane).abs() / plane.xy().norm()
    } else {
        (ray1.dot(&plane) / plane.norm()).abs().min(1.0).asin()
    };
    Some(off * camera.pixels_per_radian()).filter(|off| off.is_finite())
}

/// `None` where no pair of frames has poses and a track.
pub(super) fn rotation(histories: &[History], poses: &Poses, camera: &Camera) -> Option<Rotation> {
    let (mut moved, mut left) = (Values::default(), Values::default());
    for (from, to) in histories.iter().flat_map(|track| track.pairs(1)) {
        let Some(relative) = Relative::of(poses, from, to) else { continue };
        let turned = camera.unproject(from.position).map(|ray| relative.rotation * Vector3::from(ray));
        if let Some(pixel) = turned.and_then(|ray| camera.project(ray.into())) {
            moved.add(distance(from.position, to.position));
            left.add(distance(pixel, to.position));
        }
    }
    let figures = Rotation { pairs: left.len(), moved_median_px: moved.median(), left_median_px: left.median() };
    (figures.pairs > 0).then_some(figures)
}
