//! The overlay picture, drawn and published by a thread of its own: who looks on must not delay who computes.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rclrs::rosidl_runtime_rs::Sequence;
use rclrs::{IntoPrimitiveOptions, Node, Publisher, RclrsError};
use ros_env::sensor_msgs::msg::rmw::Image;
use ros_env::std_msgs::msg::rmw::Header;

use crate::frontend::{FrameOutput, OutputPoint};
use crate::image::GrayImage;
use crate::mask::Mask;
use crate::output::overlay::{self, PixelOrder, Trails};

/// The `feature_image` topic and the newest frame to draw; a frame that comes while one is drawn replaces the waiting one.
pub(super) struct Painter {
    publisher: Publisher<Image>,
    next: Mutex<Next>,
    bell: Condvar,
}

#[derive(Default)]
struct Next {
    frame: Option<Picture>,
    /// Goes on with every frame offered, drawn or not.
    trails: Trails,
    closed: bool,
}

/// What a picture is made of.
struct Picture {
    header: Header,
    gray: GrayImage,
    mask: Option<Mask>,
    points: Vec<OutputPoint>,
    /// `None` where the points are no tracks.
    trails: Option<Trails>,
}

impl Painter {
    pub(super) fn new(node: &Node) -> Result<Self, RclrsError> {
        Ok(Self {
            publisher: node.create_publisher("feature_image".keep_last(1).reliable())?,
            next: Mutex::default(),
            bell: Condvar::new(),
        })
    }

    fn next(&self) -> MutexGuard<'_, Next> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves a frame to be drawn, if anybody subscribes.
    pub(super) fn offer(
        &self,
        header: &Header,
        gray: &GrayImage,
        mask: Option<&Mask>,
        output: &FrameOutput,
    ) -> Result<(), RclrsError> {
        if self.publisher.get_subscription_count()? == 0 {
            return Ok(());
        }
        let mut next = self.next();
        let trails = output.tracking.is_some().then(|| {
            next.trails.extend(&output.points);
            next.trails.clone()
        });
        next.frame = Some(Picture {
            header: header.clone(),
            gray: gray.clone(),
            mask: mask.cloned(),
            points: output.points.clone(),
            trails,
        });
        self.bell.notify_one();
        Ok(())
    }

    /// Draws and publishes until closed.
    pub(super) fn paint(&self) {
        let mut canvas = Vec::new();
        while let Some(Picture { header, gray, mask, points, trails }) = self.wait() {
            overlay::draw(&gray, mask.as_ref(), &points, trails.as_ref(), PixelOrder::Bgr, &mut canvas);
            if let Err(error) = self.publisher.publish(bgr_image(header, &gray, &canvas)) {
                rclrs::log_warn!("vio_frontend", "feature_image not published: {error}");
            }
        }
    }

    fn wait(&self) -> Option<Picture> {
        let waiting = |next: &mut Next| !next.closed && next.frame.is_none();
        let mut next = self.bell.wait_while(self.next(), waiting).unwrap_or_else(PoisonError::into_inner);
        if next.closed { None } else { next.frame.take() }
    }

    pub(super) fn close(&self) {
        self.next().closed = true;
        self.bell.notify_all();
    }
}

/// A picture of the size of `gray`, rows tight.
fn bgr_image(header: Header, gray: &GrayImage, pixels: &[u8]) -> Image {
    let mut data = Sequence::new(pixels.len());
    data.as_mut_slice().copy_from_slice(pixels);
    Image {
        header,
        height: gray.height() as u32,
        width: gray.width() as u32,
        encoding: "bgr8".into(),
        is_bigendian: 0,
        step: 3 * gray.width() as u32,
        data,
    }
}
