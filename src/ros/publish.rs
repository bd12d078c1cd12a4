//! What leaves the node for each frame.

use rclrs::rosidl_runtime_rs::Sequence;
use rclrs::{IntoPrimitiveOptions, Node, Publisher, RclrsError};
use ros_env::sensor_msgs::msg::rmw::{Image, PointCloud2, PointField};
use ros_env::std_msgs::msg::rmw::{Bool, Header};

use super::points;
use crate::frontend::FrameOutput;
use crate::image::GrayImage;
use crate::output::overlay::{self, ColourBy, PixelOrder};
use crate::params::Mode;

/// Depth of the reliable output queues: half a second at 20 Hz for a back end that stalls.
const DEPTH: u32 = 10;

/// The publishers of the frame outputs.
pub(super) struct Outputs {
    features: Publisher<PointCloud2>,
    feature_image: Publisher<Image>,
    restart: Publisher<Bool>,
    fields: Sequence<PointField>,
    /// The overlay as it is drawn.
    canvas: Vec<u8>,
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
            feature_image: node.create_publisher("feature_image".keep_last(DEPTH).reliable())?,
            restart: node.create_publisher("restart".keep_last(DEPTH).reliable())?,
            fields: fields.collect(),
            canvas: Vec::new(),
        })
    }

    /// Publishes one frame: the restart first, so that a back end clears its state before new ids arrive.
    pub(super) fn publish(
        &mut self,
        header: &Header,
        output: &FrameOutput,
        gray: &GrayImage,
    ) -> Result<(), RclrsError> {
        if output.restart.is_some() {
            self.restart.publish(Bool { data: true })?;
        }
        if !output.publish {
            return Ok(());
        }
        self.features.publish(self.cloud(header, output))?;
        if self.feature_image.get_subscription_count()? > 0 {
            let by = ColourBy::from(Mode::Detect);
            overlay::draw(gray, &output.points, by, PixelOrder::Bgr, &mut self.canvas);
            self.feature_image.publish(bgr_image(header, gray, &self.canvas))?;
        }
        Ok(())
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

/// A picture of the size of `gray`, rows tight.
fn bgr_image(header: &Header, gray: &GrayImage, pixels: &[u8]) -> Image {
    let mut data = Sequence::new(pixels.len());
    data.as_mut_slice().copy_from_slice(pixels);
    Image {
        header: header.clone(),
        height: gray.height() as u32,
        width: gray.width() as u32,
        encoding: "bgr8".into(),
        is_bigendian: 0,
        step: 3 * gray.width() as u32,
        data,
    }
}
