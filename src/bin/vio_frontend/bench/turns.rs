//! The ways of a case, one after the other in turns, so that what changes on the machine meets all of them alike.

use std::collections::BTreeMap;

use serde::Serialize;
use vio_frontend::frontend::StageTimes;
use vio_frontend::telemetry::{Percentiles, Telemetry};

/// Frames of a turn that count.
const TURN: usize = 100;

/// How frames are spread over turns.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    /// Of each way, those that count.
    pub frames: usize,
    /// Frames at the beginning that do not count.
    pub warm_up: usize,
    /// Frames at the beginning of each turn that do not count.
    pub settle: usize,
}

/// The figures of one way.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Figures {
    /// By stage, and of the whole: `total`.
    pub latency_us: BTreeMap<String, Percentiles>,
    /// p99 - p50 of the total, us.
    pub tail_us: f64,
}

impl Figures {
    fn new(telemetry: &Telemetry) -> Self {
        let latency_us = telemetry.latencies().map(|(stage, latency)| (stage.to_owned(), latency)).collect();
        let mut figures = Self { latency_us, tail_us: 0.0 };
        let Percentiles { p50, p99, .. } = figures.total();
        figures.tail_us = p99 - p50;
        figures
    }

    pub fn total(&self) -> Percentiles {
        self.latency_us.get("total").copied().unwrap_or_default()
    }
}

/// Runs `ways` ways in turns: `run(way, buffer)` is one frame.
pub fn take_turns(
    ways: usize,
    Turns { frames, warm_up, settle }: Turns,
    buffers: usize,
    mut run: impl FnMut(usize, usize) -> anyhow::Result<StageTimes>,
) -> anyhow::Result<Vec<Figures>> {
    let mut times = vec![Telemetry::default(); ways];
    let mut next = vec![0; ways];
    let counted = std::iter::once(0).chain((0..frames).step_by(TURN).map(|done| TURN.min(frames - done)));
    for (turn, counted) in counted.enumerate() {
        let uncounted = if turn == 0 { warm_up } else { settle };
        for (way, (times, next)) in times.iter_mut().zip(&mut next).enumerate() {
            for k in 0..uncounted + counted {
                let frame = run(way, *next)?;
                *next = (*next + 1) % buffers.max(1);
                if k >= uncounted {
                    frame.stages.iter().for_each(|&(stage, time)| times.took(stage, time));
                    times.took("total", frame.total);
                }
            }
        }
    }
    Ok(times.iter().map(Figures::new).collect())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_way_counts_as_many_frames_and_none_of_the_warm_up() {
        let mut calls = [0, 0];
        let turns = Turns { frames: 250, warm_up: 30, settle: 10 };
        let figures = take_turns(2, turns, 3, |way, buffer| {
            assert_eq!(buffer, calls[way] % 3);
            calls[way] += 1;
            let warm = calls[way] <= 30 || (calls[way] - 31) % 110 < 10;
            let time = Duration::from_micros(if warm { 1_000_000 } else { 50 });
            Ok(StageTimes { stages: vec![("load", time / 2)], total: time })
        });
        let figures = figures.unwrap_or_default();
        assert_eq!(calls, [30 + 110 + 110 + 60; 2]);
        assert_eq!(figures.len(), 2);
        for way in figures {
            assert!((50.0..51.0).contains(&way.total().p50) && way.tail_us.abs() < 1e-9, "{way:?}");
            assert!((25.0..25.5).contains(&way.latency_us["load"].p99), "{way:?}");
        }
    }
}
