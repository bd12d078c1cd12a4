//! True tracks: points of the scene, followed through the images by geometry.

use std::io::{self, Write};

use vio_frontend::source::synth::Synth;

/// Cells across and down; one track a cell.
const GRID: [u32; 2] = [16, 12];

/// A point that was seen first at `pixel` of image `first`.
struct Track {
    id: u64,
    first: usize,
    pixel: [f64; 2],
}

/// Writes one line for each image and each point seen in it: `timestamp [ns],id,u [px],v [px],depth [m]`.
///
/// A track ends when its point is hidden or leaves the image; a new one then starts at the centre of each empty cell.
/// Ids count up and are never used again.
pub fn write(synth: &Synth, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "#timestamp [ns],id,u [px],v [px],depth [m]")?;
    let mut tracks: Vec<Track> = Vec::new();
    let mut next_id = 0;
    for k in 0..synth.frames() {
        // Where the tracks are in this image, one for one.
        let mut seen = Vec::new();
        tracks.retain(|track| match synth.flow(track.first, k, track.pixel) {
            Some(pixel) => {
                seen.push(pixel);
                true
            }
            None => false,
        });
        let occupied: Vec<Option<[u32; 2]>> = seen.iter().map(|pixel| cell(synth, *pixel)).collect();
        for (cell, pixel) in centres(synth) {
            if !occupied.contains(&Some(cell)) && synth.flow(k, k, pixel).is_some() {
                seen.push(pixel);
                tracks.push(Track { id: next_id, first: k, pixel });
                next_id += 1;
            }
        }
        let pose = synth.world_from_cam(k);
        for (track, [u, v]) in tracks.iter().zip(seen) {
            let point = synth.world_point(track.first, track.pixel);
            let depth = point.map_or(f64::NAN, |point| pose.apply_inverse(point).z);
            writeln!(out, "{},{},{u},{v},{depth}", synth.stamp_ns(k), track.id)?;
        }
    }
    Ok(())
}

/// Every cell with the pixel at its centre.
fn centres(synth: &Synth) -> impl Iterator<Item = ([u32; 2], [f64; 2])> {
    let size = synth.camera().image_size().unwrap_or_default();
    let centre = move |i: u32, axis: usize| (f64::from(i) + 0.5) * f64::from(size[axis]) / f64::from(GRID[axis]) - 0.5;
    (0..GRID[1]).flat_map(move |j| (0..GRID[0]).map(move |i| ([i, j], [centre(i, 0), centre(j, 1)])))
}

/// The cell that holds a pixel; pixel 0 reaches from -0.5 to 0.5.
fn cell(synth: &Synth, pixel: [f64; 2]) -> Option<[u32; 2]> {
    let size = synth.camera().image_size()?;
    let of = |axis: usize| ((pixel[axis] + 0.5) * f64::from(GRID[axis]) / f64::from(size[axis])) as u32;
    Some([of(0), of(1)])
}
