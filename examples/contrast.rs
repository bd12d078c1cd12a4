//! Writes what `histogram_method` makes of an image: `contrast IMAGE FOLDER`.
//!
//! `histogram.u8` and `clahe.u8`: pixels, row-major, one byte each. For comparison with other programs, as in
//! tests/oracle/contrast.py.

use std::path::Path;

use vio_frontend::image::GrayImage;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, folder] = &arguments[..] else {
        return Err("usage: contrast IMAGE FOLDER".into());
    };
    let image = GrayImage::decode(&std::fs::read(file)?)?;
    for (name, method) in
        [("histogram", GrayImage::equalise as fn(&mut GrayImage)), ("clahe", GrayImage::equalise_tiles)]
    {
        let mut changed = image.clone();
        method(&mut changed);
        std::fs::write(Path::new(folder).join(name).with_extension("u8"), changed.pixels())?;
    }
    Ok(())
}
