//! A hall in which boxes move on their own.

use super::{Finish, Mover, Scene, block, centred, still, swing, wave};
use crate::source::synth::trajectory::{Coordinate, Trajectory};

/// 11 x 8 x 3.6 m; one box crosses, one circles and turns with its way, one spins in its place, one rises and falls;
/// the camera sways at one end and looks at them.
pub(super) const MOVING_OBJECTS: Scene = Scene {
    name: "moving_objects",
    hull: block([-2.0, -4.0, 0.0], [9.0, 4.0, 3.6]),
    hull_finish: [Finish::FULL; 6],
    blocks: &[
        block([7.0, -4.0, 0.0], [9.0, -2.6, 2.2]),
        block([6.0, 2.8, 0.0], [7.2, 4.0, 1.1]),
        block([2.2, 2.9, 0.0], [2.5, 3.2, 3.6]),
    ],
    movers: &[
        // 1.2 m/s at most, from side to side.
        Mover {
            block: centred([0.7, 0.7, 1.4]),
            position: [still(5.4), swing(0.0, &[wave(2.0, 0.6, 0.5)]), still(0.7)],
            yaw: still(0.3),
        },
        // A circle of 0.9 m radius, 0.63 m/s.
        Mover {
            block: centred([0.9, 0.5, 0.6]),
            position: [swing(3.2, &[wave(0.9, 0.7, 1.6)]), swing(-0.6, &[wave(0.9, 0.7, 0.0)]), still(0.3)],
            yaw: Coordinate { offset: 0.0, rate: -0.7, waves: &[] },
        },
        // Half a radian a second.
        Mover {
            block: centred([0.8, 0.8, 0.8]),
            position: [still(4.2), still(2.1), still(2.0)],
            yaw: Coordinate { offset: 0.0, rate: 0.5, waves: &[] },
        },
        Mover {
            block: centred([0.6, 0.6, 0.6]),
            position: [still(3.6), swing(-1.6, &[wave(0.2, 0.5, 0.0)]), swing(1.8, &[wave(0.6, 0.9, 0.0)])],
            yaw: swing(0.0, &[wave(0.4, 0.7, 0.0)]),
        },
    ],
    trajectory: Trajectory {
        position: [
            swing(0.0, &[wave(0.6, 0.5, 0.0)]),
            swing(0.0, &[wave(0.7, 0.6, 1.0)]),
            swing(1.5, &[wave(0.2, 0.9, 0.3)]),
        ],
        yaw: swing(0.0, &[wave(0.25, 0.5, 0.0)]),
        pitch: swing(0.03, &[wave(0.06, 1.1, 0.0)]),
        roll: swing(0.0, &[wave(0.08, 0.9, 0.5)]),
    },
    texel: 0.004,
    seed: 5,
};
