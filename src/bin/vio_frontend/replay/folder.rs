//! The files of a run.

use std::fs::{self, File};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};
use vio_frontend::frontend::FrameOutput;
use vio_frontend::image::GrayImage;
use vio_frontend::mask::Mask;
use vio_frontend::output::overlay::{self, PixelOrder, Trails};
use vio_frontend::output::{DESCRIPTORS_FILE, FeaturesCsv, Summary};

use super::report::Report;

/// The output folder of a run, open for writing.
pub struct OutFolder {
    path: PathBuf,
    features: FeaturesCsv<BufWriter<File>>,
    /// Made with the first descriptor that comes.
    descriptors: Option<BufWriter<File>>,
    overlays: Option<Overlays>,
    report: Option<Report>,
    trails: Trails,
    /// The drawing buffer, used again for every frame.
    canvas: Vec<u8>,
}

struct Overlays {
    path: PathBuf,
    written: usize,
}

impl OutFolder {
    /// Creates the folder and its files; `frames` is the number that will come.
    ///
    /// Errors: whatever cannot be created, with its path.
    pub fn create(path: &Path, overlay: bool, report: bool, frames: usize) -> anyhow::Result<Self> {
        fs::create_dir_all(path).with_context(|| format!("cannot create {}", path.display()))?;
        // Those of an earlier run would not fit the new features.
        let stale = path.join(DESCRIPTORS_FILE);
        match fs::remove_file(&stale) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot remove {}", stale.display()));
            }
            _ => (),
        }
        let features = path.join("features.csv");
        let open = || FeaturesCsv::new(BufWriter::new(File::create(&features)?));
        Ok(Self {
            features: open().with_context(|| format!("cannot write {}", features.display()))?,
            descriptors: None,
            overlays: if overlay { Some(Overlays::create(path.join("overlay"))?) } else { None },
            report: report.then(|| Report::new(frames)),
            path: path.to_owned(),
            trails: Trails::default(),
            canvas: Vec::new(),
        })
    }

    /// Writes frame number `index`, overlays with `mask`; features only where `freq` publishes them.
    pub fn frame(
        &mut self,
        index: usize,
        output: &FrameOutput,
        image: &GrayImage,
        mask: Option<&Mask>,
    ) -> anyhow::Result<()> {
        if output.publish {
            let path = || format!("cannot write {}", self.path.join("features.csv").display());
            self.features.write(output).with_context(path)?;
            self.describe(output)
                .with_context(|| format!("cannot write {}", self.path.join(DESCRIPTORS_FILE).display()))?;
        }
        let sampled = self.report.as_mut().is_some_and(|report| report.frame(index, output));
        if output.tracking.is_some() {
            self.trails.extend(&output.points);
        }
        if self.overlays.is_none() && !sampled {
            return Ok(());
        }
        let trails = output.tracking.as_ref().map(|_| &self.trails);
        overlay::draw(image, mask, &output.points, trails, PixelOrder::Rgb, &mut self.canvas);
        let png = encode(&self.canvas, output.size).context("cannot encode the overlay")?;
        if let Some(overlays) = &mut self.overlays {
            overlays.write(index, output.stamp_ns, &png)?;
        }
        if sampled && let Some(report) = &mut self.report {
            report.sample(index, output.stamp_ns, &png);
        }
        Ok(())
    }

    fn describe(&mut self, output: &FrameOutput) -> std::io::Result<()> {
        if self.descriptors.is_none() && !output.descriptors.is_empty() {
            self.descriptors = Some(BufWriter::new(File::create(self.path.join(DESCRIPTORS_FILE))?));
        }
        let Some(file) = &mut self.descriptors else { return Ok(()) };
        output.descriptors.iter().try_for_each(|descriptor| file.write_all(&descriptor.0))
    }

    /// Closes everything. Yields what was written.
    pub fn finish(self, summary: &Summary) -> anyhow::Result<Vec<String>> {
        let name = |file: &str| self.path.join(file).display().to_string();
        let (features, summary_file, report_file) = (name("features.csv"), name("summary.json"), name("report.html"));
        self.features.finish().with_context(|| format!("cannot write {features}"))?;
        let mut text = serde_json::to_string_pretty(summary)?;
        text.push('\n');
        fs::write(&summary_file, text).with_context(|| format!("cannot write {summary_file}"))?;
        let mut written = vec![features, summary_file];
        if let Some(mut file) = self.descriptors {
            let path = name(DESCRIPTORS_FILE);
            file.flush().with_context(|| format!("cannot write {path}"))?;
            written.push(path);
        }
        if let Some(overlays) = self.overlays {
            written.push(format!("{} ({} images)", overlays.path.display(), overlays.written));
        }
        if let Some(report) = self.report {
            fs::write(&report_file, report.html(summary)?).with_context(|| format!("cannot write {report_file}"))?;
            written.push(report_file);
        }
        Ok(written)
    }
}

impl Overlays {
    /// Creates the folder, or empties it of the overlays of an earlier run; other files stay.
    fn create(path: PathBuf) -> anyhow::Result<Self> {
        let prepare = || {
            fs::create_dir_all(&path)?;
            for entry in fs::read_dir(&path)? {
                let entry = entry?;
                if is_overlay_name(&entry.file_name().to_string_lossy()) {
                    fs::remove_file(entry.path())?;
                }
            }
            std::io::Result::Ok(())
        };
        prepare().with_context(|| format!("cannot prepare {}", path.display()))?;
        Ok(Self { path, written: 0 })
    }

    fn write(&mut self, index: usize, stamp_ns: i64, png: &[u8]) -> anyhow::Result<()> {
        let path = self.path.join(format!("{index:06}_{stamp_ns}.png"));
        fs::write(&path, png).with_context(|| format!("cannot write {}", path.display()))?;
        self.written += 1;
        Ok(())
    }
}

/// `index_stamp.png`, as [`Overlays::write`] names its files.
fn is_overlay_name(name: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    name.strip_suffix(".png").and_then(|stem| stem.split_once('_')).is_some_and(|(i, s)| digits(i) && digits(s))
}

fn encode(rgb: &[u8], [width, height]: [u32; 2]) -> image::ImageResult<Vec<u8>> {
    let mut png = Vec::new();
    // Fast: overlays are written by the hundred and looked at once.
    PngEncoder::new_with_quality(&mut png, CompressionType::Fast, FilterType::Sub).write_image(
        rgb,
        width,
        height,
        ExtendedColorType::Rgb8,
    )?;
    Ok(png)
}
