//! The detector against its contract: a naive second implementation, properties, golden digests, counts on real data.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod campaign;
mod descriptors;
mod golden;
mod images;
mod naive;
mod properties;
mod special;
