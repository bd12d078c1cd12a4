//! Which tracks there are: their ids and ages, what ends them, what replaces them, how a lost one is found again.
//!
//! A frame takes them through [`Tracks::starts`], [`Tracks::follow`], [`Tracks::reacquire`], [`Tracks::observe`],
//! [`Tracks::verify`], [`Tracks::thin`] and [`Tracks::top_up`], in this order.

mod guess;
mod lost;
mod neighbours;
mod reacquire;
mod scars;
mod settings;
mod spread;

pub(crate) use guess::median;
pub use lost::{LossReason, Lost};
pub use settings::TracksSettings;

use nalgebra::{UnitQuaternion, Vector3};

use crate::camera::Camera;
use crate::feature::{Descriptor, Feature};
use crate::mask::Mask;
use crate::track::{Flow, FlowStatus, TrackSettings};
use crate::verify::{BearingPair, Method, VerifySettings, verify};
use guess::{Departure, Expected};
use lost::Parked;
use scars::Scars;

/// Standard deviation of a fresh feature's position along one axis, px of the level it was found at: the repeatability
/// under known sub-pixel shifts of real photos (contract C5 and C9: 0.217, 0.218, 0.232 at levels 0, 1, 2).
pub const SIGMA_LEVEL_PX: f32 = 0.22;

/// Fewer points that were found tell nothing of the noise.
const LEAST_FOUND: usize = 20;

/// One point of the scene, followed through the images.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Never given to another track.
    pub id: u64,
    /// Frames it was tracked over; 0 in that of its birth.
    pub age: u32,
    /// Where it is. Level, threshold and score are those of the corner that it began as or was found again as.
    pub feature: Feature,
    /// One standard deviation of u and of v, level-0 px.
    pub sigma: f32,
    /// Of the corner that it began as, or of the last fresh one at its place.
    pub descriptor: Option<Descriptor>,
    /// Where it is seen now; `None` where the camera is not known or its model ends.
    pub sight: Option<Sight>,
    /// Where it was seen in the frame processed before; `None` if it was not tracked from there.
    pub before: Option<Sight>,
    /// Where it is expected in the next image.
    expected: Expected,
    /// How it moved beyond its prediction; `None` in the frame of its birth and where it was found again.
    departure: Option<Departure>,
    /// How it moved from the frame before, level-0 px.
    step: [f32; 2],
}

impl Track {
    fn new(id: u64, feature: Feature, descriptor: Option<Descriptor>) -> Self {
        let sigma = sigma_of(&feature);
        Self {
            id,
            age: 0,
            feature,
            sigma,
            descriptor,
            sight: None,
            before: None,
            expected: Expected::default(),
            departure: None,
            step: [0.0; 2],
        }
    }

    /// Level-0 px.
    pub fn position(&self) -> [f32; 2] {
        [self.feature.u, self.feature.v]
    }

    /// Velocity on the plane z = 1 over the `seconds` since the frame processed before, 1/s; 0 for a track that was not
    /// tracked from there.
    pub fn velocity(&self, seconds: f64) -> [f64; 2] {
        let place = |sight: Option<Sight>| sight.and_then(|sight| sight.normalised);
        match (place(self.before), place(self.sight)) {
            (Some([x0, y0]), Some([x1, y1])) if seconds > 0.0 => [(x1 - x0) / seconds, (y1 - y0) / seconds],
            _ => [0.0; 2],
        }
    }
}

/// One standard deviation of u and of v of a fresh feature, level-0 px.
pub fn sigma_of(feature: &Feature) -> f32 {
    SIGMA_LEVEL_PX * f32::from(1_u16 << feature.level.min(15))
}

/// Of independent errors.
fn root_sum_square(a: f32, b: f32) -> f32 {
    (a * a + b * b).sqrt()
}

/// The noise, grey levels: the lower quartile of the residuals of the points that were found, which noise and little else
/// leaves. 0, so that nothing is held against new tracks, where too few were found to tell: those few may be mistaken.
fn noise_of(flows: &[Flow]) -> f32 {
    let found = flows.iter().filter(|flow| flow.status == FlowStatus::Tracked);
    let mut residuals: Vec<f32> = found.map(|flow| flow.residual).collect();
    if residuals.len() < LEAST_FOUND || 2 * residuals.len() < flows.len() {
        return 0.0;
    }
    residuals.sort_by(f32::total_cmp);
    residuals.get(residuals.len() / 4).copied().unwrap_or(0.0)
}

/// A direction of the camera frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight {
    /// Unit vector.
    pub bearing: Vector3<f64>,
    /// x, y on the plane z = 1; `None` at 90 degrees from the axis and beyond.
    pub normalised: Option<[f64; 2]>,
}

