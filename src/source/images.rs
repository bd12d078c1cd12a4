//! A folder of images, and the layout of the TUM RGB-D data set.

use std::path::{Path, PathBuf};

use super::recorded::{FrameFile, Recorded};
use super::{SourceError, stamp};
use crate::frame::StampNs;

/// Interval and first stamp of images whose names are no times: 20 Hz, and no frame may be stamped 0.
const INTERVAL_NS: StampNs = 50_000_000;

/// The PNG and JPEG files of `folder` in natural order of their names (9 before 10). Names that all look like times
/// are the stamps, otherwise images come 50 ms apart.
///
/// Errors: an unreadable folder.
pub(super) fn open(folder: &Path) -> Result<Recorded, SourceError> {
    let files = image_files(folder)?;
    let named: Option<Vec<StampNs>> = files.iter().map(|path| stamp::from_name(&stem(path))).collect();
    let stamps = named.unwrap_or_else(|| (1..).map(|k| k * INTERVAL_NS).take(files.len()).collect());
    let frames = stamps.into_iter().zip(files).map(|(stamp_ns, path)| FrameFile { stamp_ns, file: Ok(path) }).collect();
    Ok(Recorded { frames, ..Recorded::default() })
}

/// The PNG and JPEG files directly below `folder`, in natural order of their names.
///
/// Errors: an unreadable folder.
pub fn image_files(folder: &Path) -> Result<Vec<PathBuf>, SourceError> {
    let unreadable = |error| SourceError::Read { path: folder.to_owned(), error };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        if matches!(extension.as_deref(), Some("png" | "jpg" | "jpeg")) && !path.is_dir() {
            files.push(path);
        }
    }
    files.sort_by(|a, b| alphanumeric_sort::compare_path(a, b));
    Ok(files)
}

/// File name without extension.
pub(super) fn stem(path: &Path) -> String {
    path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
}

/// `rgb.txt` of a TUM RGB-D folder: lines of `seconds file`, `#` begins a comment.
///
/// Errors: an unreadable listing. A damaged line is a frame that cannot be read.
pub(super) fn open_tum(folder: &Path) -> Result<Recorded, SourceError> {
    let listing = folder.join("rgb.txt");
    let text = std::fs::read(&listing).map_err(|error| SourceError::Read { path: listing.clone(), error })?;
    let mut recorded = Recorded::default();
    for (number, line) in String::from_utf8_lossy(&text).lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (time, file) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let damaged = |what: &str| format!("{}:{}: {what} in '{line}'", listing.display(), number + 1);
        let stamp = stamp::from_decimal_seconds(time);
        recorded.frames.push(FrameFile {
            stamp_ns: stamp.unwrap_or_default(),
            file: match (stamp, file.trim()) {
                (None, _) => Err(damaged("no time in seconds")),
                (_, "") => Err(damaged("no file name")),
                (_, file) => Ok(folder.join(file)),
            },
        });
    }
    Ok(recorded)
}
