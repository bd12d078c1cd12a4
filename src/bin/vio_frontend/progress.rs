//! How far a long run is.

use indicatif::{ProgressBar, ProgressStyle};

/// Shown on a terminal only.
pub fn progress_bar(frames: usize) -> ProgressBar {
    let bar = ProgressBar::new(frames as u64);
    match ProgressStyle::with_template("{bar:40} {pos}/{len} frames, {per_sec}, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
