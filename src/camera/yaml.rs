//! What all calibration files have in common: dialects of YAML, misspelt keys, arrays of fixed length.

use std::collections::BTreeMap;
use std::path::Path;

use serde::de::{DeserializeOwned, IgnoredAny};

use super::{CalibrationError, CameraError};

/// Keys of one map, values unread.
pub(super) type Keys = BTreeMap<String, IgnoredAny>;

/// The text of a file; bytes that are no UTF-8 become replacement characters, which only comments may hold.
pub(super) fn read_text(path: &Path) -> Result<String, CalibrationError> {
    let bytes =
        std::fs::read(path).map_err(|error| CalibrationError::Io { path: path.display().to_string(), error })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Rewrites what OpenCV's YAML has and YAML has not: the header `%YAML:1.0` and the matrix tag. Lines keep their
/// numbers.
///
/// Errors: an empty file; a tab, whose line is named.
pub(super) fn to_yaml(text: &str) -> Result<String, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let body = match text.split_once('\n') {
        Some((header, rest)) if header.starts_with("%YAML") => format!("\n{rest}"),
        _ => text.to_owned(),
    };
    if body.trim().is_empty() {
        return Err("the file is empty".to_owned());
    }
    for (line, number) in body.lines().zip(1..) {
        if line.split('#').next().is_some_and(|content| content.trim_end().contains('\t')) {
            return Err(format!("line {number} holds a tab; YAML indents and separates with spaces"));
        }
    }
    Ok(body.replace("!!opencv-matrix", ""))
}

/// YAML as `T`; the error is the parser's text.
pub(super) fn parse<T: DeserializeOwned>(yaml: &str) -> Result<T, String> {
    serde_yaml::from_str(yaml).map_err(|error| error.to_string())
}

/// Unknown keys are comments to us, but one that is a known key with up to two letters wrong, where that key is
/// missing, would lose what it says.
pub(super) fn check_spelling(found: &Keys, known: &[&'static str]) -> Result<(), CameraError> {
    for key in found.keys().filter(|key| key.len() >= 5 && !known.contains(&key.as_str())) {
        let meant = |k: &&&str| strsim::osa_distance(key, k) <= 2 && !found.contains_key(**k);
        if let Some(nearest) = known.iter().find(meant) {
            return Err(CameraError::UnknownKey { key: key.clone(), nearest });
        }
    }
    Ok(())
}

/// Exactly `N` values.
pub(super) fn array<T: Copy + std::fmt::Debug, const N: usize>(
    values: &[T],
    field: &'static str,
    expected: &'static str,
) -> Result<[T; N], CameraError> {
    values.try_into().map_err(|_| CameraError::Field { field, value: format!("{values:?}"), expected })
}
