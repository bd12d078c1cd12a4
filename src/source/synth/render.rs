//! From a scene and a pose to an image: one ray a pixel, filtered over the pixel's footprint.

use nalgebra::Vector3;

use super::SynthError;
use super::scene::{Block, Finish, Hit, Scene, Snapshot, localise};
use super::texture::Texture;
use super::trajectory::{Pose, rotate};
use crate::camera::Camera;

/// Side of the tiles that share a choice of blocks, px.
const TILE: usize = 32;
/// Most samples along a footprint that grazing incidence stretches.
const MOST_TAPS: f64 = 4.0;

/// Longest footprint, texels: beyond it the texture is grey.
const LONGEST: f64 = 8192.0;

/// The rays of a camera, and what is seen along them.
#[derive(Clone, Debug)]
pub(super) struct Renderer {
    width: usize,
    height: usize,
    /// Direction of each pixel, unit, camera frame; all zero where the lens sees nothing.
    rays: Vec<[f64; 3]>,
    tiles: Vec<Tile>,
    /// Angle between neighbouring pixels at the image centre, rad.
    pixel_angle: f64,
    texels_per_metre: f64,
    texture: Texture,
    /// Finish and brightness of each surface.
    surfaces: Vec<(Finish, f32)>,
}

/// A part of the image and a cone about its rays.
#[derive(Clone, Debug)]
struct Tile {
    x: std::ops::Range<usize>,
    y: std::ops::Range<usize>,
    /// Unit, camera frame.
    axis: Vector3<f64>,
    /// Cosine and sine of the half angle.
    cos: f64,
    sin: f64,
}

impl Renderer {
    pub fn new(scene: &Scene, camera: &Camera) -> Result<Self, SynthError> {
        let [width, height] = camera.image_size().ok_or(SynthError::NoImageSize)?.map(|n| n as usize);
        let rays: Vec<[f64; 3]> = (0..width * height)
            .map(|i| camera.unproject([(i % width) as f64, (i / width) as f64]).unwrap_or([0.0; 3]))
            .collect();
        let [fx, fy, ..] = camera.intrinsics();
        let tiles = (0..height.div_ceil(TILE) * width.div_ceil(TILE))
            .map(|i| {
                let (x, y) = (TILE * (i % width.div_ceil(TILE)), TILE * (i / width.div_ceil(TILE)));
                Tile::new(x..width.min(x + TILE), y..height.min(y + TILE), width, &rays)
            })
            .collect();
        Ok(Self {
            width,
            height,
            rays,
            tiles,
            pixel_angle: 2.0 / (fx + fy),
            texels_per_metre: 1.0 / scene.texel,
            texture: Texture::new(scene.seed),
            surfaces: (0..scene.surfaces()).map(|i| (scene.finish(i), 1.0 - 0.05 * (i % 6) as f32)).collect(),
        })
    }

    /// Grey level of each pixel that the camera sees from `world_from_cam`, to `put` with the pixel's index.
    pub fn each(&self, world: &Snapshot, world_from_cam: &Pose, mut put: impl FnMut(usize, f32)) {
        let origin: [f64; 3] = world_from_cam.translation.into();
        for tile in &self.tiles {
            let (blocks, movers) = tile.visible(world, world_from_cam);
            for y in tile.y.clone() {
                for x in tile.x.clone() {
                    let i = y * self.width + x;
                    let direction = rotate(&world_from_cam.rotation, &self.rays[i]);
                    let grey = if direction == [0.0; 3] {
                        0.0
                    } else {
                        let hit = world.cast(&origin, &direction, blocks.iter().copied(), movers.iter().copied());
                        self.look(world, &origin, &direction, &hit)
                    };
                    put(i, grey);
                }
            }
        }
    }

    /// Grey level of what the ray meets.
    fn look(&self, world: &Snapshot, origin: &[f64; 3], direction: &[f64; 3], hit: &Hit) -> f32 {
        let Some(&(finish, brightness)) = self.surfaces.get(hit.surface as usize) else { return 0.0 };
        if finish.contrast == 0.0 {
            return finish.offset;
        }
        let texture = match world.world_from_surface(hit.surface) {
            None => self.shade(origin, direction, hit),
            Some(pose) => {
                let (origin, direction) = localise(pose, origin, direction);
                self.shade(&origin, &direction, hit)
            }
        };
        brightness * (finish.offset + finish.contrast * texture)
    }

    /// The texture averaged over the pixel's footprint, in the surface's frame: an ellipse as wide as the pixel's angle
    /// at the hit's distance, stretched along the ray by the slant. Up to four trilinear samples cover its length.
    fn shade(&self, origin: &[f64; 3], direction: &[f64; 3], hit: &Hit) -> f32 {
        let (i, j) = ((hit.axis + 1) % 3, (hit.axis + 2) % 3);
        let [a, b] = [i, j].map(|k| (origin[k] + hit.distance * direction[k]) * self.texels_per_metre);
        // Every surface shows another part of the texture.
        let (a, b) = (a + f64::from(677 * hit.surface), b + f64::from(1213 * hit.surface));
        let stretch = 1.0 / direction[hit.axis].abs();
        let along = (hit.distance * self.pixel_angle * self.texels_per_metre * stretch).min(LONGEST);
        let taps = (stretch.min(MOST_TAPS) + 0.5) as u32;
        if taps <= 1 {
            return self.texture.sample(a, b, along);
        }
        let slant = (direction[i] * direction[i] + direction[j] * direction[j]).sqrt();
        let length = along / f64::from(taps);
        let step = length / slant;
        let sample = |tap: u32| {
            let at = (f64::from(tap) - 0.5 * f64::from(taps - 1)) * step;
            self.texture.sample(a + at * direction[i], b + at * direction[j], length)
        };
        (0..taps).map(sample).sum::<f32>() / taps as f32
    }

    /// Width and height, px.
    pub fn size(&self) -> [usize; 2] {
        [self.width, self.height]
    }
}

impl Tile {
    fn new(x: std::ops::Range<usize>, y: std::ops::Range<usize>, width: usize, rays: &[[f64; 3]]) -> Self {
        let inside = || y.clone().flat_map(|y| x.clone().map(move |x| Vector3::from(rays[y * width + x])));
        let sum: Vector3<f64> = inside().sum();
        let axis = if sum.norm() > 0.0 { sum / sum.norm() } else { sum };
        let cos = inside().map(|ray| ray.dot(&axis)).fold(1.0, |least, cos| if cos < least { cos } else { least });
        Self { x, y, axis, cos, sin: (1.0 - cos * cos).max(0.0).sqrt() }
    }

    /// The blocks and movers whose bounding spheres reach into the tile's cone.
    fn visible(&self, world: &Snapshot, world_from_cam: &Pose) -> (Vec<usize>, Vec<usize>) {
        let axis = world_from_cam.rotation * self.axis;
        let reaches = |(_, (centre, radius)): &(usize, (Vector3<f64>, f64))| {
            let centre = centre - world_from_cam.translation;
            let along = centre.dot(&axis);
            let aside = (centre.norm_squared() - along * along).max(0.0).sqrt();
            // Distance of the centre from the cone's surface, or less: never culls what is visible.
            aside * self.cos - along * self.sin <= *radius
        };
        let blocks = world.scene.blocks.iter().map(Block::sphere).enumerate().filter(reaches);
        let movers = world.mover_spheres().enumerate().filter(reaches);
        (blocks.map(|(index, _)| index).collect(), movers.map(|(index, _)| index).collect())
    }
}
