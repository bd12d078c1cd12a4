//! The topics of tracks beside `features`: `feature`, as VINS reads it, and `~/lost`.

use rclrs::{IntoPrimitiveOptions, Node, Publisher, RclrsError};
use ros_env::geometry_msgs::msg::rmw::Point32;
use ros_env::sensor_msgs::msg::rmw::{ChannelFloat32, PointCloud};
use ros_env::std_msgs::msg::rmw::{Header, MultiArrayDimension, MultiArrayLayout, UInt64MultiArray};

use crate::frontend::FrameOutput;
use crate::output::vins::{VinsLayout, VinsMessage};
use crate::params::OutputLayout;
use crate::tracks::Lost;

/// Depth of the reliable queue of `feature`: half a second at 20 Hz for a back end that stalls.
const FEATURE_DEPTH: u32 = 10;
/// A loss is told once: five seconds at 20 Hz.
const LOST_DEPTH: u32 = 100;

/// The publishers, and the ids of the back end.
pub(super) struct TrackTopics {
    /// `None` without `output_layout`.
    feature: Option<(Publisher<PointCloud>, VinsLayout)>,
    lost: Publisher<UInt64MultiArray>,
}

impl TrackTopics {
    pub(super) fn new(node: &Node, layout: OutputLayout) -> Result<Self, RclrsError> {
        let feature = match layout {
            OutputLayout::None => None,
            _ => {
                let publisher = node.create_publisher("feature".keep_last(FEATURE_DEPTH).reliable())?;
                Some((publisher, VinsLayout::new(layout)))
            }
        };
        Ok(Self { feature, lost: node.create_publisher("~/lost".keep_last(LOST_DEPTH).reliable())? })
    }

    /// The losses of every processed frame, also of those that `freq` does not publish; then the tracks.
    pub(super) fn publish(&mut self, header: &Header, output: &FrameOutput) -> Result<(), RclrsError> {
        if !output.lost.is_empty() {
            self.lost.publish(lost(&output.lost))?;
        }
        if let Some((publisher, layout)) = &mut self.feature
            && let Some(message) = layout.message(output)
        {
            publisher.publish(cloud(header, message))?;
        }
        Ok(())
    }
}

/// Rows of id and reason code.
fn lost(lost: &[Lost]) -> UInt64MultiArray {
    let dimension = |label: &str, size: usize, stride: usize| MultiArrayDimension {
        label: label.into(),
        size: size as u32,
        stride: stride as u32,
    };
    UInt64MultiArray {
        layout: MultiArrayLayout {
            dim: [dimension("tracks", lost.len(), 2 * lost.len()), dimension("id, reason", 2, 2)].into_iter().collect(),
            data_offset: 0,
        },
        data: lost.iter().flat_map(|track| [track.id, track.reason as u64]).collect(),
    }
}

fn cloud(header: &Header, message: VinsMessage) -> PointCloud {
    PointCloud {
        header: header.clone(),
        points: message.points.into_iter().map(|[x, y, z]| Point32 { x, y, z }).collect(),
        channels: message
            .channels
            .into_iter()
            .map(|(name, values)| ChannelFloat32 { name: name.into(), values: values.as_slice().into() })
            .collect(),
    }
}
