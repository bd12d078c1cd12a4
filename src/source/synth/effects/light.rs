//! Light that changes with time, the same everywhere in the image.

use crate::frame::StampNs;
use crate::params::nearest;
use crate::source::synth::SynthError;

/// A gain of 1, in 65536ths.
const FULL: i64 = 1 << 16;
const SECOND_NS: StampNs = 1_000_000_000;

/// How bright the scene is over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Light {
    /// The same all the time.
    #[default]
    Steady,
    /// Falls to 45 % one second after the start, is back two seconds later, and so on every two seconds.
    Step,
    /// Falls evenly to 25 % within four seconds and comes back within four, over and over.
    Ramp,
    /// Seven times a second between 70 % and 100 %, a cosine.
    Flicker,
    /// Nearly black, 3 %, for four images (0.2 s) from 1, 3, 5 ... seconds after the start on.
    Blackout,
}

impl Light {
    /// By name, in the order of the variants.
    pub const NAMES: [&'static str; 5] = ["steady", "step", "ramp", "flicker", "blackout"];
    const ALL: [Self; 5] = [Self::Steady, Self::Step, Self::Ramp, Self::Flicker, Self::Blackout];

    /// The name that [`Effects::set`](super::Effects::set) knows it by.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    pub(super) fn parse(name: &str) -> Result<Self, SynthError> {
        let found = Self::ALL.into_iter().find(|light| light.name() == name);
        found.ok_or_else(|| {
            let meant = nearest(name, &Self::NAMES).map(|n| format!("; did you mean {n}?")).unwrap_or_default();
            let expected = format!("one of {}{meant}", Self::NAMES.join(", "));
            SynthError::Option { name: "light", value: name.to_owned(), expected }
        })
    }

    /// Brightness at a time since the first image, in 65536ths.
    pub(in crate::source::synth) fn gain(self, since_start_ns: StampNs) -> i64 {
        let t = since_start_ns;
        match self {
            Self::Steady => FULL,
            Self::Step if (t + SECOND_NS).div_euclid(2 * SECOND_NS) % 2 == 0 => FULL,
            Self::Step => FULL * 45 / 100,
            Self::Ramp => {
                let half = 4 * SECOND_NS;
                let down = half - (t.rem_euclid(2 * half) - half).abs();
                FULL - (FULL - FULL / 4) * down / half
            }
            Self::Flicker => {
                let turns = (7 * t).rem_euclid(SECOND_NS) as f64 / SECOND_NS as f64;
                let cos = libm::cos(2.0 * std::f64::consts::PI * turns);
                (FULL as f64 * (0.85 + 0.15 * cos)) as i64
            }
            Self::Blackout if (SECOND_NS..SECOND_NS * 6 / 5).contains(&t.rem_euclid(2 * SECOND_NS)) => FULL * 3 / 100,
            Self::Blackout => FULL,
        }
    }
}
