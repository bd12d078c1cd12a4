//! The `feature` topic as VINS back ends read it, without ROS: points on the plane z = 1 and channels by index.
//!
//! VINS-Mono (`feature_tracker_node.cpp`, `estimator_node.cpp`) and VINS-Fusion (`rosNodeTest.cpp`,
//! `feature_manager.cpp`) read channels by position; the names are for people. Both take a feature for observed in
//! every message from its first to its last: hence [`ShortIds`].

mod short_ids;

pub use short_ids::ShortIds;

use std::collections::HashSet;

use crate::frontend::{Calibration, FrameOutput, OutputPoint};
use crate::params::OutputLayout;

/// Names of the channels of VINS-Mono: short id; u, v in pixels of the raw image; normalised units per second.
const MONO: [&str; 5] = ["id", "u_px", "v_px", "vx", "vy"];
/// Those of VINS-Fusion, whose callback reads nine: behind them the position of ground truth, always 0.
const FUSION: [&str; 9] = ["id", "camera_id", "u_px", "v_px", "vx", "vy", "gx", "gy", "gz"];

/// What `sensor_msgs/PointCloud` carries beside its header.
#[derive(Clone, Debug, PartialEq)]
pub struct VinsMessage {
    /// x, y, 1 on the normalised plane.
    pub points: Vec<[f32; 3]>,
    /// Name and one value a point.
    pub channels: Vec<(&'static str, Vec<f32>)>,
}

/// Makes the messages of one run.
#[derive(Debug)]
pub struct VinsLayout {
    layout: OutputLayout,
    ids: ShortIds,
    /// The tracks in the frame processed before.
    before: HashSet<u64>,
    /// Whether the next message is kept back.
    withhold: bool,
}

impl VinsLayout {
    pub fn new(layout: OutputLayout) -> Self {
        Self { layout, ids: ShortIds::default(), before: HashSet::new(), withhold: layout == OutputLayout::VinsMono }
    }

    /// The message of the next frame, published or not; `None` if there is none: no layout is wanted, the frame is not
    /// published, no bearings are known, or it is withheld.
    ///
    /// Points without a bearing are left out. A frame that lost all of its tracks gives an empty message. As from its
    /// own tracker, VINS-Mono gets only tracks that the frame before saw as well, since others have no velocity yet,
    /// and neither the first message nor that of a restart: `restart`, on another topic, has a frame's time to arrive.
    pub fn message(&mut self, output: &FrameOutput) -> Option<VinsMessage> {
        let mono = self.layout == OutputLayout::VinsMono;
        self.withhold |= mono && output.restart.is_some();
        if self.layout == OutputLayout::None {
            return None;
        }
        let now = output.points.iter().map(|point| point.id).collect();
        let before = std::mem::replace(&mut self.before, now);
        if !output.publish {
            return None;
        }
        if output.calibration != Calibration::Valid {
            self.ids.renew([]);
            return None;
        }
        let observed: Vec<_> = output
            .points
            .iter()
            .filter(|point| !mono || before.contains(&point.id))
            .filter_map(|point| Some((point, plane_point(point)?)))
            .collect();
        let ids = self.ids.renew(observed.iter().map(|(point, _)| point.id));
        if std::mem::take(&mut self.withhold) {
            return None;
        }
        let names: &[&'static str] = if mono { &MONO } else { &FUSION };
        let mut channels: Vec<_> = names.iter().map(|&name| (name, Vec::with_capacity(observed.len()))).collect();
        for ((point, _), id) in observed.iter().zip(ids) {
            let [vx, vy] = point.velocity.map(|v| v as f32);
            let (id, u, v) = (id as f32, point.feature.u, point.feature.v);
            let values: &[f32] = if mono { &[id, u, v, vx, vy] } else { &[id, 0.0, u, v, vx, vy, 0.0, 0.0, 0.0] };
            for ((_, channel), value) in channels.iter_mut().zip(values) {
                channel.push(*value);
            }
        }
        Some(VinsMessage { points: observed.into_iter().map(|(_, point)| point).collect(), channels })
    }
}

/// x, y, 1, where that is finite in single precision.
fn plane_point(point: &OutputPoint) -> Option<[f32; 3]> {
    let [x, y] = point.normalised?.map(|c| c as f32);
    let finite = [x, y, point.velocity[0] as f32, point.velocity[1] as f32].iter().all(|v| v.is_finite());
    finite.then_some([x, y, 1.0])
}
