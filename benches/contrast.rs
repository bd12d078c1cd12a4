//! Speed of `histogram_method`: `cargo bench --bench contrast [-- IMAGE...]`.
//!
//! Prints microseconds an image, the best of 200 runs, so that other programs on the machine count least.

use std::hint::black_box;
use std::time::Instant;

use vio_frontend::image::GrayImage;

const RUNS: usize = 200;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut images =
        vec![("ramp 752x480".to_owned(), GrayImage::from_fn(752, 480, |x, y| ((x * 7 + y * 3) / 31) as u8))];
    for file in std::env::args().skip(1).filter(|arg| !arg.starts_with("--")) {
        let image = GrayImage::decode(&std::fs::read(&file)?)?;
        images.push((file, image));
    }
    for (name, image) in &images {
        let histogram = best(image, GrayImage::equalise);
        let clahe = best(image, GrayImage::equalise_tiles);
        println!("{name} ({} x {}): histogram {histogram:.0} us, clahe {clahe:.0} us", image.width(), image.height());
    }
    Ok(())
}

/// Least time of a run, us.
fn best(image: &GrayImage, method: impl Fn(&mut GrayImage)) -> f64 {
    let time = || {
        let mut image = image.clone();
        let start = Instant::now();
        method(black_box(&mut image));
        start.elapsed().as_secs_f64() * 1e6
    };
    (0..RUNS).map(|_| time()).fold(f64::INFINITY, f64::min)
}
