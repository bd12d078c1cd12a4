//! Where to look for tracks: at what the gyroscope predicts, and as far beyond it as they were in the frame before.

use super::Tracks;
use super::neighbours::Neighbours;
use crate::track::FlowStart;

/// A young track moves as those about it, px.
const ABOUT: f32 = 80.0;
/// Fewer about it tell nothing.
const LEAST: usize = 3;

/// How a point moved from one image to the next beyond its prediction: by the camera's translation, or by all of the
/// motion where no turn is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Departure {
    /// Level-0 px.
    pub shift: [f32; 2],
    /// Whether the turn was known.
    pub from_turn: bool,
}

/// Where a track is expected in the next image.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expected {
    /// Without a departure, level-0 px.
    pub place: [f32; 2],
    /// Whether the turn is known.
    pub by_turn: bool,
    /// Whether the turn takes it out of the image, so that not to find it is no surprise.
    pub leaves: bool,
}

impl Tracks {
    /// What to look for in the next image: the tracks alive, each from where the camera's turn takes it, `predicted` in
    /// their order, or from where it is. Each departs from there as in the frame before, `pace` times as far, and the
    /// youngest as those about them. `size` is that of the image, px.
    pub fn starts(&mut self, predicted: &[Option<[f64; 2]>], pace: f32, size: [u32; 2]) -> Vec<FlowStart> {
        let known = !predicted.is_empty();
        let predicted = predicted.iter().copied().chain(std::iter::repeat(None));
        for (track, predicted) in self.alive.iter_mut().zip(predicted) {
            let place = predicted.map_or(track.position(), |place| place.map(|c| c as f32));
            let by_turn = predicted.is_some();
            track.expected = Expected { place, by_turn, leaves: known && !by_turn };
        }
        let near = Neighbours::of(size, ABOUT, self.positions());
        let start = |track: &super::Track| {
            let Expected { place, by_turn, .. } = track.expected;
            let departure = match track.departure {
                Some(departure) => departure.shift_if(by_turn),
                None => self.about(track.position(), by_turn, &near),
            };
            let [x, y] = departure.unwrap_or_default();
            let guess = [place[0] + pace * x, place[1] + pace * y];
            FlowStart { from: track.position(), guess, trusted: by_turn }
        };
        self.alive.iter().map(start).collect()
    }

    /// The tracks alive, each looked for where it is.
    pub fn resting(&mut self) -> Vec<FlowStart> {
        for track in &mut self.alive {
            track.expected = Expected { place: track.position(), ..Expected::default() };
        }
        self.positions().map(FlowStart::resting).collect()
    }

    /// Median departure of the tracks about `place`.
    fn about(&self, place: [f32; 2], by_turn: bool, near: &Neighbours) -> Option<[f32; 2]> {
        let departure = |(index, _): (usize, f32)| self.alive.get(index)?.departure?.shift_if(by_turn);
        let (mut x, mut y): (Vec<f32>, Vec<f32>) =
            near.within(place, ABOUT).filter_map(departure).map(|[x, y]| (x, y)).unzip();
        (x.len() >= LEAST).then(|| [median(&mut x), median(&mut y)])
    }
}

impl Departure {
    fn shift_if(self, from_turn: bool) -> Option<[f32; 2]> {
        (self.from_turn == from_turn).then_some(self.shift)
    }
}

/// The upper one of two in the middle; 0 of nothing.
pub fn median(values: &mut [f32]) -> f32 {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
