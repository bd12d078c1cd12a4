//! The byte layout of the `detections` topic, `sensor_msgs/PointCloud2`.

use super::points::{FLOAT32, UINT32};
use crate::detections::Detection;

/// Name and datatype of each field; four bytes each, in this order, little-endian.
pub const FIELDS: [(&str, u8); 6] =
    [("x1", FLOAT32), ("y1", FLOAT32), ("x2", FLOAT32), ("y2", FLOAT32), ("score", FLOAT32), ("class", UINT32)];

/// Bytes of a box.
pub const STEP: usize = 4 * FIELDS.len();

/// Writes `boxes` into `data`, which has `boxes.len()` times [`STEP`] bytes: edges in pixels of the image, the score, the
/// number of the class.
pub fn write(boxes: &[Detection], data: &mut [u8]) {
    for (found, bytes) in boxes.iter().zip(data.chunks_exact_mut(STEP)) {
        let words = [
            found.x1.to_le_bytes(),
            found.y1.to_le_bytes(),
            found.x2.to_le_bytes(),
            found.y2.to_le_bytes(),
            found.score.to_le_bytes(),
            found.class.to_le_bytes(),
        ];
        bytes.chunks_exact_mut(4).zip(words).for_each(|(bytes, word)| bytes.copy_from_slice(&word));
    }
}
