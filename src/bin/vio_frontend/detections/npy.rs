//! Reading a tensor from a .npy file.

use std::fs::File;
use std::io::{BufRead, BufReader, Seek};
use std::path::Path;

use anyhow::{Context, bail};
use half::f16;
use npyz::{DType, NpyFile, Order, TypeChar};
use vio_frontend::detections::{Element, MAX_ELEMENTS, Tensor};

/// A tensor of its own.
#[derive(Debug)]
pub struct Array {
    pub shape: Vec<usize>,
    values: Values,
}

#[derive(Debug)]
enum Values {
    F32(Vec<f32>),
    F16(Vec<f16>),
}

impl Array {
    pub fn tensor(&self) -> Tensor<'_> {
        match &self.values {
            Values::F32(values) => Tensor::F32(values),
            Values::F16(values) => Tensor::F16(values),
        }
    }

    pub fn element(&self) -> Element {
        self.tensor().element()
    }
}

/// A header is looked for in so many bytes, as many as version 1.0 of the format admits.
const HEADER: usize = 65536;

/// Whether the product of the numbers after `'shape': (` has 64 bits: npyz multiplies them unchecked.
fn has_countable_shape(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    let Some((_, shape)) = text.split_once("'shape'").and_then(|(_, rest)| rest.split_once('(')) else { return true };
    let sides = shape.split(')').next().unwrap_or_default().split(',').map(|side| side.trim().parse::<u64>());
    let mut known = sides.filter_map(Result::ok).map(|side| side.max(1));
    known.try_fold(8u64, |product, side| product.checked_mul(side)).is_some()
}

/// Reads a file; either byte order, C order.
///
/// Errors: no .npy file, another element, Fortran order, fewer or more bytes than the shape takes.
pub fn read(path: &Path) -> anyhow::Result<Array> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut reader = BufReader::with_capacity(HEADER, file);
    if !has_countable_shape(reader.fill_buf()?) {
        bail!("no NumPy array (.npy) of a shape that a file can have");
    }
    let header = npyz::NpyHeader::from_reader(&mut reader).context("no NumPy array (.npy)")?;
    let (dtype, shape) = (header.dtype(), header.shape().to_vec());
    let element = match &dtype {
        DType::Plain(kind) if kind.type_char() == TypeChar::Float && kind.size_field() == 4 => Element::F32,
        DType::Plain(kind) if kind.type_char() == TypeChar::Float && kind.size_field() == 2 => Element::F16,
        _ => bail!("values are {}: float32 or float16 is expected", dtype.descr()),
    };
    if header.order() == Order::Fortran && shape.len() > 1 {
        bail!("the array is in Fortran order: save numpy.ascontiguousarray of it");
    }
    // The header may say anything: no memory is asked for before the file has what it says.
    let values = shape.iter().try_fold(1u64, |product, &side| product.checked_mul(side));
    let expected = values.and_then(|values| values.checked_mul(element.bytes() as u64));
    let found = length.saturating_sub(reader.stream_position()?);
    if expected != Some(found) {
        bail!("shape {shape:?} in {element} does not take the {found} bytes after the header");
    }
    if values.is_none_or(|values| values > MAX_ELEMENTS as u64) {
        bail!("shape {shape:?} has more than {MAX_ELEMENTS} values");
    }
    let shape = shape.iter().map(|&side| side as usize).collect();
    let array = NpyFile::with_header(header, reader);
    let values = match element {
        Element::F32 => Values::F32(array.into_vec()?),
        Element::F16 => Values::F16(array.into_vec()?),
    };
    Ok(Array { shape, values })
}
