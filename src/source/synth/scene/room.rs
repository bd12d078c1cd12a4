//! A furnished room.

use super::{Finish, Scene, block, swing, wave};
use crate::source::synth::trajectory::{Coordinate, Trajectory};

/// 7 x 6 x 3.2 m with a pillar, a table, a crate and a lamp; the camera drifts about the middle and turns round.
pub(super) const ROOM: Scene = Scene {
    name: "room",
    hull: block([-3.5, -3.0, 0.0], [3.5, 3.0, 3.2]),
    hull_finish: [Finish::FULL; 6],
    blocks: &[
        block([2.0, 1.3, 0.0], [2.5, 1.8, 3.2]),
        block([-2.7, -2.5, 0.0], [-1.4, -1.5, 0.9]),
        block([1.5, -2.4, 0.0], [2.3, -1.7, 1.3]),
        block([-0.9, 1.9, 2.1], [-0.3, 2.4, 3.2]),
    ],
    movers: &[],
    trajectory: Trajectory {
        position: [
            swing(0.0, &[wave(0.9, 0.5, 0.0)]),
            swing(0.0, &[wave(0.7, 0.7, 1.0)]),
            swing(1.5, &[wave(0.2, 0.9, 0.3)]),
        ],
        yaw: Coordinate { offset: 0.3, rate: 0.35, waves: &[wave(0.25, 0.8, 0.0)] },
        pitch: swing(0.0, &[wave(0.1, 1.1, 0.0)]),
        roll: swing(0.0, &[wave(0.12, 0.9, 0.5)]),
    },
    texel: 0.004,
    seed: 1,
};
