//! Open ground under an empty sky.

use super::{Block, Finish, Scene, block, swing, wave};
use crate::source::synth::trajectory::Trajectory;

/// Ground to a horizon 400 m away, a sky without texture, crates and buildings from 6 to 300 m; the camera goes 24 m
/// along a street and back in a minute, two metres above it.
pub(super) const OUTDOOR: Scene = Scene {
    name: "outdoor",
    hull: block([-400.0, -400.0, 0.0], [400.0, 400.0, 150.0]),
    hull_finish: [Finish::SKY, Finish::SKY, Finish::SKY, Finish::SKY, Finish::FULL, Finish::SKY],
    blocks: &BLOCKS,
    movers: &[],
    trajectory: Trajectory {
        position: [
            swing(0.0, &[wave(12.0, std::f64::consts::PI / 30.0, -std::f64::consts::FRAC_PI_2)]),
            swing(0.0, &[wave(0.8, 0.5, 0.0)]),
            swing(2.0, &[wave(0.3, 0.7, 0.0)]),
        ],
        yaw: swing(0.0, &[wave(0.3, 0.45, 0.4)]),
        pitch: swing(0.05, &[wave(0.06, 0.8, 0.0)]),
        roll: swing(0.0, &[wave(0.06, 0.7, 0.2)]),
    },
    texel: 0.01,
    seed: 3,
};

const BLOCKS: [Block; 14] = [
    // Crates and cars along the street.
    block([-4.0, 3.5, 0.0], [-2.8, 4.7, 1.2]),
    block([2.0, -5.5, 0.0], [6.0, -3.7, 1.5]),
    block([9.0, 3.8, 0.0], [10.2, 5.0, 2.4]),
    block([17.0, -4.9, 0.0], [18.0, -3.9, 1.0]),
    block([21.0, 3.2, 0.0], [25.0, 5.0, 1.5]),
    // Posts.
    block([6.0, 4.6, 0.0], [6.2, 4.8, 5.0]),
    block([20.0, -4.8, 0.0], [20.2, -4.6, 5.0]),
    block([34.0, 4.6, 0.0], [34.2, 4.8, 5.0]),
    // Buildings.
    block([5.0, 9.0, 0.0], [19.0, 20.0, 7.0]),
    block([12.0, -22.0, 0.0], [30.0, -10.0, 10.0]),
    block([33.0, 11.0, 0.0], [52.0, 28.0, 14.0]),
    block([60.0, -30.0, 0.0], [85.0, -6.0, 12.0]),
    block([110.0, 5.0, 0.0], [140.0, 45.0, 25.0]),
    block([300.0, -90.0, 0.0], [330.0, -20.0, 45.0]),
];
