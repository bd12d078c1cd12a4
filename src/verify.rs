//! Which tracks move as one rigid scene seen by a moving camera: seeded random sample consensus on bearings.
//!
//! Two models, tried in this order. A turn alone explains far points and a camera that stands; a turn and a direction
//! of translation (the epipolar geometry) explain the rest of a rigid scene. With the turn known from the gyroscope two
//! points give the direction; without it, or where it explains too little, five points give both. The five-point
//! problem is solved by Gauss-Newton steps from the best turn (Lui and Drummond 2013), which planar scenes do not
//! disturb.
//!
//! Residuals are angles, in pixels at the camera's own focal length. The result depends on the input and the seed only.

mod model;
mod points;
mod ransac;

use nalgebra::{UnitQuaternion, Vector3};

use crate::params::Params;
use model::Motion;
use ransac::{Consensus, Ransac};

/// The direction of one point in two images: unit vectors of the camera frame then and now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BearingPair {
    pub before: Vector3<f64>,
    pub after: Vector3<f64>,
}

/// How points are verified.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerifySettings {
    /// Greatest residual of an inlier, px (`F_threshold`).
    pub threshold_px: f64,
    /// Pixels a radian, see [`crate::camera::Camera::pixels_per_radian`].
    pub pixels_per_radian: f64,
    /// The same seed draws the same samples.
    pub seed: u64,
    /// Most samples for each model.
    pub max_samples: u32,
}

impl VerifySettings {
    /// The parameters `F_threshold` and `seed`, at most 200 samples.
    pub fn new(params: &Params, pixels_per_radian: f64) -> Self {
        Self { threshold_px: params.F_threshold, pixels_per_radian, seed: params.seed.into(), max_samples: 200 }
    }
}

/// What explained the inliers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Fewer than [`LEAST_POINTS`]: nothing was judged, all are kept.
    TooFew,
    /// A turn alone.
    Rotation,
    /// The turn that was given, and a direction of translation found with it.
    KnownRotation,
    /// Turn and direction of translation, both found.
    Essential,
    /// No model explains [`LEAST_SHARE`] of the points: nothing was judged, all are kept.
    Undecided,
}

/// With fewer points every model fits.
pub const LEAST_POINTS: usize = 8;

/// A model that explains fewer of the points than this is none.
pub const LEAST_SHARE: f64 = 0.3;

/// A known turn that explains fewer than this with any translation is doubted: both are then looked for.
const TRUSTED_SHARE: f64 = 0.7;

/// Of the points that a turn does not explain, translation must explain this share and the two points that determine
/// it; less is chance.
const BEYOND_CHANCE: f64 = 0.2;

/// The verdict on all points.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    pub method: Method,
    /// In the order of the points.
    pub inliers: Vec<bool>,
    /// Distance from the model in the order of the points, px; 0 where nothing was judged.
    pub residuals_px: Vec<f64>,
}

/// Judges `points`; `rotation` is `after_from_before`, where the gyroscope knows it.
///
/// Points that are not finite unit vectors are outliers of any model. Nothing is judged, and all points are kept, where
/// there are too few or no model explains enough of them.
pub fn verify(
    points: &[BearingPair],
    rotation: Option<&UnitQuaternion<f64>>,
    settings: &VerifySettings,
) -> Verification {
    let keep_all =
        |method| Verification { method, inliers: vec![true; points.len()], residuals_px: vec![0.0; points.len()] };
    if points.len() < LEAST_POINTS {
        return keep_all(Method::TooFew);
    }
    let mut ransac = Ransac::new(points, settings);
    let turn = ransac.rotation(rotation);
    let (mut method, mut best) = (Method::Essential, None);
    if let Some(rotation) = rotation {
        let found = ransac.known_rotation(rotation);
        if found.score.count as f64 >= TRUSTED_SHARE * points.len() as f64 {
            (method, best) = (Method::KnownRotation, Some(found));
        }
    }
    let moved = best.unwrap_or_else(|| ransac.essential(turn.motion.rotation));
    let rest = points.len().saturating_sub(turn.score.count) as f64;
    let chance = 2.0 + BEYOND_CHANCE * rest;
    let explained = moved.score.count as f64 - turn.score.count as f64;
    let (method, chosen) = if explained > chance { (method, moved) } else { (Method::Rotation, turn) };
    if (chosen.score.count as f64) < LEAST_SHARE * points.len() as f64 {
        return keep_all(Method::Undecided);
    }
    verdict(points, method, &chosen, settings)
}

fn verdict(points: &[BearingPair], method: Method, chosen: &Consensus, settings: &VerifySettings) -> Verification {
    let residual = |point| {
        let motion: &Motion = &chosen.motion;
        motion.residual(point) * settings.pixels_per_radian
    };
    let residuals_px: Vec<f64> = points.iter().map(residual).collect();
    let inliers = residuals_px.iter().map(|&residual| residual <= settings.threshold_px).collect();
    Verification { method, inliers, residuals_px }
}
