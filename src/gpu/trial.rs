//! A trial of a device that has just been opened: two small images, of which the results are known.
//!
//! It also makes the driver load what it would load at the first launch.

use super::error::GpuError;
use super::pipeline::Pipeline;
use crate::detect::plain::PlainDetector;
use crate::detect::{DetectSettings, Gain};
use crate::image::GrayImage;
use crate::params::Params;
use crate::random::SplitMix64;
use crate::track::{Flow, FlowStart, TrackSettings, plain};

/// Width and height of the images, px: two tiles, so that blocks have to meet.
const SIZE: [usize; 2] = [64, 32];

/// Detects and tracks on the device and by the plain path.
///
/// Errors: what the driver answers; [`GpuError::OtherResult`].
pub(super) fn try_out(pipeline: &mut Pipeline) -> Result<(), GpuError> {
    let track = TrackSettings::from(&Params::default());
    let [first, second] = [noise(0), noise(1)];
    let [mut before, mut after] = [PlainDetector::new(), PlainDetector::new()];
    let (features, _) = detected(pipeline, &mut before, &first, &[])?;
    let (_, flows) = detected(pipeline, &mut after, &second, &features)?;
    let previous: Vec<&GrayImage> = before.stages().pyramid.levels(&first).collect();
    let current: Vec<&GrayImage> = after.stages().pyramid.levels(&second).collect();
    match plain::track(&previous, &current, &features, &track) == flows {
        true => Ok(()),
        false => Err(GpuError::OtherResult { kernel: "track" }),
    }
}

/// The features of `image` as the next starts, if device and plain path agree on them, and where the device tracks
/// `starts` to.
fn detected(
    pipeline: &mut Pipeline,
    detector: &mut PlainDetector,
    image: &GrayImage,
    starts: &[FlowStart],
) -> Result<(Vec<FlowStart>, Vec<Flow>), GpuError> {
    let params = Params::default();
    let settings = DetectSettings { target: 12, describe: true, ..DetectSettings::from(&params) };
    let (mut gain, mut plain_gain) = (Gain::default(), Gain::default());
    pipeline.load(&image.view(), &settings)?;
    let detection = pipeline.queue_detection(None, gain, false)?;
    let tracks = pipeline.queue_tracks(starts, &TrackSettings::from(&params))?;
    let (found, flows) = (pipeline.detection(detection, &mut gain)?, pipeline.flows(tracks)?);
    if found != detector.detect(image, None, &settings, &mut plain_gain) || gain != plain_gain {
        return Err(GpuError::OtherResult { kernel: "detect" });
    }
    Ok((found.features.iter().map(|feature| FlowStart::resting([feature.u, feature.v])).collect(), flows))
}

/// Blocks of noise, the same every time, moved by `shift` pixels.
fn noise(shift: usize) -> GrayImage {
    const BLOCK: usize = 5;
    let [width, height] = SIZE;
    GrayImage::from_fn(width, height, |x, y| {
        let block = (x + shift) / BLOCK * height + (y + shift) / BLOCK;
        SplitMix64::new(block as u64).next() as u8
    })
}
