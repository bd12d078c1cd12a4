//! Why a frame was refused. A refusal is data: the frame is counted under [`Refusal::reason`] and the run goes on.

/// Why a frame yielded no features; every message names the field and its value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    #[error("image size is {width} x {height}: width and height must be at least 1")]
    ZeroSize { width: u32, height: u32 },
    #[error("image size is {width} x {height}: at least {least} x {least} pixels are needed")]
    TooSmall { width: u32, height: u32, least: u32 },
    #[error("encoding '{encoding}' is not supported; supported: {supported}")]
    UnknownEncoding { encoding: String, supported: String },
    #[error("step is {step} bytes: a row of {width} pixels in '{encoding}' takes {least}")]
    Step { step: u64, width: u32, encoding: &'static str, least: u64 },
    #[error("data has {len} bytes: {height} rows of step {step} take {expected}")]
    DataLength { len: u64, height: u32, step: u64, expected: u64 },
    #[error("image size is {width} x {height}: parameter image_size says {wanted_width} x {wanted_height}")]
    ConfiguredSize { width: u32, height: u32, wanted_width: i64, wanted_height: i64 },
    #[error("image size is {width} x {height}: the image of parameter mask_file is {mask_width} x {mask_height}")]
    MaskSize { width: u32, height: u32, mask_width: u32, mask_height: u32 },
    #[error("header.stamp is {stamp_ns} ns: the driver must stamp its images")]
    NoStamp { stamp_ns: i64 },
    #[error("header.stamp {stamp_ns} ns is that of the frame before")]
    RepeatedStamp { stamp_ns: i64 },
    #[error("image cannot be read: {message}")]
    Unreadable { message: String },
}

impl Refusal {
    /// The short name under which refusals are counted (`summary.json`, `/diagnostics`).
    pub fn reason(&self) -> &'static str {
        match self {
            Refusal::ZeroSize { .. } => "zero_size",
            Refusal::TooSmall { .. } => "too_small",
            Refusal::UnknownEncoding { .. } => "unknown_encoding",
            Refusal::Step { .. } => "step",
            Refusal::DataLength { .. } => "data_length",
            Refusal::ConfiguredSize { .. } => "configured_size",
            Refusal::MaskSize { .. } => "mask_size",
            Refusal::NoStamp { .. } => "no_stamp",
            Refusal::RepeatedStamp { .. } => "repeated_stamp",
            Refusal::Unreadable { .. } => "unreadable",
        }
    }
}
