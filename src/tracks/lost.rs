//! Tracks that ended, and tracks that may come back.

use nalgebra::{UnitQuaternion, Vector3};

use super::neighbours::Neighbours;
use super::{Track, reacquire, sigma_of};
use crate::camera::Camera;
use crate::detect::Detection;
use crate::feature::{Descriptor, Feature};
use crate::mask::Mask;
use crate::track::FlowStatus;

/// Why a track ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum LossReason {
    /// It left the image.
    Outside = 1,
    /// Its surroundings lost their texture: darkness, blur.
    LowTexture = 2,
    /// What was found looks different.
    Residual = 3,
    /// Tracking back did not return to where it was.
    Inconsistent = 4,
    /// It contradicts the motion of the camera: it moves by itself, or was found at a wrong place.
    Outlier = 5,
    /// It came to where the mask excludes features.
    Masked = 6,
    /// It came nearer than half of `min_dist` to an older track.
    Crowded = 7,
    /// There were more than `max_cnt` tracks.
    Surplus = 8,
    /// The front end started anew.
    Restart = 9,
    /// It came to where a detector saw something that may move on its own.
    Object = 10,
}

impl LossReason {
    /// All of them, in the order of their codes.
    pub const ALL: [Self; 10] = [
        Self::Outside,
        Self::LowTexture,
        Self::Residual,
        Self::Inconsistent,
        Self::Outlier,
        Self::Masked,
        Self::Crowded,
        Self::Surplus,
        Self::Restart,
        Self::Object,
    ];

    /// The short name under which losses are counted.
    pub fn name(self) -> &'static str {
        match self {
            Self::Outside => "outside",
            Self::LowTexture => "low_texture",
            Self::Residual => "residual",
            Self::Inconsistent => "inconsistent",
            Self::Outlier => "outlier",
            Self::Masked => "masked",
            Self::Crowded => "crowded",
            Self::Surplus => "surplus",
            Self::Restart => "restart",
            Self::Object => "object",
        }
    }

    /// What a flow that found nothing means.
    pub(super) fn of(status: FlowStatus) -> Option<Self> {
        match status {
            FlowStatus::Tracked => None,
            FlowStatus::Outside => Some(Self::Outside),
            FlowStatus::LowTexture => Some(Self::LowTexture),
            FlowStatus::Residual => Some(Self::Residual),
            FlowStatus::Inconsistent => Some(Self::Inconsistent),
        }
    }

    /// Why a track must not be at this pixel.
    pub(super) fn of_mask(mask: &Mask, [x, y]: [usize; 2]) -> Option<Self> {
        let reason = if mask.is_object(x, y) { Self::Object } else { Self::Masked };
        (!mask.allows(x, y)).then_some(reason)
    }

    /// Whether the point may be seen again: it was not found, but nothing speaks against it.
    pub(super) fn is_passing(self) -> bool {
        matches!(self, Self::Outside | Self::LowTexture | Self::Residual | Self::Inconsistent)
    }
}

/// A track that ended, for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    pub id: u64,
    pub reason: LossReason,
}

/// A track that was lost and may be found again.
#[derive(Clone, Debug)]
pub(super) struct Parked {
    pub track: Track,
    reason: LossReason,
    /// Frames in which it was looked for in vain.
    pub frames: u32,
    /// Where it should be, level-0 px; `None` while it is out of the lens' sight.
    place: Option<[f32; 2]>,
    bearing: Option<Vector3<f64>>,
}

impl Parked {
    /// Lost on the way to the current image; it is where it was in the one before.
    pub fn new(track: Track, reason: LossReason) -> Self {
        let (place, bearing) = (Some(track.position()), track.sight.map(|sight| sight.bearing));
        Self { track, reason, frames: 0, place, bearing }
    }

    /// Carries the place to the current image: by the camera's turn, or by `drift` px where that is not known.
    pub fn carry(&mut self, turn: Option<(&UnitQuaternion<f64>, &Camera)>, drift: [f32; 2]) {
        self.bearing = self.bearing.and_then(|bearing| turn.map(|(turn, _)| turn * bearing));
        self.place = match (self.bearing, turn) {
            (Some(bearing), Some((_, camera))) => camera.project(bearing.into()).map(|place| place.map(|c| c as f32)),
            _ => self.place.map(|[u, v]| [u + drift[0], v + drift[1]]),
        };
    }

    /// The fresh feature that is this track.
    pub fn look(&self, detection: &Detection, near: &Neighbours) -> Option<usize> {
        let descriptor = self.track.descriptor.as_ref()?;
        reacquire::find(descriptor, self.track.feature.level, self.place?, self.frames, detection, near)
    }

    /// The track, seen again as `feature`. Its sight before counts only if it was not missed in any frame.
    pub fn found_as(self, feature: &Feature, descriptor: Option<Descriptor>) -> Track {
        let before = if self.frames == 0 { self.track.sight } else { None };
        let feature = Feature { class: self.track.feature.class, ..*feature };
        Track {
            age: self.track.age.saturating_add(1),
            sigma: sigma_of(&feature),
            feature,
            descriptor: descriptor.or(self.track.descriptor),
            sight: None,
            before,
            departure: None,
            step: [0.0; 2],
            ..self.track
        }
    }

    pub fn end(self) -> Lost {
        Lost { id: self.track.id, reason: self.reason }
    }
}
