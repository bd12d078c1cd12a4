//! What is compared in each group.

use std::fs;
use std::path::{Path, PathBuf};

use vio_frontend::detect::{DetectSettings, Detection};
use vio_frontend::error::Refusal;
use vio_frontend::gpu::GpuError;
use vio_frontend::image::{Encoding, GrayImage, ImageBuffer, ImageView, MIN_SIDE};
use vio_frontend::params::Params;
use vio_frontend::source::{self, synth};
use vio_frontend::track::{FlowStart, TrackSettings};

use super::draw::Draw;
use super::twin::{GRIDS, Request, Twin};
use super::{Extent, Gpu, Report};
use crate::images::{Kind, hash, image};
use crate::motion::{shifted_texture, start};

type Outcome = Result<(), String>;

const SIZES: [(usize, usize); 6] = [(640, 480), (752, 480), (641, 479), (67, 43), (33, 33), (32, 32)];
const SMALL: [(usize, usize); 3] = [(67, 43), (33, 33), (32, 32)];

/// Default parameters, with descriptors.
fn settings(target: u32) -> DetectSettings {
    DetectSettings { target, describe: true, ..DetectSettings::from(&Params::default()) }
}

fn request<'a>(image: ImageView<'a>, target: u32, starts: Vec<FlowStart>) -> Request<'a> {
    let track = TrackSettings::from(&Params::default());
    Request { image, mask: None, detect: settings(target), prefilter: false, starts, track }
}

fn places(detection: &Detection) -> Vec<[f32; 2]> {
    detection.features.iter().map(|feature| [feature.u, feature.v]).collect()
}

fn resting(detection: &Detection) -> Vec<FlowStart> {
    places(detection).into_iter().map(FlowStart::resting).collect()
}

fn told(name: &str) -> impl Fn(GpuError) -> String {
    move |error| format!("{name}: {error}")
}

pub fn sizes(gpu: &Gpu, extent: &Extent, report: &mut Report) -> Outcome {
    let kinds = [
        Kind::Black,
        Kind::White,
        Kind::Checkerboard(3),
        Kind::Checkerboard(7),
        Kind::Noise,
        Kind::CoarseNoise,
        Kind::Blocks,
    ];
    for &(width, height) in if extent.few { &SMALL[..] } else { &SIZES[..] } {
        report.cases += 1;
        let name = format!("{width}x{height}");
        let told = told(&name);
        let mut twin = Twin::new(gpu, &GRIDS, None).map_err(&told)?;
        // A texture that moves, then contents that have nothing to do with each other.
        for step in 0..3 {
            let image = shifted_texture(width, height, 1, (7 * step, 5 * step));
            let mut starts = resting(&twin.detection);
            starts.truncate(extent.points(200));
            starts.extend((0..extent.points(50)).map(|k| start(width, height, k, step as u32)));
            report.frame(&format!("{name} texture {step}"), &mut twin, &request(image.view(), 1000, starts))?;
        }
        for (k, &kind) in kinds.iter().enumerate().filter(|(k, _)| !extent.few || k % 3 == 0) {
            let image = image(kind, width, height, k as u32);
            for target in [30, 4600] {
                let starts = (0..20).map(|k| start(width, height, k, target)).collect();
                report.frame(&format!("{name} {kind:?}"), &mut twin, &request(image.view(), target, starts))?;
            }
        }
    }
    Ok(())
}

