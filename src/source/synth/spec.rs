//! A simulated sequence as one line of text: `NAME` or `NAME?KEY=VALUE&KEY=VALUE`.

use super::effects::Effects;
use super::{Synth, SynthError, SynthOptions};
use crate::params::nearest;

/// The name, and `options` with what the line says over them.
///
/// Errors: an unknown key, with the nearest known one; a value that is none.
pub(super) fn parse<'a>(line: &'a str, options: &SynthOptions) -> Result<(&'a str, SynthOptions), SynthError> {
    let mut options = options.clone();
    let Some((name, pairs)) = line.split_once('?') else { return Ok((line, options)) };
    for pair in pairs.split('&') {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        if key == "frames" {
            options.frames = value.parse().map_err(|_| SynthError::Option {
                name: "frames",
                value: value.to_owned(),
                expected: "a number of images".to_owned(),
            })?;
        } else if Effects::NAMES.contains(&key) {
            options.effects.set(key, value)?;
        } else {
            let known: Vec<&'static str> = std::iter::once("frames").chain(Effects::NAMES).collect();
            return Err(SynthError::unknown_option(key, &known));
        }
    }
    Ok((name, options))
}

impl Synth {
    /// Scene and effects in one line, as [`Synth::new`] reads them.
    pub fn line(&self) -> String {
        let effects = self.effects.to_string();
        if effects.is_empty() { self.name().to_owned() } else { format!("{}?{effects}", self.name()) }
    }
}

impl SynthError {
    pub(super) fn unknown_option(name: &str, known: &[&'static str]) -> Self {
        let nearest = nearest(name, known).map(|n| format!(", did you mean '{n}'?")).unwrap_or_default();
        Self::UnknownOption { name: name.to_owned(), nearest, known: known.join(", ") }
    }
}
