//! The scenes: a box seen from inside, with boxes in it.

use super::trajectory::{Coordinate, Trajectory, Wave};

/// An axis-parallel box, m.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub min: [f64; 3],
    pub max: [f64; 3],
}

/// A scene and the way through it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene {
    pub name: &'static str,
    /// Walls, floor and ceiling; the camera is inside.
    pub hull: Block,
    pub blocks: &'static [Block],
    pub trajectory: Trajectory,
    /// Edge of a texel, m.
    pub texel: f64,
    /// Seed of the texture.
    pub seed: u64,
}

/// What a ray meets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// In lengths of the direction.
    pub distance: f64,
    /// The surface's normal is along this axis.
    pub axis: usize,
    /// Distinguishes the surfaces of a scene.
    pub surface: u32,
}

/// Every scene.
pub(super) const SCENES: [Scene; 2] = [ROOM, CORRIDOR];

impl Scene {
    /// The first surface that the ray from `origin` along `direction` meets; `blocks` are the candidates by index.
    pub fn cast(&self, origin: &[f64; 3], direction: &[f64; 3], blocks: impl Iterator<Item = usize>) -> Hit {
        let inverse = direction.map(|d| 1.0 / d);
        let mut hit = self.hull_hit(origin, direction, &inverse);
        for index in blocks {
            let Some(block) = self.blocks.get(index) else { continue };
            let (mut near, mut far, mut axis) = (0.0, hit.distance, 3);
            for i in 0..3 {
                let (a, b) = ((block.min[i] - origin[i]) * inverse[i], (block.max[i] - origin[i]) * inverse[i]);
                let (enter, leave) = if a < b { (a, b) } else { (b, a) };
                if enter > near {
                    (near, axis) = (enter, i);
                }
                if leave < far {
                    far = leave;
                }
            }
            if axis < 3 && near < far {
                let side = u32::from(direction[axis] < 0.0);
                hit = Hit { distance: near, axis, surface: 6 * (index as u32 + 1) + 2 * axis as u32 + side };
            }
        }
        hit
    }

    /// Where the ray leaves the hull.
    fn hull_hit(&self, origin: &[f64; 3], direction: &[f64; 3], inverse: &[f64; 3]) -> Hit {
        let mut hit = Hit { distance: f64::INFINITY, axis: 0, surface: 0 };
        for i in 0..3 {
            let forward = direction[i] > 0.0;
            let wall = if forward { self.hull.max[i] } else { self.hull.min[i] };
            let distance = (wall - origin[i]) * inverse[i];
            if distance < hit.distance {
                hit = Hit { distance, axis: i, surface: 2 * i as u32 + u32::from(forward) };
            }
        }
        hit
    }
}

const fn block(min: [f64; 3], max: [f64; 3]) -> Block {
    Block { min, max }
}

const fn wave(amplitude: f64, frequency: f64, phase: f64) -> Wave {
    Wave { amplitude, frequency, phase }
}

const fn swing(offset: f64, waves: &'static [Wave]) -> Coordinate {
    Coordinate { offset, rate: 0.0, waves }
}

/// 7 x 6 x 3.2 m with a pillar, a table, a crate and a lamp; the camera drifts about the middle and turns round.
const ROOM: Scene = Scene {
    name: "room",
    hull: block([-3.5, -3.0, 0.0], [3.5, 3.0, 3.2]),
    blocks: &[
        block([2.0, 1.3, 0.0], [2.5, 1.8, 3.2]),
        block([-2.7, -2.5, 0.0], [-1.4, -1.5, 0.9]),
        block([1.5, -2.4, 0.0], [2.3, -1.7, 1.3]),
        block([-0.9, 1.9, 2.1], [-0.3, 2.4, 3.2]),
    ],
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

/// 36 x 2.4 x 2.6 m with cupboards on both sides; the camera goes 28 m along it and back in a minute, looking ahead.
const CORRIDOR: Scene = Scene {
    name: "corridor",
    hull: block([0.0, -1.2, 0.0], [36.0, 1.2, 2.6]),
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
