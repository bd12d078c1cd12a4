//! Tracks through the whole front end, on simulated sequences.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking"
)]

mod imu;
mod light;
mod table;

use vio_frontend::frame::{Frame, ImuSample, StampNs};
use vio_frontend::frontend::{FrameOutput, Frontend};
use vio_frontend::image::GrayImage;
use vio_frontend::params::Params;
use vio_frontend::source::synth::{Synth, SynthOptions};

pub const MS: StampNs = 1_000_000;

pub fn scene(name: &str, frames: usize) -> Synth {
    Synth::new(name, &SynthOptions { frames, ..SynthOptions::default() }).expect("a scene")
}

/// A front end that knows the scene's camera and IMU.
pub fn frontend(synth: &Synth, params: &Params) -> Frontend {
    let mut frontend = Frontend::new(params.clone(), Some(synth.camera().clone())).expect("sound parameters");
    frontend.set_cam_imu(Some(synth.cam_imu()));
    frontend
}

/// The scene's IMU samples.
pub fn samples(synth: &Synth) -> Vec<ImuSample> {
    (0..synth.imu_samples()).map(|j| synth.imu(j)).collect()
}

/// Runs the whole scene; before each image come the samples of `imu` that are due, those at most `ahead_ns` after its
/// stamp. `change` may change an image.
pub fn run_with(
    synth: &Synth,
    frontend: &mut Frontend,
    imu: &[ImuSample],
    ahead_ns: StampNs,
    change: impl Fn(usize, &mut GrayImage),
) -> Vec<FrameOutput> {
    let mut imu = imu.iter().peekable();
    let mut image = GrayImage::default();
    let outputs = (0..synth.frames()).map(|k| {
        let stamp_ns = synth.stamp_ns(k);
        while let Some(sample) = imu.next_if(|sample| sample.stamp_ns <= stamp_ns + ahead_ns) {
            frontend.add_imu(*sample);
        }
        synth.render(k, &mut image);
        change(k, &mut image);
        frontend.process(&Frame { stamp_ns, image: image.view() }).expect("a good frame")
    });
    outputs.collect()
}

/// With the scene's IMU, each image as it is.
pub fn run(synth: &Synth, params: &Params) -> Vec<FrameOutput> {
    run_with(synth, &mut frontend(synth, params), &samples(synth), 5 * MS, |_, _| {})
}

/// Ids of a frame's tracks.
pub fn ids(output: &FrameOutput) -> Vec<u64> {
    output.points.iter().map(|point| point.id).collect()
}

/// Mean share of a frame's tracks that the next frame still has.
pub fn survival(outputs: &[FrameOutput]) -> f64 {
    let shares = outputs.windows(2).map(|pair| {
        let next = ids(&pair[1]);
        let kept = ids(&pair[0]).iter().filter(|id| next.contains(id)).count();
        kept as f64 / pair[0].points.len().max(1) as f64
    });
    shares.sum::<f64>() / (outputs.len() - 1) as f64
}
