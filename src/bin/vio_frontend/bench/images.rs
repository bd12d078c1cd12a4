//! The images of a run: neighbours in time, the last one also of the first, so that they can go round and round.

use std::f64::consts::TAU;

use anyhow::{Context as _, anyhow, bail};
use vio_frontend::image::GrayImage;
use vio_frontend::source::{self, Event};

use super::Args;

/// Between two neighbours of a single image that is moved, px.
const STEP: f64 = 2.0;

/// As many as take turns, in their own size or another.
pub fn load(args: &Args, size: Option<[usize; 2]>) -> anyhow::Result<Vec<GrayImage>> {
    let count = args.buffers as usize;
    let Some(file) = &args.image else {
        let images = sequence(&args.source, count)?;
        return Ok(images.iter().map(|image| view(image, size, [0, 0])).collect());
    };
    let name = file.display().to_string();
    let bytes = std::fs::read(file).with_context(|| name.clone())?;
    let image = GrayImage::decode(&bytes).map_err(|message| anyhow!("{name}: {message}"))?;
    image.checked_view().with_context(|| name)?;
    let radius = STEP * count as f64 / TAU;
    let at = |k: usize| {
        let angle = k as f64 / count as f64 * TAU;
        [(radius * (1.0 - angle.cos())) as usize, (radius * (1.0 + angle.sin())) as usize]
    };
    Ok((0..count).map(|k| view(&image, size, at(k))).collect())
}

/// The first `count` images: every second one, then back over the others.
fn sequence(name: &str, count: usize) -> anyhow::Result<Vec<GrayImage>> {
    let mut source = source::open(name)?;
    let mut images = Vec::new();
    while images.len() < count
        && let Some(event) = source.next_event()
    {
        match event {
            Event::Image { image, .. } => images.push(image),
            Event::Unreadable { message, .. } => bail!("{name}: {message}"),
            Event::Imu(_) => {}
        }
    }
    if images.len() < count {
        bail!("{name} has {} images, and '--buffers' asks for {count}", images.len());
    }
    if images.windows(2).any(|pair| matches!(pair, [a, b] if (a.width(), a.height()) != (b.width(), b.height()))) {
        bail!("{name}: the images differ in size");
    }
    let (there, mut back): (Vec<_>, Vec<_>) = images.into_iter().enumerate().partition(|(k, _)| k % 2 == 0);
    back.reverse();
    Ok(there.into_iter().chain(back).map(|(_, image)| image).collect())
}

/// `image` from `offset` on, in its own size or another; beyond its borders lie its mirror images.
fn view(image: &GrayImage, size: Option<[usize; 2]>, offset: [usize; 2]) -> GrayImage {
    let own = [image.width(), image.height()];
    let [width, height] = size.unwrap_or(own);
    let folded = |i: usize, count: usize| {
        let i = i % (2 * count);
        if i < count { i } else { 2 * count - 1 - i }
    };
    GrayImage::from_fn(width, height, |x, y| image.at(folded(x + offset[0], own[0]), folded(y + offset[1], own[1])))
}
