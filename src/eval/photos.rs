//! The protocol on photos.
//!
//! - *Precision*: the photo is reduced three times by area averaging, once from (0, 0) and, for each level l, from
//!   offsets of one and two times 2^l source pixels along x, y and both: points of level l move by exact thirds of
//!   their own pixel. Points are matched to the nearest of the same level within 1.5 of its pixels, mutually.
//! - *Bias*: the photo against itself turned by 180 degrees.
//! - *Repeatability*: the photo against its [`CHANGES`], a pair being mutually nearest within 3 level-0 pixels.

use super::changes::{CHANGES, even, reduced, turned};
use super::figures::Figures;
use super::judge::{Sums, level_answers};
use super::{Answer, Detector, DetectorError, LEVELS};
use crate::image::GrayImage;

/// Factor of the reduction, and so the parts that a pixel is divided into.
const REDUCTION: usize = 3;
/// Source pixels left free for the greatest offset.
const SLACK: usize = (REDUCTION - 1) << (LEVELS - 1);
/// Least side of a photo, px: reduced it must hold points of every level.
pub const LEAST_SIDE: usize = 200;

/// The sums over photos.
#[derive(Clone, Debug)]
pub struct Photos {
    wanted: usize,
    sums: Vec<Sums>,
}

impl Photos {
    /// For `detectors` detectors, each asked for `wanted` points an image.
    pub fn new(detectors: usize, wanted: usize) -> Self {
        Self { wanted, sums: vec![Sums::default(); detectors] }
    }

    /// Judges the detectors on one photo, with sides of [`LEAST_SIDE`] or more; the first decides how many points of
    /// each level count for precision.
    ///
    /// Errors: those of a detector.
    pub fn add(&mut self, photo: &GrayImage, detectors: &mut [Box<dyn Detector>]) -> Result<(), DetectorError> {
        self.precision(photo, detectors)?;
        detectors.iter_mut().for_each(|detector| detector.begin(photo, self.wanted));
        self.bias(photo, detectors)?;
        self.repeatability(photo, detectors)
    }

    /// The figures of each detector over the photos so far.
    pub fn figures(&self, detectors: &[Box<dyn Detector>]) -> Vec<Figures> {
        let pairs = self.sums.iter().zip(detectors);
        pairs.map(|(sums, detector)| sums.figures(detector.name(), self.wanted)).collect()
    }

    fn precision(&mut self, photo: &GrayImage, detectors: &mut [Box<dyn Detector>]) -> Result<(), DetectorError> {
        let size = [photo.width(), photo.height()].map(|side| (side - SLACK) / REDUCTION);
        let still = reduced(photo, [0, 0], size[0], size[1]);
        detectors.iter_mut().for_each(|detector| detector.begin(&still, self.wanted));
        let first = level_answers(detectors, &still, self.wanted)?;
        for level in 0..LEVELS {
            for thirds in 1..REDUCTION {
                for axes in [[1, 0], [0, 1], [1, 1]] {
                    let offset = axes.map(|axis| (axis * thirds) << level);
                    let moved = reduced(photo, offset, size[0], size[1]);
                    let second = level_answers(detectors, &moved, self.wanted)?;
                    let motion = offset.map(|d| d as f64 / REDUCTION as f64);
                    for ((sums, first), second) in self.sums.iter_mut().zip(&first).zip(&second) {
                        sums.add_pairs(level, [first, second], size, |[u, v]| Some([u - motion[0], v - motion[1]]));
                    }
                }
            }
        }
        Ok(())
    }

    fn bias(&mut self, photo: &GrayImage, detectors: &mut [Box<dyn Detector>]) -> Result<(), DetectorError> {
        let photo = even(photo);
        let first = level_answers(detectors, &photo, self.wanted)?;
        let second = level_answers(detectors, &turned(&photo), self.wanted)?;
        for ((sums, first), second) in self.sums.iter_mut().zip(&first).zip(&second) {
            sums.add_turned([first, second], [photo.width(), photo.height()]);
        }
        Ok(())
    }

    fn repeatability(&mut self, photo: &GrayImage, detectors: &mut [Box<dyn Detector>]) -> Result<(), DetectorError> {
        let mut first: Vec<Answer> = Vec::new();
        for (sums, detector) in self.sums.iter_mut().zip(detectors.iter_mut()) {
            let answer = detector.detect(photo, self.wanted)?;
            sums.add_image(&answer, photo);
            first.push(answer);
        }
        let size = [photo.width(), photo.height()];
        for change in &CHANGES {
            let changed = change.apply(photo);
            for ((sums, detector), first) in self.sums.iter_mut().zip(detectors.iter_mut()).zip(&first) {
                let second = detector.detect(&changed, self.wanted)?;
                let names = [change.name, change.kind];
                sums.add_repeats(names, [first, &second], size, |point| change.move_point(point, photo));
            }
        }
        Ok(())
    }
}
