//! Tracking from one image to the next: types that the plain path and its twins share. Formulas: `kernels/README.md`.
//!
//! Pure functions of two pyramids: which tracks there are, and what becomes of the lost ones, is decided elsewhere.

pub mod bilinear;
pub mod gradient;
pub mod moments;
pub mod patch;
pub mod plain;
pub mod predict;
pub mod solve;
pub mod walk;
pub mod window;

use crate::image::GrayImage;
use crate::params::Params;
use bilinear::Point;
use moments::WindowSums;
use solve::System;
use window::Template;

/// Least side of the window, px.
pub const LEAST_WINDOW: u32 = 5;
/// Greatest side of the window, px: up to here the lanes of half a warp sum in 32 bits.
pub const GREATEST_WINDOW: u32 = 31;

/// What moved less, px, is not searched for once more: where nothing moves, a small window only adds noise.
pub const REFINE_LEAST: f32 = 1.0;
/// Greatest distance, px, by which the last search may correct what the others found.
pub const REFINE_REACH: f32 = 1.0;

/// How points are tracked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackSettings {
    /// Side of the square window, px of each level; odd, [`LEAST_WINDOW`] to [`GREATEST_WINDOW`]. Other values count
    /// as the nearest one allowed.
    pub window: u32,
    /// Pyramid levels used: at least one, at most those that there are.
    pub levels: u32,
    /// Most steps at a level.
    pub max_iter: u32,
    /// A step at most this long ends a level, px of the level.
    pub eps: f32,
    /// Least smaller eigenvalue of the gradient matrix, per pixel of the window, in units of 1024 (grey levels / px)^2:
    /// the scale of OpenCV's `minEigThreshold`.
    pub min_eigenvalue: f32,
    /// Greatest residual, grey levels (see [`Flow::residual`]).
    pub max_residual: f32,
    /// Greatest distance, level-0 px, between the start and where tracking back from the result ends. `None`: no
    /// tracking back.
    pub max_backward_error: Option<f32>,
    /// Side of the window of a last search at level 0 for what moved a pixel or more, from where the others ended: a scene
    /// that approaches changes less in a small window. Odd, values out of range count as with `window`; 0 leaves it out.
    pub refine_window: u32,
    /// Whether the light may change by a gain and an offset. In steady light and without a guess, fixed light finds more of
    /// the points that moved far.
    pub illumination: bool,
}

impl Default for TrackSettings {
    fn default() -> Self {
        Self {
            window: 21,
            levels: 3,
            max_iter: 12,
            eps: 0.03,
            min_eigenvalue: 1e-4,
            max_residual: f32::MAX,
            max_backward_error: Some(0.5),
            refine_window: 11,
            illumination: false,
        }
    }
}

impl From<&Params> for TrackSettings {
    fn from(params: &Params) -> Self {
        Self {
            window: params.klt_win_size,
            levels: params.pyramid_levels,
            max_iter: params.klt_max_iter,
            eps: params.klt_eps as f32,
            min_eigenvalue: params.klt_min_eigenvalue as f32,
            max_residual: params.klt_max_residual as f32,
            max_backward_error: params.flow_back.then_some(params.flow_back_px as f32),
            refine_window: params.klt_refine_size,
            illumination: params.illumination,
        }
    }
}

impl TrackSettings {
    /// Pixels of the window on each side of its centre.
    pub fn radius(&self) -> usize {
        (self.window.clamp(LEAST_WINDOW, GREATEST_WINDOW) / 2) as usize
    }

    /// Pixels of the last search's window on each side of its centre; `None` leaves that search out.
    pub fn refine_radius(&self) -> Option<usize> {
        let window = self.refine_window;
        (window > 0).then(|| (window.clamp(LEAST_WINDOW, GREATEST_WINDOW) / 2) as usize)
    }

    /// [`Self::max_backward_error`], if it is a distance.
    pub fn backward_limit(&self) -> Option<f32> {
        self.max_backward_error.filter(|most| *most >= 0.0)
    }

    /// Levels used of `available` ones.
    pub fn levels_of(&self, available: usize) -> usize {
        available.min(self.levels.max(1) as usize)
    }
}

/// A point to be found again. Positions are level-0 px, pixel centres at integers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowStart {
    /// Where it is in the previous image.
    pub from: [f32; 2],
    /// Where to look first in the current image.
    pub guess: [f32; 2],
    /// Whether the guess is good to a few pixels, so that the search begins at level 1 instead of the coarsest.
    pub trusted: bool,
}

impl FlowStart {
    /// A point of which nothing is known but where it was.
    pub fn resting(from: [f32; 2]) -> Self {
        Self { from, guess: from, trusted: false }
    }
}

/// What became of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FlowStatus {
    /// Found.
    Tracked = 0,
    /// Its start is outside the image, or the search left it.
    Outside = 1,
    /// The smaller eigenvalue is below [`TrackSettings::min_eigenvalue`]: it looks alike along some direction.
    LowTexture = 2,
    /// The residual exceeds [`TrackSettings::max_residual`]: what was found looks different.
    Residual = 3,
    /// Tracking back ends elsewhere, or nowhere.
    Inconsistent = 4,
}

impl FlowStatus {
    /// All of them; the index is the number that devices use.
    pub const ALL: [Self; 5] = [Self::Tracked, Self::Outside, Self::LowTexture, Self::Residual, Self::Inconsistent];
}

/// Where a point went. Floats are finite where the start's are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// Level-0 px in the current image. The start's `from` where the status is `Outside` or `LowTexture`.
    pub position: [f32; 2],
    /// What became of it.
    pub status: FlowStatus,
    /// Root mean square difference of the two windows at level 0, after gain and offset if these are estimated; grey
    /// levels of the current image. 0 where the status is `Outside` or `LowTexture`.
    pub residual: f32,
    /// Smaller eigenvalue at level 0, in the unit of [`TrackSettings::min_eigenvalue`]; 0 where the start is outside.
    pub min_eigenvalue: f32,
    /// Distance between the start and where tracking back ended, level-0 px; 0 if it did not or was not done.
    pub backward_error: f32,
}

impl Flow {
    /// One standard deviation of either coordinate of the position, see [`sigma`].
    pub fn sigma(&self, radius: usize) -> f32 {
        sigma(self.residual, self.min_eigenvalue, radius)
    }
}

/// One standard deviation of a tracked position along the direction that is known worst, px: the residual over the root
/// of the gradient matrix' smaller eigenvalue, as of least squares with independent noise. Units as in [`Flow`];
/// `radius` is that of the window, and no error is taken to be greater.
pub fn sigma(residual: f32, min_eigenvalue: f32, radius: usize) -> f32 {
    let side = (2 * radius + 1) as f32;
    let sigma = residual / (min_eigenvalue * 1024.0 * side * side).sqrt();
    if sigma < radius as f32 { sigma } else { radius as f32 }
}

/// The smaller eigenvalue at `place` of `image`, px, in the unit of [`TrackSettings::min_eigenvalue`]: how well a point
/// there would be tracked.
pub fn min_eigenvalue(image: &GrayImage, place: [f32; 2], radius: usize) -> f32 {
    let template = Template::new(image, &Point::new(place), radius);
    System::new(template.sums(&template.area()), &WindowSums::default(), false).min_eigenvalue()
}
