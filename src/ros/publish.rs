//! What leaves the node for each frame, but for the overlay.

use rclrs::rosidl_runtime_rs::Sequence;
use rclrs::{IntoPrimitiveOptions, Node, Publisher, RclrsError};
use ros_env::sensor_msgs::msg::rmw::{PointCloud2, PointField};
use ros_env::std_msgs::msg::rmw::{Bool, Header};

use super::points;
use super::tracks::TrackTopics;
use crate::feature::Descriptor;
use crate::frontend::FrameOutput;
use crate::params::OutputLayout;

/// Depth of the reliable output queues: half a second at 20 Hz for a back end that stalls.
const DEPTH: u32 = 10;

/// The publishers of the frame outputs.
pub(super) struct Outputs {
    features: Publisher<PointCloud2>,
    restart: Publisher<Bool>,
    tracks: TrackTopics,
    fields: Sequence<PointField>,
    /// Those and the descriptor.
    described_fields: Sequence<PointField>,
}

impl Outputs {
    pub(super) fn new(node: &Node, layout: OutputLayout) -> Result<Self, RclrsError> {
        let field = |(i, (name, datatype)): (usize, &(&str, u8))| PointField {
            name: (*name).into(),
            offset: 4 * i as u32,
            datatype: *datatype,
            count: 1,
        };
        let descriptor = PointField {
            name: points::DESCRIPTOR_FIELD.into(),
            offset: points::POINT_STEP as u32,
            datatype: points::UINT8,
            count: Descriptor::LEN as u32,
        };
        let fields = || points::FIELDS.iter().enumerate().map(field);
        Ok(Self {
            features: node.create_publisher("features".keep_last(DEPTH).reliable())?,
            restart: node.create_publisher("restart".keep_last(DEPTH).reliable())?,
            tracks: TrackTopics::new(node, layout)?,
            fields: fields().collect(),
            described_fields: fields().chain([descriptor]).collect(),
        })
    }

    /// Publishes one frame: the restart first, so that a back end clears its state before new ids arrive, then what
    /// ended, then what is alive.
    ///
    /// `describe` is `publish_descriptors`: a frame without features has the field as well.
    pub(super) fn publish(&mut self, header: &Header, output: &FrameOutput, describe: bool) -> Result<(), RclrsError> {
        if output.restart.is_some() {
            self.restart.publish(Bool { data: true })?;
        }
        self.tracks.publish(header, output)?;
        if !output.publish {
            return Ok(());
        }
        self.features.publish(self.cloud(header, output, describe))
    }

    fn cloud(&self, header: &Header, output: &FrameOutput, describe: bool) -> PointCloud2 {
        let (fields, step) = match describe {
            true => (&self.described_fields, points::DESCRIBED_STEP),
            false => (&self.fields, points::POINT_STEP),
        };
        let row_step = output.points.len() * step;
        let mut data = Sequence::new(row_step);
        points::write(&output.points, &output.descriptors, step, data.as_mut_slice());
        PointCloud2 {
            header: header.clone(),
            height: 1,
            width: output.points.len() as u32,
            fields: fields.clone(),
            is_bigendian: false,
            point_step: step as u32,
            row_step: row_step as u32,
            data,
            is_dense: true,
        }
    }
}
