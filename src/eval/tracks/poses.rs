//! Where the camera was, from the files of recordings.

use std::path::Path;

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};

use super::knowledge::KnowledgeError;
use crate::frame::StampNs;
use crate::source::stamp;

/// A camera that never was further than this from its first pose stands: m and rad.
const STANDING: [f64; 2] = [0.01, 0.01];
/// Longest gap of a recording that is bridged, ns.
const GAP_NS: StampNs = 200_000_000;

/// Camera poses at the frames of a sequence, in whatever world and unit the recording has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Poses(Vec<Option<Isometry3<f64>>>);

/// How a file writes a pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PoseFormat {
    /// `ns, x, y, z, qw, qx, qy, qz, ...`
    Asl,
    /// `seconds x y z qx qy qz qw`
    Tum,
}

impl Poses {
    /// `world_from_cam` by frame, `None` where it is not known.
    pub fn new(world_from_cam: Vec<Option<Isometry3<f64>>>) -> Self {
        Self(world_from_cam)
    }

    pub fn world_from_cam(&self, frame: usize) -> Option<&Isometry3<f64>> {
        self.0.get(frame)?.as_ref()
    }

    /// Whether the camera stood all the time: within 1 cm and 0.01 rad of its first pose.
    pub fn standing(&self) -> bool {
        let mut known = self.0.iter().flatten();
        let Some(first) = known.next() else { return false };
        known.all(|pose| {
            let moved = first.inv_mul(pose);
            moved.translation.vector.norm() <= STANDING[0] && moved.rotation.angle() <= STANDING[1]
        })
    }

    /// Reads the poses of a body and carries them to the camera at `stamps`, between two of them linearly.
    ///
    /// Errors: an unreadable file, a line that is no pose.
    pub(super) fn read(
        path: &Path,
        format: PoseFormat,
        body_from_cam: &Isometry3<f64>,
        stamps: &[StampNs],
    ) -> Result<Self, KnowledgeError> {
        let unreadable = |error| KnowledgeError::Read { path: path.to_owned(), error };
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        let mut poses = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let damaged = || KnowledgeError::Line {
                path: path.to_owned(),
                line: number + 1,
                message: format!("no stamp and pose in '{line}'"),
            };
            poses.push(parse(line, format).ok_or_else(damaged)?);
        }
        poses.sort_by_key(|&(stamp, _)| stamp);
        Ok(Self(stamps.iter().map(|&stamp| Some(at(&poses, stamp)? * body_from_cam)).collect()))
    }
}

type StampedPose = (StampNs, Isometry3<f64>);

fn parse(line: &str, format: PoseFormat) -> Option<StampedPose> {
    let separator = |c: char| c == ',' || c.is_whitespace();
    let mut fields = line.split(separator).filter(|field| !field.is_empty());
    let stamp_ns = match format {
        PoseFormat::Asl => stamp::from_ns(fields.next()?)?,
        PoseFormat::Tum => stamp::from_decimal_seconds(fields.next()?)?,
    };
    let numbers: Vec<f64> = fields.take(7).map(|field| field.parse().ok()).collect::<Option<_>>()?;
    let &[x, y, z, a, b, c, d] = numbers.as_slice() else { return None };
    let quaternion = match format {
        PoseFormat::Asl => Quaternion::new(a, b, c, d),
        PoseFormat::Tum => Quaternion::new(d, a, b, c),
    };
    let finite = numbers.iter().all(|number| number.is_finite()) && (quaternion.norm() - 1.0).abs() < 0.01;
    let rotation = UnitQuaternion::new_normalize(quaternion);
    finite.then(|| (stamp_ns, Isometry3::from_parts(Translation3::new(x, y, z), rotation)))
}

/// The pose at `stamp`, which two poses at most 0.2 s apart enclose, or one is nearer than a microsecond.
fn at(poses: &[StampedPose], stamp: StampNs) -> Option<Isometry3<f64>> {
    let after = poses.partition_point(|&(known, _)| known < stamp);
    let around = [after.checked_sub(1).and_then(|i| poses.get(i)), poses.get(after)];
    if let Some((_, pose)) = around.iter().flatten().find(|(known, _)| known.abs_diff(stamp) < 1000) {
        return Some(*pose);
    }
    let [Some((from_ns, from)), Some((to_ns, to))] = around else { return None };
    let share = (stamp - from_ns) as f64 / (to_ns - from_ns) as f64;
    (to_ns - from_ns <= GAP_NS).then(|| from.lerp_slerp(to, share))
}
