//! The simulator: a camera and an IMU on a known way through a known scene.
//!
//! It enters by the same door as recordings and knows what they do not: exact poses, depth, and where every pixel
//! goes. Walls and blocks carry a texture with detail at every scale; each pixel is the texture averaged over what the
//! pixel sees, so that the true position of a detail is meaningful to a small part of a pixel.
//!
//! The same bits on every machine: rays, poses and shading use the operations that IEEE 754 rounds exactly (+, -, *,
//! /, square root); sines and cosines are those of `libm`, which is written in such operations; the texture is made in
//! integers; logarithms are replaced by chords. Nothing is random but for a fixed seed.

mod boxes;
mod effects;
mod export;
mod expose;
mod render;
mod scene;
mod spec;
mod texture;
mod tracks;
mod trajectory;
mod truth;

use crate::camera::{CamImu, Camera, CameraError};
use crate::frame::{ImuSample, StampNs};
use crate::image::GrayImage;
use crate::params::CameraModel;
use crate::source::{Event, Source};

pub use effects::{Effects, Light};
pub use export::{ExportError, export};
use nalgebra::{Matrix3, Vector3};
use render::Renderer;
use scene::{SCENES, Scene};
pub use tracks::{Track, Tracks};
pub use trajectory::{BodyState, Pose};
pub use truth::{Sight, SurfacePoint};

/// Stamp of the first image, ns.
const START_NS: StampNs = 1_000_000_000_000;
/// 20 Hz.
const FRAME_PERIOD_NS: StampNs = 50_000_000;
/// 200 Hz.
const IMU_PERIOD_NS: StampNs = 5_000_000;
/// The IMU starts this long before the first image and ends this long after the last, ns.
const IMU_MARGIN_NS: StampNs = 50_000_000;

/// How a scene is recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct SynthOptions {
    /// Number of images, 20 a second.
    pub frames: usize,
    /// The camera; it must know its image size.
    pub camera: Option<Camera>,
    /// Light, motion blur and noise.
    pub effects: Effects,
}

impl Default for SynthOptions {
    /// 200 images of 640 x 480 pixels: a pinhole of 390 px with the distortion of a wide-angle lens; no
    /// effects.
    fn default() -> Self {
        Self { frames: 200, camera: None, effects: Effects::default() }
    }
}

/// Why a scene cannot be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SynthError {
    #[error("scene '{name}' is unknown; known: {known}")]
    UnknownScene { name: String, known: String },
    #[error("the camera of a simulation must know its image size")]
    NoImageSize,
    #[error("option '{name}' is unknown{nearest}; known: {known}")]
    UnknownOption { name: String, nearest: String, known: String },
    #[error("option {name}: '{value}' is not {expected}")]
    Option { name: &'static str, value: String, expected: String },
    #[error(transparent)]
    Camera(#[from] CameraError),
}

/// Names of the scenes.
pub fn names() -> Vec<&'static str> {
    SCENES.iter().map(|scene| scene.name).collect()
}

/// Opens `name`, as [`Synth::new`] does, as a source of images and IMU samples.
pub fn open(name: &str, options: &SynthOptions) -> Result<SynthSource, SynthError> {
    Ok(SynthSource::new(Synth::new(name, options)?))
}

/// A scene, a camera and their truth. Pixels and times may be asked in any order.
#[derive(Clone, Debug)]
pub struct Synth {
    scene: Scene,
    camera: Camera,
    renderer: Renderer,
    frames: usize,
    effects: Effects,
}

