//! A long corridor.

use super::{Finish, Scene, block, swing, wave};
use crate::source::synth::trajectory::Trajectory;

/// 36 x 2.4 x 2.6 m with cupboards on both sides; the camera goes 28 m along it and back in a minute, looking ahead.
pub(super) const CORRIDOR: Scene = Scene {
    name: "corridor",
    hull: block([0.0, -1.2, 0.0], [36.0, 1.2, 2.6]),
    hull_finish: [Finish::FULL; 6],
    blocks: &[
        block([4.0, 0.8, 0.0], [5.0, 1.2, 1.9]),
        block([7.0, -1.2, 0.0], [7.8, -0.8, 2.1]),
        block([11.0, 0.85, 0.0], [12.2, 1.2, 1.1]),
        block([15.0, -1.2, 0.0], [15.6, -0.75, 2.6]),
        block([19.0, 0.8, 0.0], [20.0, 1.2, 1.9]),
        block([23.0, -1.2, 1.3], [24.5, -0.8, 2.6]),
        block([27.0, 0.75, 0.0], [27.6, 1.2, 2.6]),
        block([31.0, -1.2, 0.0], [32.0, -0.8, 1.5]),
    ],
    movers: &[],
    trajectory: Trajectory {
        position: [
            swing(16.0, &[wave(14.0, std::f64::consts::PI / 30.0, -std::f64::consts::FRAC_PI_2)]),
            swing(0.0, &[wave(0.25, 0.6, 0.0)]),
            swing(1.4, &[wave(0.1, 0.8, 0.0)]),
        ],
        yaw: swing(0.0, &[wave(0.08, 0.5, 0.4)]),
        pitch: swing(0.02, &[wave(0.05, 0.9, 0.0)]),
        roll: swing(0.0, &[wave(0.06, 0.7, 0.2)]),
    },
    texel: 0.004,
    seed: 2,
};
