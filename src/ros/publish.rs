//! What leaves the node for each frame, but for the overlay.

use rclrs::rosidl_runtime_rs::Sequence;
use rclrs::{IntoPrimitiveOptions, Node, Publisher, RclrsError};
use ros_env::sensor_msgs::msg::rmw::{PointCloud2, PointField};
use ros_env::std_msgs::msg::rmw::{Bool, Header};

use super::points;
use crate::frontend::FrameOutput;

/// Depth of the reliable output queues: half a second at 20 Hz for a back end that stalls.
const DEPTH: u32 = 10;

/// The publishers of the frame outputs.
pub(super) struct Outputs {
    features: Publisher<PointCloud2>,
    restart: Publisher<Bool>,
    fields: Sequence<PointField>,
}

impl Outputs {
    pub(super) fn new(node: &Node) -> Result<Self, RclrsError> {
        let fields = points::FIELDS.iter().enumerate().map(|(i, (name, datatype))| PointField {
            name: (*name).into(),
            offset: 4 * i as u32,
            datatype: *datatype,
            count: 1,
        });
        Ok(Self {
            features: node.create_publisher("features".keep_last(DEPTH).reliable())?,
            restart: node.create_publisher("restart".keep_last(DEPTH).reliable())?,
            fields: fields.collect(),
        })
    }

    /// Publishes one frame: the restart first, so that a back end clears its state before new ids arrive.
    pub(super) fn publish(&self, header: &Header, output: &FrameOutput) -> Result<(), RclrsError> {
        if output.restart.is_some() {
            self.restart.publish(Bool { data: true })?;
        }
        if !output.publish {
            return Ok(());
        }
        self.features.publish(self.cloud(header, output))
    }

    fn cloud(&self, header: &Header, output: &FrameOutput) -> PointCloud2 {
        let row_step = output.points.len() * points::POINT_STEP;
        let mut data = Sequence::new(row_step);
        points::write(&output.points, data.as_mut_slice());
        PointCloud2 {
            header: header.clone(),
            height: 1,
            width: output.points.len() as u32,
            fields: self.fields.clone(),
            is_bigendian: false,
            point_step: points::POINT_STEP as u32,
            row_step: row_step as u32,
            data,
            is_dense: true,
        }
    }
}
