//! How a search goes on from a window: by Newton's step where that can be trusted, else by the template's.
//!
//! The template's step (Baker, S., Matthews, I. "Lucas-Kanade 20 Years On", IJCV 2004) takes the other image to change as
//! the template does. Where it does not, as after a change of scale, such steps shrink slowly, or turn back. Newton's step
//! takes the slope of the very sums that are to be 0, with the gradients of the image that is searched; it settles in two
//! or three, but far off it may lead anywhere.

use super::solve::Step;

/// Squared length, px^2, of the longest step of Newton's, and of the longest that is made longer.
const LONGEST_SQUARED: f32 = 4.0;

/// The steps taken at a level.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    last: [f32; 2],
    /// By how much a step of the template's is made longer.
    stretch: f32,
}

impl Default for Walk {
    fn default() -> Self {
        Self { last: [0.0; 2], stretch: 1.0 }
    }
}

impl Walk {
    /// The motion to take, px of the level.
    pub fn take(&mut self, step: &Step) -> [f32; 2] {
        let newton = step.newton.filter(|n| dot(*n, *n) <= LONGEST_SQUARED && dot(*n, step.motion) > 0.0);
        let motion = newton.unwrap_or(step.motion);
        let (turn, length, last) = (dot(motion, self.last), dot(motion, motion), dot(self.last, self.last));
        self.stretch = if newton.is_some() || turn <= 0.0 { 1.0 } else { self.stretched(length) };
        // What turns back went too far: halves end a swing.
        let scale = if turn < 0.0 && last < 4.0 * length { 0.5 } else { self.stretch };
        self.last = motion.map(|c| c * scale);
        self.last
    }

    /// Twice the stretch of the step before, for one that goes on in its direction, if it does not get too long.
    fn stretched(&self, length: f32) -> f32 {
        let twice = 2.0 * self.stretch;
        if twice * twice * length <= LONGEST_SQUARED { twice } else { 1.0 }
    }
}

fn dot([a, b]: [f32; 2], [c, d]: [f32; 2]) -> f32 {
    a * c + b * d
}
