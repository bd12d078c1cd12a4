//! Tracks on a sequence: this front end's and those of files.

use std::path::Path;

use vio_frontend::camera::Camera;
use vio_frontend::eval::tracks::{Knowledge, camera_beside, judge, read_run};
use vio_frontend::frame::StampNs;
use vio_frontend::params::Params;
use vio_frontend::source::synth::{Synth, SynthOptions, SynthSource};
use vio_frontend::source::{self, Event, Source};

use super::{Args, Tracking};

/// Judges what there is to judge; `None` if there is nothing.
pub fn tracking(args: &Args, source: &str, params: &Params) -> anyhow::Result<Option<Tracking>> {
    let sequence = Sequence::new(source, args.max_frames)?;
    let camera = sequence.camera(params)?;
    let (stamps, size) = sequence.frames()?;
    let known = match &sequence.synth {
        Some(synth) => Knowledge::of_synth(synth.clone()),
        None => Knowledge::of_folder(Path::new(source), size, camera, &stamps)?,
    };
    let mut runs = Vec::new();
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
