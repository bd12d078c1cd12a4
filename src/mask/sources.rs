//! The static masks of a stream and their combination for the current image size.

use std::path::Path;

use super::{Mask, Rectangle};
use crate::error::Refusal;
use crate::image::GrayImage;
use crate::params::{MaskPolarity, Params};

/// A mask file that cannot be used; the message names parameter and file.
#[derive(Debug, thiserror::Error)]
#[error("parameter 'mask_file': '{path}': {message}")]
pub struct MaskError {
    path: String,
    message: String,
}

/// Everything that excludes features, and the mask made from it.
#[derive(Debug)]
pub struct Masks {
    use_mask: bool,
    polarity: MaskPolarity,
    /// Top, bottom, left, right, px.
    borders: [usize; 4],
    file: Option<GrayImage>,
    received: Option<GrayImage>,
    /// The combination for the size of the last frame, without what moves.
    combined: Option<Mask>,
    /// That and the objects of the last frame that had any.
    with_objects: Mask,
    last: Last,
}

/// Which mask the last frame had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    None,
    Combined,
    WithObjects,
}

impl Masks {
    /// Reads `mask_file`. Errors: the file is missing or no image.
    pub fn new(params: &Params) -> Result<Self, MaskError> {
        Ok(Self {
            use_mask: params.use_mask,
            polarity: params.mask_polarity,
            borders: [
                params.mask_border_top,
                params.mask_border_bottom,
                params.mask_border_left,
                params.mask_border_right,
            ]
            .map(|n| n as usize),
            file: if params.mask_file.is_empty() { None } else { Some(read(Path::new(&params.mask_file))?) },
            received: None,
            combined: None,
            with_objects: Mask::default(),
            last: Last::None,
        })
    }

    /// Takes over the mask that was received before the parameters changed.
    pub fn keep_received(&mut self, before: Masks) {
        self.received = before.received;
    }

    /// Replaces the mask received at run time; it holds for images of its size.
    pub fn receive(&mut self, mask: GrayImage) {
        self.received = Some(mask);
        self.combined = None;
    }

    /// The mask for an image of this size that shows `objects`; `None` if nothing is excluded.
    ///
    /// Errors: `mask_file` has another size. A received mask of another size is left out: it belongs to frames before a
    /// size change.
    pub fn for_frame(&mut self, size: [u32; 2], objects: &[Rectangle]) -> Result<Option<&Mask>, Refusal> {
        let [width, height] = size.map(|n| n as usize);
        let is_active = self.is_active();
        if is_active && self.combined.as_ref().is_none_or(|m| (m.width(), m.height()) != (width, height)) {
            self.combined = Some(self.combine(width, height)?);
        }
        self.last = if is_active { Last::Combined } else { Last::None };
        if !objects.is_empty() {
            let base = self.combined.as_ref().filter(|_| is_active);
            self.with_objects.renew(base, [width, height], objects);
            self.last = Last::WithObjects;
        }
        Ok(self.last())
    }

    /// The mask of the last frame.
    pub fn last(&self) -> Option<&Mask> {
        match self.last {
            Last::None => None,
            Last::Combined => self.combined.as_ref(),
            Last::WithObjects => Some(&self.with_objects),
        }
    }

    fn is_active(&self) -> bool {
        self.borders != [0; 4] || self.use_mask && (self.file.is_some() || self.received.is_some())
    }

    fn combine(&self, width: usize, height: usize) -> Result<Mask, Refusal> {
        let mut mask = Mask::all(width, height);
        let [top, bottom, left, right] = self.borders;
        mask.exclude_where(|x, y| {
            x < left || y < top || x >= width.saturating_sub(right) || y >= height.saturating_sub(bottom)
        });
        if !self.use_mask {
            return Ok(mask);
        }
        let excludes = |value: u8| (value == 0) == (self.polarity == MaskPolarity::ZeroExcludes);
        if let Some(file) = &self.file {
            if (file.width(), file.height()) != (width, height) {
                return Err(Refusal::MaskSize {
                    width: width as u32,
                    height: height as u32,
                    mask_width: file.width() as u32,
                    mask_height: file.height() as u32,
                });
            }
            mask.exclude_where(|x, y| excludes(file.at(x, y)));
        }
        if let Some(received) = self.received.as_ref().filter(|m| (m.width(), m.height()) == (width, height)) {
            mask.exclude_where(|x, y| excludes(received.at(x, y)));
        }
        Ok(mask)
    }
}

fn read(path: &Path) -> Result<GrayImage, MaskError> {
    let error = |message: String| MaskError { path: path.display().to_string(), message };
    let bytes = std::fs::read(path).map_err(|e| error(e.to_string()))?;
    GrayImage::decode(&bytes).map_err(error)
}
