//! One entry: a line with the checksum of all that follows, a line that says what it is, then the image.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::gpu::image::{Image, ImageKind};

/// First line, before the checksum. The number changes with the format.
const MAGIC: &str = "vio_frontend compiled kernel 1 sha256 ";

/// Everything that a compiled program depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    meta: Meta,
}

/// What an entry says of itself: its second line, as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    pub program: String,
    pub kind: ImageKind,
    /// The options of the compiler, the architecture among them.
    pub options: Vec<String>,
    /// Version of NVRTC.
    pub nvrtc: (u32, u32),
    /// SHA-256 of the joined sources.
    pub sources: String,
    /// Of the structs that host and kernels share.
    pub abi: String,
}

/// Why bytes are not the entry that is wanted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    #[error("it is not a compiled kernel of this program's format")]
    Foreign,
    #[error("it is damaged: its checksum does not fit")]
    Damaged,
    #[error("it is of another program, compiler or architecture")]
    Other,
}

/// An entry that has been read and found whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub meta: Meta,
    bytes: Vec<u8>,
}

impl Key {
    /// The key of `program`, compiled from `text` (joined) with these options.
    pub fn new(program: &str, text: &str, kind: ImageKind, options: &[String], nvrtc: (u32, u32)) -> Self {
        Self {
            meta: Meta {
                program: program.to_owned(),
                kind,
                options: options.to_vec(),
                nvrtc,
                sources: hex(text.as_bytes()),
                abi: format!("{:08x}", crc32fast::hash(crate::gpu::abi::layout_assertions().as_bytes())),
            },
        }
    }

    /// What every entry under this key says of itself.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// The file's name without its extension: equal for equal keys alone.
    pub(super) fn file_stem(&self) -> String {
        let legible: String =
            self.meta.program.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(40).collect();
        let digest = hex(self.meta.line().as_bytes());
        format!("{legible}-{}", digest.get(..32).unwrap_or(&digest))
    }
}

impl Meta {
    /// One line of JSON.
    fn line(&self) -> String {
        // Strings, numbers and lists of them always have a JSON form.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Entry {
    /// The bytes of the file.
    pub fn encode(key: &Key, image: &Image) -> Vec<u8> {
        let mut rest = key.meta.line().into_bytes();
        rest.push(b'\n');
        rest.extend_from_slice(&image.bytes);
        let mut bytes = format!("{MAGIC}{}\n", hex(&rest)).into_bytes();
        bytes.append(&mut rest);
        bytes
    }

    /// Reads the bytes of a file.
    ///
    /// Errors: bytes that no entry has, or not this one any more.
    pub fn parse(bytes: &[u8]) -> Result<Self, EntryError> {
        let rest = bytes.strip_prefix(MAGIC.as_bytes()).ok_or(EntryError::Foreign)?;
        let (checksum, rest) = split_line(rest).ok_or(EntryError::Damaged)?;
        if hex(rest).as_bytes() != checksum {
            return Err(EntryError::Damaged);
        }
        let (meta, image) = split_line(rest).ok_or(EntryError::Foreign)?;
        let meta = serde_json::from_slice(meta).map_err(|_| EntryError::Foreign)?;
        Ok(Self { meta, bytes: image.to_vec() })
    }

    /// The image, if it is that of `key`.
    pub fn into_image(self, key: &Key) -> Result<Image, EntryError> {
        if self.meta == key.meta {
            Ok(Image { kind: self.meta.kind, bytes: self.bytes.into() })
        } else {
            Err(EntryError::Other)
        }
    }
}

fn split_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    Some((bytes.get(..end)?, bytes.get(end + 1..)?))
}

/// SHA-256 in hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
