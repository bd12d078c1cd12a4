//! Image files and IMU samples on one time line.

use std::path::PathBuf;

use super::{Event, Source};
use crate::camera::{CamImu, Camera};
use crate::frame::{ImuSample, StampNs};
use crate::image::GrayImage;

/// One frame of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FrameFile {
    pub stamp_ns: StampNs,
    /// The image file, or why the listing names none.
    pub file: Result<PathBuf, String>,
}

/// A recording on disk: one image file a frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Recorded {
    /// In the order of the recording, which stamps may contradict.
    pub frames: Vec<FrameFile>,
    /// In the order of the recording.
    pub imu: Vec<ImuSample>,
    pub camera: Option<Camera>,
    pub cam_imu: Option<CamImu>,
    /// Frames and IMU samples that were handed out.
    pub given: (usize, usize),
}

impl Source for Recorded {
    fn frames(&self) -> usize {
        self.frames.len()
    }

    fn camera(&self) -> Option<&Camera> {
        self.camera.as_ref()
    }

    fn cam_imu(&self) -> Option<CamImu> {
        self.cam_imu
    }

    /// IMU samples come before the image of the same or a later stamp, as they arrive on a robot.
    fn next_event(&mut self) -> Option<Event> {
        let (frame, sample) = (self.frames.get(self.given.0), self.imu.get(self.given.1));
        match (frame, sample) {
            (Some(frame), Some(sample)) if sample.stamp_ns > frame.stamp_ns => {
                self.given.0 += 1;
                Some(read(frame))
            }
            (_, Some(sample)) => {
                self.given.1 += 1;
                Some(Event::Imu(*sample))
            }
            (Some(frame), None) => {
                self.given.0 += 1;
                Some(read(frame))
            }
            (None, None) => None,
        }
    }
}

fn read(frame: &FrameFile) -> Event {
    let stamp_ns = frame.stamp_ns;
    let decoded = frame.file.clone().and_then(|path| {
        let explain = |message: String| format!("{}: {message}", path.display());
        let bytes = std::fs::read(&path).map_err(|error| explain(error.to_string()))?;
        GrayImage::decode(&bytes).map_err(explain)
    });
    match decoded {
        Ok(image) => Event::Image { stamp_ns, image },
        Err(message) => Event::Unreadable { stamp_ns, message },
    }
}
