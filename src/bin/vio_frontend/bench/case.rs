//! One case: what is asked of a frame, measured in every way that there is.

use serde::Serialize;
use vio_frontend::detect::DetectSettings;
use vio_frontend::image::GrayImage;
use vio_frontend::params::Params;
use vio_frontend::telemetry::Tally;
use vio_frontend::track::TrackSettings;

use super::Args;
use super::frames::{Asked, PlainFrames};
use super::machine::OpenGpu;
use super::on_gpu::OnGpu;
use super::turns::{Figures, Turns, take_turns};

/// What is asked of a frame.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Case {
    pub features: u32,
    pub descriptors: bool,
    pub tracks: u32,
}

/// What it takes.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    #[serde(flatten)]
    pub case: Case,
    pub size: [usize; 2],
    /// Features that a frame had on average.
    pub features_mean: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain: Option<Figures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu: Option<OnGpu>,
}

/// What all cases share.
#[derive(Clone, Copy, Debug)]
pub struct Bench<'a> {
    pub params: &'a Params,
    pub args: &'a Args,
    pub gpu: Option<&'a OpenGpu>,
    pub images: &'a [GrayImage],
}

impl Bench<'_> {
    pub fn measure_all(&self, cases: &[Case]) -> anyhow::Result<Vec<Measured>> {
        cases.iter().map(|case| self.measure(case)).collect()
    }

    fn measure(&self, case: &Case) -> anyhow::Result<Measured> {
        let detect =
            DetectSettings { target: case.features, describe: case.descriptors, ..DetectSettings::from(self.params) };
        let asked = Asked { detect, track: TrackSettings::from(self.params), tracks: case.tracks as usize };
        let mut features = Tally::default();
        let plain = self.plain(&asked, &mut features)?;
        let gpu = self.gpu.map(|gpu| self.on_gpu(gpu, &asked, &mut features)).transpose()?;
        let size = self.images.first().map_or([0, 0], |image| [image.width(), image.height()]);
        Ok(Measured { case: *case, size, features_mean: features.mean().unwrap_or_default(), plain, gpu })
    }

    fn plain(&self, asked: &Asked, features: &mut Tally) -> anyhow::Result<Option<Figures>> {
        let (frames, mut plain) = (self.args.plain_frames(), PlainFrames::default());
        if frames == 0 {
            return Ok(None);
        }
        // It has nothing to load or to wake up.
        let turns = Turns { frames, warm_up: 1, settle: 0 };
        let times = take_turns(1, turns, self.images.len(), |_, k| {
            self.args.pause();
            let times = plain.frame(self.images, k, asked);
            features.add(plain.found.detection.features.len() as u64);
            Ok(times.unwrap_or_default())
        })?;
        Ok(times.into_iter().next())
    }
}
