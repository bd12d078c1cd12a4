//! Tracks on a sequence: this front end's and those of files.

use std::path::Path;

use vio_frontend::camera::{CamImu, Camera};
use vio_frontend::eval::tracks::{Knowledge, Run, camera_beside, judge, read_run, run_frontend};
use vio_frontend::frame::StampNs;
use vio_frontend::frontend::Frontend;
use vio_frontend::params::{Mode, Params};
use vio_frontend::source::synth::{Synth, SynthOptions, SynthSource};
use vio_frontend::source::{self, Event, Source, Synchronised};

use super::{Args, Tracking};
use crate::progress::progress_bar;

/// Judges what there is to judge; `None` if there is nothing.
pub fn tracking(args: &Args, source: &str, params: &Params) -> anyhow::Result<Option<Tracking>> {
    let sequence = Sequence::new(source, args.max_frames)?;
    let camera = sequence.camera(params)?;
    let (stamps, size) = sequence.frames()?;
    let known = match &sequence.synth {
        Some(synth) => Knowledge::of_synth(synth.clone()),
        None => Knowledge::of_folder(Path::new(source), size, camera.clone(), &stamps)?,
    };
    let mut runs = Vec::new();
    if params.mode == Mode::Track {
        runs.push(sequence.ours(params, camera, args.without_imu, stamps.len())?);
    }
    for path in &args.tracks {
        runs.push(read_run(path, &name(path), &stamps)?);
    }
    if runs.is_empty() {
        return Ok(None);
    }
    // Where the truth is known exactly nothing is learnt from the images.
    let images = if sequence.synth.is_none() { Some(sequence.open()?) } else { None };
    let trackers = judge(&runs, &known, images);
    Ok(Some(Tracking { frames: stamps.len(), known: known.names(), trackers }))
}

/// What is judged, as often as it must be gone through.
struct Sequence<'a> {
    source: &'a str,
    most: Option<usize>,
    synth: Option<Synth>,
}

impl<'a> Sequence<'a> {
    /// The first `most` frames of `source`.
    fn new(source: &'a str, most: Option<usize>) -> anyhow::Result<Self> {
        let synth = source.strip_prefix("synth:").map(|line| simulated(line, most)).transpose()?;
        Ok(Self { source, most, synth })
    }

    fn open(&self) -> Result<Box<dyn Source>, source::SourceError> {
        match &self.synth {
            Some(synth) => Ok(Box::new(SynthSource::new(synth.clone()))),
            None => source::open(self.source),
        }
    }

    /// That of the parameters, else the sequence's own.
    fn camera(&self, params: &Params) -> anyhow::Result<Option<Camera>> {
        let own = self.open()?.camera().cloned();
        let delivered = || if own.is_some() { Ok(own) } else { camera_beside(Path::new(self.source)) };
        Ok(Camera::resolve(params, delivered)?)
    }

    /// The run of this front end, without any prediction where it shall do without the IMU.
    fn ours(&self, params: &Params, camera: Option<Camera>, without_imu: bool, frames: usize) -> anyhow::Result<Run> {
        let source = self.open()?;
        let cam_imu = CamImu::resolve(params, source.cam_imu())?.filter(|_| !without_imu);
        let mut frontend = Frontend::new(params.clone(), camera)?;
        frontend.set_cam_imu(cam_imu);
        let offset_s = frontend.imu_offset_s().unwrap_or(0.0);
        let mut source = Synchronised::new(source, offset_s, params.imu_wait_ms * 1e-3);
        let bar = progress_bar(frames);
        let run = run_frontend(frontend, &mut source, frames, || bar.inc(1));
        bar.finish_and_clear();
        Ok(run)
    }

    /// Stamps of all frames, readable or not, and the size of the last one.
    fn frames(&self) -> anyhow::Result<(Vec<StampNs>, [usize; 2])> {
        if let Some(synth) = &self.synth {
            return Ok(((0..synth.frames()).map(|k| synth.stamp_ns(k)).collect(), [0; 2]));
        }
        let (mut source, mut stamps, mut size) = (self.open()?, Vec::new(), [0; 2]);
        while self.most.is_none_or(|most| stamps.len() < most)
            && let Some(event) = source.next_event()
        {
            match event {
                Event::Image { stamp_ns, image } => {
                    size = [image.width(), image.height()];
                    stamps.push(stamp_ns);
                }
                Event::Unreadable { stamp_ns, .. } => stamps.push(stamp_ns),
                Event::Imu(_) => {}
            }
        }
        Ok((stamps, size))
    }
}

fn simulated(line: &str, most: Option<usize>) -> anyhow::Result<Synth> {
    let synth = Synth::new(line, &SynthOptions::default())?;
    let frames = most.map_or(synth.frames(), |most| most.min(synth.frames()));
    let separator = if line.contains('?') { '&' } else { '?' };
    Ok(Synth::new(&format!("{line}{separator}frames={frames}"), &SynthOptions::default())?)
}

/// Of a file: its name, or that of its folder where it is called as `replay` calls it.
fn name(path: &Path) -> String {
    let named = path.file_stem().filter(|stem| *stem != "features");
    let named = named.or_else(|| path.parent().and_then(Path::file_name));
    named.map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}
