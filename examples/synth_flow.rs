//! Two images of a synthetic scene and where each pixel of the first is in the second: `synth_flow NAME FROM TO FOLDER`.
//!
//! `from.u8`, `to.u8`: pixels, 640 x 480, row-major. `flow.f32`: for each pixel of the first image (column, row) in the
//! second, little-endian, NaN where it is hidden or outside. For comparison with other programs, as in
//! tests/oracle/descriptors.py.

use std::path::Path;

use vio_frontend::image::GrayImage;
use vio_frontend::source::synth::{Synth, SynthOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, from, to, folder] = &arguments[..] else { return Err("usage: synth_flow NAME FROM TO FOLDER".into()) };
    let (from, to) = (from.parse()?, to.parse()?);
    let synth = Synth::new(name, &SynthOptions::default())?;
    let folder = Path::new(folder);
    std::fs::create_dir_all(folder)?;
    let mut image = GrayImage::default();
    for (file, k) in [("to.u8", to), ("from.u8", from)] {
        synth.render(k, &mut image);
        std::fs::write(folder.join(file), image.pixels())?;
    }
    let mut flow = Vec::with_capacity(8 * image.pixels().len());
    for y in 0..image.height() {
        for x in 0..image.width() {
            let there = synth.flow(from, to, [x as f64, y as f64]).unwrap_or([f64::NAN; 2]);
            flow.extend(there.iter().flat_map(|&c| (c as f32).to_le_bytes()));
        }
    }
    std::fs::write(folder.join("flow.f32"), flow)?;
    Ok(())
}
