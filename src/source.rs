//! Offline inputs behind one trait: recorded sequences, folders of images, and the simulator.

mod euroc;
mod images;
mod recorded;
pub(crate) mod stamp;
mod synchronised;
pub mod synth;

use std::path::{Path, PathBuf};

use crate::camera::{CalibrationError, CamImu, Camera};
use crate::frame::{ImuSample, StampNs};
use crate::image::GrayImage;
pub use images::image_files;
pub use synchronised::Synchronised;
use synth::{SynthError, SynthOptions};

/// What a source yields, in the order of arrival.
#[derive(Clone, Debug)]
pub enum Event {
    Image {
        stamp_ns: StampNs,
        image: GrayImage,
    },
    Imu(ImuSample),
    /// A frame that could not be read; it is counted as refused.
    Unreadable {
        stamp_ns: StampNs,
        message: String,
    },
}

/// A finite stream of images and IMU samples.
pub trait Source {
    /// Number of frames, readable or not.
    fn frames(&self) -> usize;
    /// The calibration that comes with the data.
    fn camera(&self) -> Option<&Camera>;
    /// How that camera and the IMU belong together, where the data tells it.
    fn cam_imu(&self) -> Option<CamImu> {
        None
    }
    /// The next event; `None` at the end.
    fn next_event(&mut self) -> Option<Event>;
}

/// The images of a source that can be read, in order.
///
/// Errors: those of [`open`].
pub fn images(source: &str) -> Result<impl Iterator<Item = GrayImage>, SourceError> {
    let mut source = open(source)?;
    let image = |event| match event {
        Event::Image { image, .. } => Some(image),
        Event::Imu(_) | Event::Unreadable { .. } => None,
    };
    Ok(std::iter::from_fn(move || source.next_event()).filter_map(image))
}

/// Why a source cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error("{}: cannot be read: {error}", path.display())]
    Read { path: PathBuf, error: std::io::Error },
    #[error("{}: cannot be read: {error}", path.display())]
    Csv { path: PathBuf, error: csv::Error },
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
    #[error("{}: {message}", path.display())]
    Unknown { path: PathBuf, message: String },
    #[error("{}: no images in it", path.display())]
    Empty { path: PathBuf },
    #[error(transparent)]
    Synth(#[from] SynthError),
}

/// What was looked for, in this order, when nothing fits.
const LOOKED_FOR: &str = "no data set: looked for mav0/cam0 or cam0 (EuRoC), rgb.txt (TUM), *.png, *.jpg and *.jpeg";

/// Opens a data set by what is found at `source`: an EuRoC folder (`mav0` or its parent), a TUM RGB-D folder, a folder
/// of images, or `synth:NAME` for a simulated sequence.
///
/// Errors: nothing of the kind, unreadable listings, a refused calibration. Single damaged images are no error: they
/// are [`Event::Unreadable`].
pub fn open(source: &str) -> Result<Box<dyn Source>, SourceError> {
    if let Some(name) = source.strip_prefix("synth:") {
        return Ok(Box::new(synth::open(name, &SynthOptions::default())?));
    }
    let path = Path::new(source);
    let unknown = |message: &str| SourceError::Unknown { path: path.to_owned(), message: message.to_owned() };
    if !path.exists() {
        return Err(unknown("no such file or folder; simulated sequences are named synth:NAME"));
    }
    if !path.is_dir() {
        return Err(unknown("a file; a folder is needed (`detect` takes a single image)"));
    }
    let mav0 = [path.join("mav0"), path.to_owned()].into_iter().find(|mav0| mav0.join("cam0").is_dir());
    let recorded = if let Some(mav0) = mav0 {
        euroc::open(&mav0)?
    } else if path.join("rgb.txt").is_file() {
        images::open_tum(path)?
    } else {
        let images = images::open(path)?;
        if images.frames.is_empty() {
            return Err(unknown(LOOKED_FOR));
        }
        images
    };
    if recorded.frames.is_empty() {
        return Err(SourceError::Empty { path: path.to_owned() });
    }
    Ok(Box::new(recorded))
}
