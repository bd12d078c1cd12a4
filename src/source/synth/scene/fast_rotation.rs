//! A camera that is swung about.

use super::{Finish, Scene, block, swing, wave};
use crate::source::synth::trajectory::Trajectory;

/// 9 x 9 x 4 m with pillars; the camera stays within 0.2 m and turns at up to 186 degrees a second in yaw, 80 in pitch
/// and 43 in roll.
pub(super) const FAST_ROTATION: Scene = Scene {
    name: "fast_rotation",
    hull: block([-4.5, -4.5, 0.0], [4.5, 4.5, 4.0]),
    hull_finish: [Finish::FULL; 6],
    blocks: &[
        block([2.5, 1.5, 0.0], [3.0, 2.0, 4.0]),
        block([3.0, -2.6, 0.0], [4.2, -1.4, 1.2]),
        block([-0.5, 3.2, 0.0], [0.5, 3.8, 2.0]),
        block([-3.2, -0.4, 0.0], [-2.6, 0.2, 2.6]),
        block([-0.6, -3.9, 1.0], [0.8, -3.3, 4.0]),
    ],
    movers: &[],
    trajectory: Trajectory {
        position: [
            swing(0.0, &[wave(0.1, 1.1, 0.0)]),
            swing(0.0, &[wave(0.08, 1.3, 1.0)]),
            swing(1.8, &[wave(0.05, 1.7, 0.3)]),
        ],
        // 1.3 rad * 2.5 rad/s = 3.25 rad/s.
        yaw: swing(0.0, &[wave(1.3, 2.5, 0.0)]),
        pitch: swing(0.0, &[wave(0.4, 3.5, 0.6)]),
        roll: swing(0.0, &[wave(0.3, 2.5, 1.2)]),
    },
    texel: 0.004,
    seed: 6,
};
