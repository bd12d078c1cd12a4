//! What stands between a scene and a clean image: light that changes, motion blur, noise.
//!
//! An image is the mean of sub-exposures, times the light, plus noise, rounded once. Grey levels are held in 256ths, in
//! integers from the mean on. The truth is that of the middle of the exposure, which is the image's stamp.

mod light;
mod noise;

use std::fmt;

pub use light::Light;
pub(super) use noise::Noise;

use super::{FRAME_PERIOD_NS, SynthError};
use crate::frame::StampNs;

/// Longest exposure: the time between two images, ns.
const LONGEST_NS: StampNs = FRAME_PERIOD_NS;
/// Strongest noise, grey levels.
const STRONGEST: f64 = 50.0;

/// Effects on the images of a simulation. The default is none of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effects {
    pub light: Light,
    /// Exposure time of motion blur, ns; 0 for an instant, at most the time between two images.
    pub blur_ns: StampNs,
    /// Standard deviation of each pixel's noise, grey levels, 0 to 50; rows have a quarter of it on top, twice: anew in
    /// each image, and the same in all.
    pub noise: f64,
}

impl Effects {
    /// What [`Effects::set`] knows.
    pub const NAMES: [&'static str; 3] = ["light", "blur", "noise"];

    /// Sets the effect `name` from text: light by one of [`Light::NAMES`], blur by its exposure time (`8ms`, `500us`),
    /// noise by its standard deviation in grey levels.
    ///
    /// Errors: another name, with the nearest known one; a value that is none.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SynthError> {
        match name {
            "light" => self.light = Light::parse(value)?,
            "blur" => self.blur_ns = exposure_ns(value).ok_or_else(|| blur_error(value))?,
            "noise" => self.noise = value.parse().map_err(|_| noise_error(value))?,
            _ => return Err(SynthError::unknown_option(name, &Self::NAMES)),
        }
        self.check()
    }

    /// Errors: a value out of range.
    pub(super) fn check(&self) -> Result<(), SynthError> {
        if !(0..=LONGEST_NS).contains(&self.blur_ns) {
            return Err(blur_error(&format!("{}us", self.blur_ns as f64 * 1e-3)));
        }
        if !(0.0..=STRONGEST).contains(&self.noise) {
            return Err(noise_error(&self.noise.to_string()));
        }
        Ok(())
    }

    /// Times of the sub-exposures from the stamp, ns: one for each millisecond of exposure, four at least, in the
    /// middles of equal parts.
    pub(super) fn exposures_ns(&self) -> impl ExactSizeIterator<Item = StampNs> + use<> {
        let blur_ns = self.blur_ns;
        let parts = if blur_ns == 0 { 1 } else { (blur_ns as usize).div_ceil(1_000_000).max(4) };
        (0..parts).map(move |i| blur_ns * (2 * i as StampNs + 1 - parts as StampNs) / (2 * parts as StampNs))
    }
}

/// As a line of text has them, `light=step&blur=8ms`; nothing where there are none.
impl fmt::Display for Effects {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let light = (self.light != Light::Steady).then(|| format!("light={}", self.light.name()));
        let blur = (self.blur_ns != 0).then(|| format!("blur={}ms", self.blur_ns as f64 / 1e6));
        let noise = (self.noise != 0.0).then(|| format!("noise={}", self.noise));
        f.write_str(&[light, blur, noise].into_iter().flatten().collect::<Vec<_>>().join("&"))
    }
}

/// `8ms`, `0.5ms`, `500us`, `0`.
fn exposure_ns(text: &str) -> Option<StampNs> {
    if text == "0" {
        return Some(0);
    }
    let (number, unit_ns) =
        text.strip_suffix("ms").map(|n| (n, 1e6)).or_else(|| text.strip_suffix("us").map(|n| (n, 1e3)))?;
    let number: f64 = number.parse().ok()?;
    // Out of range saturates and is refused by the check.
    number.is_finite().then_some((number * unit_ns).round() as StampNs)
}

fn blur_error(value: &str) -> SynthError {
    let expected = format!("an exposure time of 0 to {}ms, such as 8ms or 500us", LONGEST_NS / 1_000_000);
    SynthError::Option { name: "blur", value: value.to_owned(), expected }
}

fn noise_error(value: &str) -> SynthError {
    let expected = format!("a standard deviation of 0 to {STRONGEST} grey levels");
    SynthError::Option { name: "noise", value: value.to_owned(), expected }
}
