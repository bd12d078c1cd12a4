//! What a network puts out, as numbers or as bytes.

use half::f16;
use half::slice::HalfFloatSliceExt;

use super::error::Refused;

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    F32,
    F16,
}

impl Element {
    /// Size, bytes.
    pub fn bytes(self) -> usize {
        match self {
            Self::F32 => size_of::<f32>(),
            Self::F16 => size_of::<f16>(),
        }
    }
}

impl std::fmt::Display for Element {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::F32 => "float32",
            Self::F16 => "float16",
        })
    }
}

/// The values of a batch, without gaps, the last dimension of the shape fastest.
#[derive(Clone, Copy, Debug)]
pub enum Tensor<'a> {
    F32(&'a [f32]),
    F16(&'a [f16]),
}

impl<'a> Tensor<'a> {
    pub fn element(&self) -> Element {
        match self {
            Self::F32(_) => Element::F32,
            Self::F16(_) => Element::F16,
        }
    }

    /// Its values as bytes, in the order of this machine.
    pub fn bytes(&self) -> &'a [u8] {
        match *self {
            Self::F32(values) => bytemuck::cast_slice(values),
            Self::F16(values) => bytemuck::cast_slice(values),
        }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::F16(values) => values.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A value as it lies in a tensor.
pub(super) trait Value: Copy {
    /// The same as f32.
    fn wide(self) -> f32;

    /// The same as f32: themselves, or in `room`, as many as fit it.
    fn widened<'a>(values: &'a [Self], room: &'a mut [f32]) -> &'a [f32];
}

impl Value for f32 {
    fn wide(self) -> f32 {
        self
    }

    fn widened<'a>(values: &'a [Self], _room: &'a mut [f32]) -> &'a [f32] {
        values
    }
}

impl Value for f16 {
    fn wide(self) -> f32 {
        self.to_f32()
    }

    fn widened<'a>(values: &'a [Self], room: &'a mut [f32]) -> &'a [f32] {
        let count = values.len().min(room.len());
        let (room, values) = (room.get_mut(..count).unwrap_or_default(), values.get(..count).unwrap_or_default());
        values.convert_to_f32_slice(room);
        room
    }
}

/// Whether `bytes` bytes are those of `shape` in `element`.
pub(super) fn check_length(bytes: usize, shape: &[usize], element: Element) -> Result<(), Refused> {
    let values: usize = shape.iter().product();
    let (expected, shape) = (values * element.bytes(), shape.to_vec());
    let seems = [Element::F32, Element::F16].into_iter().find(|other| values * other.bytes() == bytes);
    match seems {
        Some(seems) if seems == element => Ok(()),
        Some(seems) => Err(Refused::WrongElement { bytes, shape, element, seems }),
        None => Err(Refused::Length { bytes, shape, element, expected }),
    }
}
