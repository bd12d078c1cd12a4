//! What the objects of a detector exclude in a frame.

use super::motion::Motion;
use crate::camera::Camera;
use crate::frame::StampNs;
use crate::mask::{Objects, Rectangle};
use crate::params::Params;

/// The pixels of the frame stamped `now_ns`, of `size` (width, height), that `objects` exclude: where they were seen, carried
/// along with the camera's turn since then as far as that is known.
pub(super) fn excluded(
    objects: Option<&Objects>,
    params: &Params,
    camera: Option<&Camera>,
    motion: &Motion,
    now_ns: StampNs,
    size: [u32; 2],
) -> Vec<Rectangle> {
    let holds = |objects: &&Objects| objects.hold_for(now_ns, size, params.detector_max_age_s);
    let Some(objects) = objects.filter(|_| params.detector_mask).filter(holds) else { return Vec::new() };
    let turn = motion.turn(params, objects.stamp_ns, now_ns);
    objects.excluded(turn.as_ref().zip(camera), params.detector_dilate_px)
}