impl Synth {
    /// Scene `name`, or `name?key=value&key=value` with `frames` and the effects of [`Effects::set`] as keys, which hold
    /// over those of the options: `room?light=step&blur=8ms&noise=3`.
    ///
    /// Errors: a name or key that is unknown, with those that are known; a value out of range; a camera that does not
    /// know its image size.
    pub fn new(name: &str, options: &SynthOptions) -> Result<Self, SynthError> {
        let (name, options) = spec::parse(name, options)?;
        options.effects.check()?;
        let scene = *SCENES
            .iter()
            .find(|scene| scene.name == name)
            .ok_or_else(|| SynthError::UnknownScene { name: name.to_owned(), known: names().join(", ") })?;
        let camera = options.camera.map_or_else(default_camera, Ok)?;
        let renderer = Renderer::new(&scene, &camera)?;
        Ok(Self { scene, camera, renderer, frames: options.frames, effects: options.effects })
    }

    /// Name of the scene.
    pub fn name(&self) -> &'static str {
        self.scene.name
    }

    pub fn camera(&self) -> &Camera {
        &self.camera
    }

    /// What is done to the images.
    pub fn effects(&self) -> &Effects {
        &self.effects
    }

    /// Number of images.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Stamp of image `k`.
    pub fn stamp_ns(&self, k: usize) -> StampNs {
        START_NS + FRAME_PERIOD_NS * k as StampNs
    }

    /// Number of IMU samples, at 200 Hz, from before the first image to after the last.
    pub fn imu_samples(&self) -> usize {
        let span = FRAME_PERIOD_NS * self.frames.saturating_sub(1) as StampNs + 2 * IMU_MARGIN_NS;
        (span / IMU_PERIOD_NS) as usize + 1
    }

    /// IMU sample `j`, of any j: without noise and bias.
    pub fn imu(&self, j: usize) -> ImuSample {
        let stamp_ns = START_NS - IMU_MARGIN_NS + IMU_PERIOD_NS * j as StampNs;
        let state = self.body_state(stamp_ns);
        ImuSample { stamp_ns, gyro: state.angular_velocity.into(), accel: Some(state.specific_force.into()) }
    }
}

/// x right = -y of the body, y down = -z, z forward = x; the lens is ahead of the IMU and above it.
fn body_from_cam() -> Pose {
    Pose {
        rotation: Matrix3::new(0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0, -1.0, 0.0),
        translation: Vector3::new(0.06, 0.01, 0.03),
    }
}

fn default_camera() -> Result<Camera, CameraError> {
    Camera::new(CameraModel::Pinhole, [390.0, 390.5, 320.3, 238.7], &[-0.28, 0.074, 0.0002, 0.00002], Some([640, 480]))
}

/// A [`Synth`] as a source: IMU samples and images in the order of their stamps, IMU first.
#[derive(Clone, Debug)]
pub struct SynthSource {
    synth: Synth,
    next_frame: usize,
    next_imu: usize,
}

impl SynthSource {
    /// The recording from its beginning.
    pub fn new(synth: Synth) -> Self {
        Self { synth, next_frame: 0, next_imu: 0 }
    }

    /// What is recorded, and its truth.
    pub fn synth(&self) -> &Synth {
        &self.synth
    }
}

impl Source for SynthSource {
    fn frames(&self) -> usize {
        self.synth.frames()
    }

    fn camera(&self) -> Option<&Camera> {
        Some(self.synth.camera())
    }

    fn cam_imu(&self) -> Option<CamImu> {
        Some(self.synth.cam_imu())
    }

    fn next_event(&mut self) -> Option<Event> {
        let imu = (self.next_imu < self.synth.imu_samples()).then(|| self.synth.imu(self.next_imu));
        let frame = (self.next_frame < self.synth.frames()).then(|| self.synth.stamp_ns(self.next_frame));
        match (imu, frame) {
            (Some(sample), frame) if frame.is_none_or(|stamp_ns| sample.stamp_ns <= stamp_ns) => {
                self.next_imu += 1;
                Some(Event::Imu(sample))
            }
            (_, Some(stamp_ns)) => {
                let mut image = GrayImage::default();
                self.synth.render(self.next_frame, &mut image);
                self.next_frame += 1;
                Some(Event::Image { stamp_ns, image })
            }
            _ => None,
        }
    }
}
