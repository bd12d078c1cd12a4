//! Places where tracks failed a moment ago: what could not be followed there will not be followed now.

use super::{LossReason, Track};

/// Frames for which no track begins at the place of a failure.
const FRAMES: u32 = 10;

/// The place of a failure, moving on as the track did.
#[derive(Clone, Copy, Debug)]
struct Scar {
    /// Level-0 px.
    place: [f32; 2],
    /// From one frame to the next, px.
    shift: [f32; 2],
    frames_left: u32,
}

/// The places of recent failures.
#[derive(Clone, Debug, Default)]
pub struct Scars(Vec<Scar>);

impl Scars {
    /// Notes the failure of `track`, if `reason` is one of its place: not that it left the image, went dark or made room.
    pub fn note(&mut self, track: &Track, reason: LossReason) {
        let place = match reason {
            // Found, at the wrong place or on something that moves.
            LossReason::Outlier => track.position(),
            LossReason::Residual | LossReason::Inconsistent => track.expected.place,
            LossReason::Outside | LossReason::LowTexture | LossReason::Masked => return,
            LossReason::Object | LossReason::Crowded | LossReason::Surplus | LossReason::Restart => return,
        };
        self.0.push(Scar { place, shift: track.step, frames_left: FRAMES });
    }

    /// Where no track begins in this frame, level-0 px.
    pub fn places(&self) -> impl Iterator<Item = [f32; 2]> {
        self.0.iter().map(|scar| scar.place)
    }

    /// Goes on to the next frame.
    pub fn advance(&mut self) {
        self.0.retain_mut(|scar| {
            scar.place = [scar.place[0] + scar.shift[0], scar.place[1] + scar.shift[1]];
            scar.frames_left -= 1;
            scar.frames_left > 0
        });
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }
}