/// The tracks alive, by id, and those that were lost a moment ago.
#[derive(Clone, Debug, Default)]
pub struct Tracks {
    alive: Vec<Track>,
    parked: Vec<Parked>,
    scars: Scars,
    /// What [`noise_of`] says of the last frame, grey levels.
    noise: f32,
    /// Those that ended since [`Tracks::take_lost`].
    lost: Vec<Lost>,
    next_id: u64,
}

impl Tracks {
    /// Those alive, ids ascending.
    pub fn alive(&self) -> &[Track] {
        &self.alive
    }

    /// Where those alive are, level-0 px.
    pub fn positions(&self) -> impl Iterator<Item = [f32; 2]> {
        self.alive.iter().map(Track::position)
    }

    /// Moves the tracks alive to where they were found; those that were not found, or found where `mask` excludes them,
    /// are lost. `flows` belong to [`Tracks::starts`].
    pub fn follow(&mut self, flows: &[Flow], mask: Option<&Mask>, track: &TrackSettings, settings: &TracksSettings) {
        self.noise = noise_of(flows);
        let before = self.alive.len();
        let mut flows = flows.iter();
        self.lose_where(settings, |alive| {
            let flow = flows.next()?;
            if let Some(reason) = LossReason::of(flow.status) {
                return Some(if alive.expected.leaves { LossReason::Outside } else { reason });
            }
            let ([x, y], Expected { place, by_turn, .. }) = (flow.position, alive.expected);
            alive.departure = Some(Departure { shift: [x - place[0], y - place[1]], from_turn: by_turn });
            alive.step = [x - alive.feature.u, y - alive.feature.v];
            alive.feature = alive.feature.moved_to(flow.position);
            alive.age = alive.age.saturating_add(1);
            alive.sigma = root_sum_square(alive.sigma, flow.sigma(track.radius()));
            alive.before = alive.sight.take();
            let [u, v] = flow.position.map(|c| c.round().max(0.0) as usize);
            LossReason::of_mask(mask?, [u, v])
        });
        if 2 * self.alive.len() < before {
            // It is the image that fails then, not its places.
            self.scars.clear();
        }
    }

    /// Gives the tracks that have none their sight through `camera`.
    pub fn observe(&mut self, camera: Option<&Camera>) {
        for track in self.alive.iter_mut().filter(|track| track.sight.is_none()) {
            let pixel = track.position().map(f64::from);
            track.sight = camera.and_then(|camera| {
                let bearing = Vector3::from(camera.unproject(pixel)?);
                Some(Sight { bearing, normalised: camera.normalise(pixel) })
            });
        }
    }

    /// Loses the tracks that contradict the motion of the camera; `turn` is `cam1_from_cam0` where it is known. `None`
    /// where no track has sights in both frames.
    pub fn verify(
        &mut self,
        turn: Option<&UnitQuaternion<f64>>,
        verification: &VerifySettings,
        settings: &TracksSettings,
    ) -> Option<Method> {
        let pair = |track: &Track| Some(BearingPair { before: track.before?.bearing, after: track.sight?.bearing });
        let pairs: Vec<BearingPair> = self.alive.iter().filter_map(pair).collect();
        if pairs.is_empty() {
            return None;
        }
        let verdict = verify(&pairs, turn, verification);
        let mut inliers = verdict.inliers.into_iter();
        self.lose_where(settings, |track| {
            let outlier = pair(track).is_some() && inliers.next() == Some(false);
            outlier.then_some(LossReason::Outlier)
        });
        Some(verdict.method)
    }

    /// Ends every track; ids go on.
    pub fn restart(&mut self) {
        let parked = self.parked.drain(..).map(|parked| parked.track.id);
        self.scars.clear();
        self.noise = 0.0;
        let ids = self.alive.drain(..).map(|track| track.id).chain(parked);
        self.lost.extend(ids.map(|id| Lost { id, reason: LossReason::Restart }));
    }

    /// The tracks that ended since the last call, ids ascending.
    pub fn take_lost(&mut self) -> Vec<Lost> {
        let mut lost = std::mem::take(&mut self.lost);
        lost.sort_by_key(|lost| lost.id);
        lost
    }

    /// Loses the tracks for which there is a reason: for good, or until they are found again.
    fn lose_where(&mut self, settings: &TracksSettings, mut reason: impl FnMut(&mut Track) -> Option<LossReason>) {
        let mut kept = Vec::with_capacity(self.alive.capacity());
        for mut track in self.alive.drain(..) {
            let reason = reason(&mut track);
            if let Some(reason) = reason {
                self.scars.note(&track, reason);
            }
            match reason {
                None => kept.push(track),
                Some(reason) if settings.reacquire_frames > 0 && reason.is_passing() && track.descriptor.is_some() => {
                    self.parked.push(Parked::new(track, reason));
                }
                Some(reason) => self.lost.push(Lost { id: track.id, reason }),
            }
        }
        self.alive = kept;
    }
}
