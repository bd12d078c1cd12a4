//! A compiled program as bytes: PTX, which a driver assembles, or a cubin for one architecture.

use std::borrow::Cow;
use std::fmt;

/// What the bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImageKind {
    /// Text; assembled by any driver that knows its version.
    Ptx,
    /// Machine code of one architecture.
    Cubin,
}

impl fmt::Display for ImageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ptx => "PTX",
            Self::Cubin => "cubin",
        })
    }
}

/// A compiled program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    pub kind: ImageKind,
    /// Without the zero that the driver wants after PTX.
    pub bytes: Cow<'static, [u8]>,
}

impl Image {
    /// The bytes with a zero after them.
    pub(super) fn with_zero(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.bytes.len() + 1);
        bytes.extend_from_slice(&self.bytes);
        bytes.push(0);
        bytes
    }
}

/// Bytes of the one parameter of a kernel, where the image is PTX that says so.
pub fn parameter_bytes(image: &Image, kernel: &str) -> Option<usize> {
    if image.kind != ImageKind::Ptx {
        return None;
    }
    let text = std::str::from_utf8(&image.bytes).ok()?;
    let entry = text.split(".entry ").skip(1).find(|part| part.strip_prefix(kernel).is_some_and(starts_parameters))?;
    let parameters = entry.split_once('(')?.1.split_once(')')?.0;
    // `.param .align 8 .b8 detect_param_0[304]`
    let mut declared = parameters.split(".param").skip(1);
    let (first, more) = (declared.next()?, declared.next());
    let size = first.split_once('[')?.1.split_once(']')?.0.parse().ok()?;
    more.is_none().then_some(size)
}

fn starts_parameters(after_name: &str) -> bool {
    after_name.trim_start().starts_with('(')
}
