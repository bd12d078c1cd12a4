//! The scenes, as data: a box seen from inside, boxes in it, boxes that move, and the camera's way.

mod cast;
mod corridor;
mod fast_rotation;
mod low_texture;
mod moving_objects;
mod outdoor;
mod room;

pub(super) use cast::{Hit, localise};

use super::trajectory::{Coordinate, Pose, Trajectory, Wave};
use nalgebra::{Matrix3, Vector3};

/// Every scene.
pub(super) const SCENES: [Scene; 6] = [
    room::ROOM,
    corridor::CORRIDOR,
    outdoor::OUTDOOR,
    low_texture::LOW_TEXTURE,
    moving_objects::MOVING_OBJECTS,
    fast_rotation::FAST_ROTATION,
];

/// A scene and the way through it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene {
    pub name: &'static str,
    /// Walls, floor and ceiling; the camera is inside.
    pub hull: Block,
    /// How the hull looks towards -x, x, -y, y, -z, z.
    pub hull_finish: [Finish; 6],
    pub blocks: &'static [Block],
    pub movers: &'static [Mover],
    pub trajectory: Trajectory,
    /// Edge of a texel, m.
    pub texel: f64,
    /// Seed of the texture.
    pub seed: u64,
}

/// A box with axis-parallel faces, m.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub min: [f64; 3],
    pub max: [f64; 3],
    pub finish: Finish,
}

/// A box that moves and turns about the vertical through its middle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mover {
    /// In its own frame, whose origin is its middle.
    pub block: Block,
    /// Of its middle, world, m.
    pub position: [Coordinate; 3],
    /// rad.
    pub yaw: Coordinate,
}

/// What a surface makes of the texture: offset + contrast * texture, grey levels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finish {
    pub offset: f32,
    /// 0 is a surface without any texture and shading: the sky.
    pub contrast: f32,
}

impl Finish {
    /// The texture as it is.
    const FULL: Self = Self { offset: 0.0, contrast: 1.0 };
    const SKY: Self = Self { offset: 205.0, contrast: 0.0 };

    /// A part of the texture's contrast about middle grey.
    const fn faint(contrast: f32) -> Self {
        Self { offset: 127.0 * (1.0 - contrast), contrast }
    }
}

/// A scene at one time.
#[derive(Clone, Debug)]
pub(super) struct Snapshot<'a> {
    pub scene: &'a Scene,
    /// world_from_mover of each mover.
    movers: Vec<Pose>,
}

impl Scene {
    /// The scene at `t` seconds.
    pub fn at(&self, t: f64) -> Snapshot<'_> {
        Snapshot { scene: self, movers: self.movers.iter().map(|mover| mover.pose(t)).collect() }
    }

    /// Number of surfaces.
    pub fn surfaces(&self) -> u32 {
        6 * (1 + self.blocks.len() + self.movers.len()) as u32
    }

    pub fn finish(&self, surface: u32) -> Finish {
        let body = (surface / 6) as usize;
        let solid = || match self.blocks.get(body.wrapping_sub(1)) {
            Some(block) => block.finish,
            None => self.mover_index(surface).and_then(|i| self.movers.get(i)).map_or(Finish::FULL, |m| m.block.finish),
        };
        self.hull_finish.get(surface as usize).copied().unwrap_or_else(solid)
    }

    /// Which mover the surface belongs to.
    pub fn mover_index(&self, surface: u32) -> Option<usize> {
        (surface as usize / 6).checked_sub(1 + self.blocks.len())
    }
}

impl Snapshot<'_> {
    /// Pose of the mover that the surface belongs to; `None` where the world itself is the surface's frame.
    pub fn world_from_surface(&self, surface: u32) -> Option<&Pose> {
        if self.movers.is_empty() {
            return None;
        }
        self.movers.get(self.scene.mover_index(surface)?)
    }

    /// Each mover: world_from_mover, and its block in its own frame.
    pub fn mover_blocks(&self) -> impl Iterator<Item = (&Pose, &Block)> {
        self.movers.iter().zip(self.scene.movers).map(|(pose, mover)| (pose, &mover.block))
    }

    /// Middle of each mover and the radius about it that holds it, m.
    pub fn mover_spheres(&self) -> impl Iterator<Item = (Vector3<f64>, f64)> {
        self.movers.iter().zip(self.scene.movers).map(|(pose, mover)| (pose.translation, mover.block.sphere().1))
    }
}

impl Block {
    /// Middle, and the radius about it that holds the block, m.
    pub fn sphere(&self) -> (Vector3<f64>, f64) {
        let (min, max) = (Vector3::from(self.min), Vector3::from(self.max));
        (0.5 * (min + max), 0.5 * (max - min).norm())
    }
}

impl Mover {
    fn pose(&self, t: f64) -> Pose {
        let [x, y, z] = self.position.map(|coordinate| coordinate.at(t)[0]);
        let yaw = self.yaw.at(t)[0];
        let (sin, cos) = (libm::sin(yaw), libm::cos(yaw));
        let rotation = Matrix3::new(cos, -sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0);
        Pose { rotation, translation: Vector3::new(x, y, z) }
    }
}

const fn block(min: [f64; 3], max: [f64; 3]) -> Block {
    Block { min, max, finish: Finish::FULL }
}

/// A box of `size` about the origin of its own frame.
const fn centred([x, y, z]: [f64; 3]) -> Block {
    block([-0.5 * x, -0.5 * y, -0.5 * z], [0.5 * x, 0.5 * y, 0.5 * z])
}

const fn wave(amplitude: f64, frequency: f64, phase: f64) -> Wave {
    Wave { amplitude, frequency, phase }
}

const fn swing(offset: f64, waves: &'static [Wave]) -> Coordinate {
    Coordinate { offset, rate: 0.0, waves }
}

const fn still(offset: f64) -> Coordinate {
    swing(offset, &[])
}
