//! How an image was fitted into the network's input, and the way back.

use super::error::Refused;
use super::plan::MAX_VALUE;

/// An image in the network's input: input px = image px * scale + pad.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Letterbox {
    /// Input pixels an image pixel.
    pub scale: f32,
    /// Left and upper margin, input px.
    pub pad: [f32; 2],
    /// Width and height of the image, px; boxes are clipped to it.
    pub size: [f32; 2],
}

impl Letterbox {
    /// No change: an image that is the network's input.
    pub fn identity(width: u32, height: u32) -> Self {
        Self { scale: 1.0, pad: [0.0; 2], size: [width as f32, height as f32] }
    }

    /// An image of `image` px, scaled by one factor and centred in an input of `input` px, as YOLOv5 does it: margins
    /// are whole pixels, the left and upper ones the smaller half.
    pub fn fit(image: [u32; 2], input: [u32; 2]) -> Self {
        let ratio = |axis: usize| f64::from(input[axis]) / f64::from(image[axis].max(1));
        let scale = if ratio(0) < ratio(1) { ratio(0) } else { ratio(1) };
        let pad = |axis: usize| {
            let rest = f64::from(input[axis]) - (f64::from(image[axis]) * scale).round_ties_even();
            (rest / 2.0 - 0.1).round_ties_even() as f32
        };
        Self { scale: scale as f32, pad: [pad(0), pad(1)], size: image.map(|side| side as f32) }
    }

    pub(super) fn check(&self, image: usize) -> Result<(), Refused> {
        let refuse = |message| Err(Refused::Letterbox { image, message });
        if !(self.scale > 0.0 && self.scale.is_finite()) {
            return refuse(format!("scale is {}: it must be above 0 and finite", self.scale));
        }
        if let Some(pad) = self.pad.iter().find(|pad| !(-MAX_VALUE..=MAX_VALUE).contains(*pad)) {
            return refuse(format!("pad is {pad}: it must lie within +-2^20 px"));
        }
        if let Some(side) = self.size.iter().find(|side| !(1.0..=MAX_VALUE).contains(*side)) {
            return refuse(format!("size is {side}: it must lie within 1 .. 2^20 px"));
        }
        Ok(())
    }

    /// A position along `axis` in the image, clipped to it.
    pub(super) fn restore(&self, position: f32, axis: usize) -> f32 {
        let [pad, size] = [self.pad[axis & 1], self.size[axis & 1]];
        let restored = (position - pad) / self.scale;
        let raised = if restored < 0.0 { 0.0 } else { restored };
        if size < raised { size } else { raised }
    }
}
