//! What leaves a frame, offline: the feature table, the summary of a run, and overlays (the node publishes these too).

mod features_csv;
pub mod overlay;
mod summary;
pub mod vins;

pub use features_csv::{DESCRIPTORS_FILE, FEATURES_HEADER, FeaturesCsv};
pub use summary::{Fallback, Run, Summary};
