//! The byte layout of the `features` topic, `sensor_msgs/PointCloud2`.

use crate::feature::Descriptor;
use crate::frontend::OutputPoint;

/// `sensor_msgs/PointField` datatypes.
pub const UINT8: u8 = 2;
pub const UINT32: u8 = 6;
pub const FLOAT32: u8 = 7;

/// Name and datatype of each field; four bytes each, in this order, little-endian.
pub const FIELDS: [(&str, u8); 12] = [
    ("x", FLOAT32),
    ("y", FLOAT32),
    ("z", FLOAT32),
    ("u", FLOAT32),
    ("v", FLOAT32),
    ("vx", FLOAT32),
    ("vy", FLOAT32),
    ("id", UINT32),
    ("age", UINT32),
    ("level", UINT32),
    ("score", FLOAT32),
    ("sigma", FLOAT32),
];

/// Bytes of one point.
pub const POINT_STEP: usize = 4 * FIELDS.len();
/// The field that `publish_descriptors` adds at the end: [`Descriptor::LEN`] times [`UINT8`].
pub const DESCRIPTOR_FIELD: &str = "descriptor";
/// Bytes of one point with its descriptor.
pub const DESCRIBED_STEP: usize = POINT_STEP + Descriptor::LEN;

/// Writes `points` into `data`, which has `points.len()` times `step` bytes; with [`DESCRIBED_STEP`], the descriptors as
/// well.
///
/// x, y, z is the point on the normalised plane (z = 1), or 0, 0, 0 where there is no bearing: uncalibrated, or outside
/// the validity of the camera model. Never NaN.
pub fn write(points: &[OutputPoint], descriptors: &[Descriptor], step: usize, data: &mut [u8]) {
    for (Descriptor(descriptor), bytes) in descriptors.iter().zip(data.chunks_exact_mut(step)) {
        if let Some(bytes) = bytes.get_mut(POINT_STEP..DESCRIBED_STEP) {
            bytes.copy_from_slice(descriptor);
        }
    }
    for (point, bytes) in points.iter().zip(data.chunks_exact_mut(step)) {
        let [x, y, z] = point.normalised.map_or([0.0; 3], |[x, y]| [x as f32, y as f32, 1.0]);
        let [vx, vy] = point.velocity.map(|v| v as f32);
        let feature = &point.feature;
        let words = [
            x.to_le_bytes(),
            y.to_le_bytes(),
            z.to_le_bytes(),
            feature.u.to_le_bytes(),
            feature.v.to_le_bytes(),
            vx.to_le_bytes(),
            vy.to_le_bytes(),
            // The low 32 bits identify a track among all that are alive.
            (point.id as u32).to_le_bytes(),
            point.age.to_le_bytes(),
            u32::from(feature.level).to_le_bytes(),
            (feature.score as f32).to_le_bytes(),
            point.sigma.to_le_bytes(),
        ];
        for (bytes, word) in bytes.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word);
        }
    }
}
