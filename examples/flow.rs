//! Tracks the corners of each frame into the next, for comparison with other programs as in tests/oracle/track.py:
//! `flow SOURCE FOLDER [KEY=VALUE ...]`.
//!
//! SOURCE is what `replay` takes; truth is known of `synth:NAME`. Keys: `frames` (pairs, default 20), `first`, `every`
//! (the pair is a frame and the one so many later), `count` (corners a frame, default 300), `light` (factor on the second
//! frame of each pair), and `window`, `refine` (default 0: no last search), `levels`, `max_iter`, `eps`,
//! `min_eigenvalue`, `max_residual`, `back`, `illumination` of the tracker.
//!
//! Writes `size.txt`, `<pair>a.u8` and `<pair>b.u8` (row-major, one byte a pixel) and `flows.csv`: pair, u, v, true_u,
//! true_v (empty where unknown), seen (whether the second frame shows it), found_u, found_v, status, residual,
//! min_eigenvalue, backward_error.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use vio_frontend::detect::plain::PlainDetector;
use vio_frontend::detect::pyramid::Pyramid;
use vio_frontend::detect::{DetectSettings, Gain, MAX_LEVELS};
use vio_frontend::image::GrayImage;
use vio_frontend::params::Params;
use vio_frontend::source;
use vio_frontend::source::synth::{Sight, Synth, SynthOptions};
use vio_frontend::track::{FlowStart, TrackSettings, plain};

/// What is measured.
struct Options {
    frames: usize,
    first: usize,
    every: usize,
    count: u32,
    light: f32,
    settings: TrackSettings,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, folder, pairs @ ..] = &arguments[..] else {
        return Err("usage: flow SOURCE FOLDER [KEY=VALUE ...]".into());
    };
    let options = parse(pairs)?;
    let folder = Path::new(folder);
    std::fs::create_dir_all(folder)?;
    let (synth, images) = load(name, &options)?;
    let mut csv =
        "pair,u,v,true_u,true_v,seen,found_u,found_v,status,residual,min_eigenvalue,backward_error\n".to_owned();
    for pair in 0..options.frames.min(images.len().saturating_sub(options.every)) {
        let previous = &images[pair];
        let current = lit(&images[pair + options.every], options.light);
        std::fs::write(folder.join(format!("{pair}a.u8")), previous.pixels())?;
        std::fs::write(folder.join(format!("{pair}b.u8")), current.pixels())?;
        let k = options.first + pair;
        let truth = |from: [f32; 2]| synth.as_ref().and_then(|s| s.trace(k, k + options.every, from.map(f64::from)));
        flows(pair, previous, &current, &options, truth, &mut csv)?;
    }
    std::fs::write(folder.join("flows.csv"), csv)?;
    let (width, height) = images.first().map_or((0, 0), |image| (image.width(), image.height()));
    std::fs::write(folder.join("size.txt"), format!("{width} {height}\n"))?;
    Ok(())
}

/// A line for each corner of `previous`.
fn flows(
    pair: usize,
    previous: &GrayImage,
    current: &GrayImage,
    options: &Options,
    truth: impl Fn([f32; 2]) -> Option<Sight>,
    csv: &mut String,
) -> Result<(), Box<dyn Error>> {
    let detect = DetectSettings { target: options.count, ..DetectSettings::from(&Params::default()) };
    let features = PlainDetector::new().detect(previous, None, &detect, &mut Gain::default()).features;
    let starts: Vec<_> = features.iter().map(|f| FlowStart::resting([f.u, f.v])).collect();
    let (mut before, mut now) = (Pyramid::default(), Pyramid::default());
    before.build(previous, MAX_LEVELS);
    now.build(current, MAX_LEVELS);
    let before: Vec<_> = before.levels(previous).collect();
    let now: Vec<_> = now.levels(current).collect();
    for (start, flow) in starts.iter().zip(plain::track(&before, &now, &starts, &options.settings)) {
        let [u, v] = start.from;
        let (truth, seen) = match truth(start.from) {
            Some(Sight::Seen([x, y])) => (format!("{x},{y}"), "1"),
            Some(Sight::Hidden([x, y])) => (format!("{x},{y}"), "0"),
            _ => (",".to_owned(), "0"),
        };
        let [x, y] = flow.position;
        let (residual, eigenvalue, back) = (flow.residual, flow.min_eigenvalue, flow.backward_error);
        let status = flow.status as u8;
        writeln!(csv, "{pair},{u},{v},{truth},{seen},{x},{y},{status},{residual},{eigenvalue},{back}")?;
    }
    Ok(())
}

fn parse(pairs: &[String]) -> Result<Options, Box<dyn Error>> {
    // Other programs have no such search.
    let settings = TrackSettings { refine_window: 0, ..TrackSettings::default() };
    let mut options = Options { frames: 20, first: 0, every: 1, count: 300, light: 1.0, settings };
    for pair in pairs {
        let (key, value) = pair.split_once('=').ok_or("KEY=VALUE")?;
        let settings = &mut options.settings;
        match key {
            "frames" => options.frames = value.parse()?,
            "first" => options.first = value.parse()?,
            "every" => options.every = value.parse()?,
            "count" => options.count = value.parse()?,
            "light" => options.light = value.parse()?,
            "window" => settings.window = value.parse()?,
            "refine" => settings.refine_window = value.parse()?,
            "levels" => settings.levels = value.parse()?,
            "max_iter" => settings.max_iter = value.parse()?,
            "eps" => settings.eps = value.parse()?,
            "min_eigenvalue" => settings.min_eigenvalue = value.parse()?,
            "max_residual" => settings.max_residual = value.parse()?,
            "back" => settings.max_backward_error = Some(value.parse()?).filter(|&most: &f32| most >= 0.0),
            "illumination" => settings.illumination = value.parse()?,
            _ => return Err(format!("unknown key {key}").into()),
        }
    }
    Ok(options)
}

/// The frames, and the world that they show where it is a simulated one.
fn load(name: &str, options: &Options) -> Result<(Option<Synth>, Vec<GrayImage>), Box<dyn Error>> {
    let wanted = options.frames + options.every;
    if let Some(line) = name.strip_prefix("synth:") {
        let frames = options.first + wanted;
        let synth = Synth::new(line, &SynthOptions { frames, ..SynthOptions::default() })?;
        let images = (options.first..frames).map(|k| {
            let mut image = GrayImage::default();
            synth.render(k, &mut image);
            image
        });
        let images = images.collect();
        return Ok((Some(synth), images));
    }
    Ok((None, source::images(name)?.skip(options.first).take(wanted).collect()))
}

/// The image in light that is so many times as strong.
fn lit(image: &GrayImage, factor: f32) -> GrayImage {
    GrayImage::from_fn(image.width(), image.height(), |x, y| (f32::from(image.at(x, y)) * factor).round() as u8)
}
