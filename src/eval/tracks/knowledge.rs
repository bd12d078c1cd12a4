//! What is known of a sequence besides its images: found by what lies in its folder.

use std::path::{Path, PathBuf};

use nalgebra::Isometry3;

use super::corners::AnnotatedCorners;
use super::poses::{PoseFormat, Poses};
use crate::camera::{CalibrationError, Camera, SensorYaml};
use crate::frame::StampNs;
use crate::source::synth::Synth;

/// Poses of the body in an EuRoC folder: motion capture, else the odometry of the recording device.
const BODY_POSES: [&str; 2] = ["state_groundtruth_estimate0/data.csv", "vio0/data.csv"];

/// All that tracks can be judged by.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    /// Width and height, px.
    pub size: [usize; 2],
    pub camera: Option<Camera>,
    /// The world of a simulated sequence.
    pub synth: Option<Synth>,
    pub poses: Option<Poses>,
    pub corners: Option<AnnotatedCorners>,
}

/// Why what lies in a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KnowledgeError {
    #[error("{}: cannot be read: {error}", path.display())]
    Read { path: PathBuf, error: std::io::Error },
    #[error("{}:{line}: {message}", path.display())]
    Line { path: PathBuf, line: usize, message: String },
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
}

impl Knowledge {
    /// Of a simulated sequence.
    pub fn of_synth(synth: Synth) -> Self {
        let camera = synth.camera().clone();
        let size = camera.image_size().unwrap_or_default().map(|side| side as usize);
        Self { size, camera: Some(camera), synth: Some(synth), ..Self::default() }
    }

    /// Of a recording at `folder` with frames at `stamps`: poses of an EuRoC folder (`state_groundtruth_estimate0`,
    /// else `vio0`, with `T_BS` of cam0) or a TUM folder (`groundtruth.txt`), corners of a `corner_tracks.csv`.
    /// `camera` is the calibration in force.
    ///
    /// Errors: such a file that cannot be read.
    pub fn of_folder(
        folder: &Path,
        size: [usize; 2],
        camera: Option<Camera>,
        stamps: &[StampNs],
    ) -> Result<Self, KnowledgeError> {
        let corners = folder.join("corner_tracks.csv");
        let corners = if corners.is_file() { Some(read_corners(&corners, stamps)?) } else { None };
        Ok(Self { size, camera, synth: None, poses: poses(folder, stamps)?, corners })
    }

    /// What figures come from, in words; empty where nothing is known.
    pub fn names(&self) -> Vec<&'static str> {
        let exact = self.synth.as_ref().map(|_| "exact flow");
        let poses = self.poses.as_ref().map(|poses| if poses.standing() { "poses, camera stands" } else { "poses" });
        let corners = self.corners.as_ref().map(|_| "annotated corners");
        [exact, poses, corners].into_iter().flatten().collect()
    }
}

/// The camera of a folder whose layout names none: `calibration.yaml` beside the images.
///
/// Errors: a file that is no calibration.
pub fn camera_beside(folder: &Path) -> Result<Option<Camera>, CalibrationError> {
    let path = folder.join("calibration.yaml");
    if path.is_file() { Ok(Some(SensorYaml::read(&path)?.camera)) } else { Ok(None) }
}

fn poses(folder: &Path, stamps: &[StampNs]) -> Result<Option<Poses>, KnowledgeError> {
    let tum = folder.join("groundtruth.txt");
    if tum.is_file() {
        return Poses::read(&tum, PoseFormat::Tum, &Isometry3::identity(), stamps).map(Some);
    }
    for mav0 in [folder.join("mav0"), folder.to_owned()] {
        let Some(file) = BODY_POSES.iter().map(|name| mav0.join(name)).find(|path| path.is_file()) else { continue };
        let body_from_cam = SensorYaml::read_pose(&mav0.join("cam0/sensor.yaml"))?.unwrap_or_default();
        return Poses::read(&file, PoseFormat::Asl, &body_from_cam, stamps).map(Some);
    }
    Ok(None)
}

/// `stamp, u0, v0, u1, v1, ...`.
fn read_corners(path: &Path, stamps: &[StampNs]) -> Result<AnnotatedCorners, KnowledgeError> {
    let text = std::fs::read_to_string(path).map_err(|error| KnowledgeError::Read { path: path.to_owned(), error })?;
    let mut corners = AnnotatedCorners { frames: vec![Vec::new(); stamps.len()] };
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
    {
        let damaged = || KnowledgeError::Line {
            path: path.to_owned(),
            line: number + 1,
            message: format!("no stamp and pairs u, v in '{line}'"),
        };
        let (stamp, rest) = line.split_once(',').ok_or_else(damaged)?;
        let stamp: StampNs = stamp.trim().parse().map_err(|_| damaged())?;
        let numbers = rest.split(',').map(|number| number.trim().parse().ok().filter(|n: &f64| n.is_finite()));
        let numbers: Vec<f64> =
            numbers.collect::<Option<_>>().filter(|n: &Vec<f64>| n.len().is_multiple_of(2)).ok_or_else(damaged)?;
        // Frames beyond those judged are left out.
        if let Some(frame) = stamps.iter().position(|&known| known == stamp).and_then(|k| corners.frames.get_mut(k)) {
            *frame = numbers.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
        }
    }
    Ok(corners)
}