pub fn formats(gpu: &Gpu, extent: &Extent, report: &mut Report) -> Outcome {
    let sizes: &[(u32, u32)] =
        if extent.few { &[(130, 33)] } else { &[(640, 480), (641, 479), (131, 48), (129, 33), (67, 43), (32, 32)] };
    let orders = [(false, false), (true, false), (false, true), (true, true)];
    let orders = if extent.few { &orders[1..3] } else { &orders[..] };
    // Few: each layout once.
    let own = |name: &&str| !extent.few || Encoding::from_name(name).is_some_and(|encoding| encoding.name() == *name);
    for name in Encoding::names().into_iter().filter(own) {
        for &(width, height) in sizes {
            report.cases += 1;
            let told = told(name);
            let mut twin = Twin::new(gpu, &GRIDS, None).map_err(&told)?;
            let bytes = Encoding::from_name(name).map_or(1, Encoding::bytes_per_pixel) as u32;
            // A step of its own: rows of drivers are padded.
            let step = width * bytes + 6;
            let data: Vec<u8> = (0..step * height)
                .map(|i| hash((i % step / bytes / 5) as usize, (i / step / 4) as usize, i % step % bytes))
                .collect();
            for &(big_endian, prefilter) in orders {
                let view = ImageView::new(width, height, step, name, big_endian, &data).map_err(|e| e.to_string())?;
                let starts = resting(&twin.detection).into_iter().step_by(10).collect();
                let request = Request { prefilter, ..request(view, 300, starts) };
                let name = format!("{name} {width}x{height} big_endian {big_endian} prefilter {prefilter}");
                report.frame(&name, &mut twin, &request)?;
            }
        }
    }
    Ok(())
}

pub fn scenes(gpu: &Gpu, extent: &Extent, report: &mut Report) -> Outcome {
    let frames = if extent.few { 3 } else { 30 };
    for name in synth::names().into_iter().take(if extent.few { 1 } else { usize::MAX }) {
        let source = format!("synth:{name}");
        stream(gpu, extent, &source, &scene(&source, frames, extent.few)?, report)?;
    }
    Ok(())
}

pub fn data(gpu: &Gpu, extent: &Extent, report: &mut Report) -> Outcome {
    let folder = extent.data.as_ref().ok_or("no folder of data")?;
    let mut folders = Vec::new();
    below(folder, &mut folders).map_err(|error| format!("{}: {error}", folder.display()))?;
    for images in folders {
        let Some(name) = images.first().and_then(|image| image.parent()) else { continue };
        let name = name.strip_prefix(folder).unwrap_or(name).display().to_string();
        let wanted = if extent.few { 2 } else { images.len() };
        let read = |path: &PathBuf| GrayImage::decode(&fs::read(path).map_err(|error| error.to_string())?);
        let images: Vec<GrayImage> = images.iter().take(wanted).map(read).collect::<Result<_, _>>()?;
        stream(gpu, extent, &name, &images, report)?;
    }
    Ok(())
}

/// The image files of every folder, in the order of a sequence.
fn below(folder: &Path, found: &mut Vec<Vec<PathBuf>>) -> std::io::Result<()> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    for folder in paths.iter().filter(|path| path.is_dir()) {
        below(folder, found)?;
    }
    let is_image =
        |path: &&PathBuf| path.extension().is_some_and(|end| ["png", "jpg", "jpeg"].iter().any(|e| end == *e));
    let images: Vec<PathBuf> = paths.iter().filter(is_image).cloned().collect();
    if !images.is_empty() {
        found.push(images);
    }
    Ok(())
}

/// Targets alternate, as do the filter and how points are searched for; all features are tracked.
fn stream(gpu: &Gpu, extent: &Extent, name: &str, images: &[GrayImage], report: &mut Report) -> Outcome {
    report.cases += 1;
    let told = told(name);
    let mut twin = Twin::new(gpu, &GRIDS, None).map_err(&told)?;
    let large = |image: &&GrayImage| image.width().min(image.height()) >= MIN_SIDE as usize;
    for (k, image) in images.iter().filter(large).enumerate() {
        let draw = Draw(k);
        let size = (image.width(), image.height());
        let mut starts =
            if k % 2 == 0 { resting(&twin.detection) } else { draw.starts(&places(&twin.detection), size, 300) };
        starts.truncate(extent.points(usize::MAX));
        let plain = request(image.view(), [300, 1000, 4600][k / 3 % 3], starts);
        let track = TrackSettings { illumination: k % 4 == 3, ..plain.track };
        let request = Request { prefilter: k % 8 > 5, track, ..plain };
        report.frame(&format!("{name} frame {k}"), &mut twin, &request)?;
    }
    Ok(())
}

