//! Writes what the plain detector's first stages make of an image: `stages IMAGE FOLDER [TMIN [COUNT]]`.
//!
//! `level<l>.u8`: pixels, `strength<l>.u8`: V where V > TMIN, else 0 (contract C4); row-major, one byte a pixel, level
//! sizes halved and rounded down. `features.csv`: half_x, half_y, level, class, score, u, v in the order of C7. For
//! comparison with other programs, as in tests/oracle/opencv.py.

use std::fmt::Write as _;
use std::path::Path;

use vio_frontend::detect::plain::PlainDetector;
use vio_frontend::detect::{DetectSettings, Gain};
use vio_frontend::image::GrayImage;
use vio_frontend::params::Params;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, folder, rest @ ..] = &arguments[..] else {
        return Err("usage: stages IMAGE FOLDER [TMIN [COUNT]]".into());
    };
    let mut settings = DetectSettings::from(&Params::default());
    if let Some(tmin) = rest.first() {
        settings.threshold_min = tmin.parse()?;
        settings.threshold_max = settings.threshold_max.max(settings.threshold_min);
    }
    if let Some(count) = rest.get(1) {
        settings.target = count.parse()?;
    }
    let image = GrayImage::decode(&std::fs::read(file)?)?;
    let mut detector = PlainDetector::new();
    let detection = detector.detect(&image, None, &settings, &mut Gain::default());

    let folder = Path::new(folder);
    std::fs::create_dir_all(folder)?;
    let stages = detector.stages();
    for (l, (level, strength)) in stages.pyramid.levels(&image).zip(&stages.strengths).enumerate() {
        std::fs::write(folder.join(format!("level{l}.u8")), level.pixels())?;
        std::fs::write(folder.join(format!("strength{l}.u8")), strength.pixels())?;
    }
    let mut csv = "half_x,half_y,level,class,score,u,v\n".to_owned();
    for f in &detection.features {
        writeln!(csv, "{},{},{},{},{},{},{}", f.half_x, f.half_y, f.level, f.class, f.score, f.u, f.v)?;
    }
    std::fs::write(folder.join("features.csv"), csv)?;
    Ok(())
}
