//! A plain room.

use super::{Block, Finish, Scene, block, swing, wave};
use crate::source::synth::trajectory::{Coordinate, Trajectory};

/// 8 x 7 x 3 m, walls and floor with a twentieth of the usual contrast, a few pictures and boxes with all of it; the
/// camera drifts about the middle and turns round.
pub(super) const LOW_TEXTURE: Scene = Scene {
    name: "low_texture",
    hull: block([-4.0, -3.5, 0.0], [4.0, 3.5, 3.0]),
    hull_finish: [Finish::faint(0.05); 6],
    blocks: &[
        // Cupboards as plain as the walls: their outlines are what is seen of them.
        plain([2.6, -3.5, 0.0], [3.6, -2.6, 2.0]),
        plain([-4.0, 1.0, 0.0], [-3.3, 2.4, 1.1]),
        // Pictures.
        block([3.97, -0.6, 1.1], [4.0, 0.3, 1.8]),
        block([-1.2, 3.47, 1.3], [-0.5, 3.5, 2.2]),
        block([-4.0, -1.9, 1.2], [-3.97, -1.1, 1.7]),
        block([0.4, -3.5, 1.4], [1.2, -3.47, 2.0]),
        // A crate.
        block([2.2, 2.3, 0.0], [2.8, 2.9, 0.6]),
    ],
    movers: &[],
    trajectory: Trajectory {
        position: [
            swing(0.0, &[wave(0.8, 0.5, 0.0)]),
            swing(0.0, &[wave(0.7, 0.6, 1.0)]),
            swing(1.5, &[wave(0.2, 0.9, 0.3)]),
        ],
        yaw: Coordinate { offset: 0.0, rate: 0.3, waves: &[wave(0.2, 0.8, 0.0)] },
        pitch: swing(0.0, &[wave(0.08, 1.1, 0.0)]),
        roll: swing(0.0, &[wave(0.08, 0.9, 0.5)]),
    },
    texel: 0.004,
    seed: 4,
};

const fn plain(min: [f64; 3], max: [f64; 3]) -> Block {
    Block { min, max, finish: Finish::faint(0.05) }
}