/// The first frames; where few are wanted, a corner of them.
fn scene(source: &str, frames: usize, few: bool) -> Result<Vec<GrayImage>, String> {
    let images = source::images(source).map_err(|error| error.to_string())?.take(frames);
    Ok(images.map(|image| if few { GrayImage::from_fn(200, 150, |x, y| image.at(x, y)) } else { image }).collect())
}

pub fn random(gpu: &Gpu, extent: &Extent, report: &mut Report) -> Outcome {
    let most = if extent.few { (150, 110) } else { (760, 500) };
    for case in extent.first..extent.first + extent.cases {
        report.cases += 1;
        let draw = Draw(case);
        let name = format!("case {case}");
        let told = told(&name);
        let ((width, height), kind) = (draw.size(most), draw.kind());
        let (encoding, big_endian) = draw.encoding();
        let bytes = Encoding::from_name(encoding).map_or(1, Encoding::bytes_per_pixel);
        let mut twin = Twin::new(gpu, &GRIDS, Some(draw.transfers())).map_err(&told)?;
        twin.set_helpers(draw.below(42, 4) as u32);
        for step in 0..3 {
            let gray = if kind == Kind::Texture {
                shifted_texture(width, height, case as u32, (9 * step, 6 * step))
            } else {
                image(kind, width, height, case as u32)
            };
            // Channels that differ a little.
            let channel = |i: usize, v: u8, c: usize| v.saturating_add(hash(i, c, case as u32) % 16);
            let pixels = gray.pixels().iter().enumerate();
            let data: Vec<u8> = pixels.flat_map(|(i, &v)| (0..bytes).map(move |c| channel(i, v, c))).collect();
            let (wide, high, step_bytes) = (width as u32, height as u32, (width * bytes) as u32);
            let refused = |error: Refusal| error.to_string();
            let view = ImageView::new(wide, high, step_bytes, encoding, big_endian, &data).map_err(refused)?;
            let mut buffer = ImageBuffer::new(wide, high, encoding, big_endian).map_err(refused)?;
            buffer.copy_from(&view).map_err(refused)?;
            let request = Request {
                // Where it lies, or by a copy.
                image: if draw.below(41, 2) == 0 { buffer.view() } else { view },
                mask: draw.mask(width, height),
                detect: draw.detect(twin.detection.offered_class0),
                prefilter: draw.below(40, 3) == 0,
                starts: draw.starts(&places(&twin.detection), (width, height), 40),
                track: draw.track(),
            };
            report.frame(&format!("{name} frame {step}"), &mut twin, &request)?;
        }
    }
    Ok(())
}

/// The first run is what the others must be, bit by bit.
pub fn repeat(gpu: &Gpu, extent: &Extent, report: &mut Report) -> Outcome {
    let (frames, runs) = if extent.few { (2, 2) } else { (20, 20) };
    let images = scene("synth:room", frames, extent.few)?;
    let size = images.first().map_or((0, 0), |image| (image.width(), image.height()));
    // Points that lie where they may.
    let starts: Vec<FlowStart> = (0..extent.points(400)).map(|k| start(size.0, size.1, k, 3)).collect();
    let mut first = None;
    for run in 0..runs {
        report.cases += 1;
        let mut seen = String::new();
        let told = told("repeat");
        let mut twin = Twin::new(gpu, &[u32::MAX], None).map_err(&told)?;
        for (k, image) in images.iter().enumerate() {
            let starts = if k == 0 { Vec::new() } else { starts.clone() };
            twin.alone(&request(image.view(), 4600, starts), &mut seen).map_err(&told)?;
            report.frames += 1;
            report.launches += 1;
        }
        let expected = first.get_or_insert_with(|| seen.clone());
        if *expected != seen {
            report.differs(format!("run {run} is another than run 0"));
        }
    }
    Ok(())
}
