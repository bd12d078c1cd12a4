//! Which way images and results take on a discrete card: mapped or copied, measured with frames without work.
//!
//! The answer depends on card, bus and sizes. It is worth a few milliseconds when memory is allocated, and must never be
//! the reason why a GPU is not used: what cannot be measured, or differs by little, is mapped, which needs the fewest calls.

use std::time::{Duration, Instant};

use super::floor_frames::FloorFrames;
use super::transfers::{ImageTransfer, ResultTransfer, Transfers};
use super::{Pipeline, wait};
use crate::gpu::error::GpuError;
use crate::gpu::plan::DetectPlan;

/// Images of fewer bytes are mapped: the calls for a copy take longer than the few bytes.
const LEAST_BYTES: usize = 16 << 10;
/// Rounds that count, after one that does not.
const ROUNDS: usize = 5;
/// Fewest of them to decide by.
const LEAST_ROUNDS: usize = 3;
/// When this has passed, no round begins beyond the fewest.
const BUDGET: Duration = Duration::from_millis(5);

impl Pipeline {
    /// Settles the ways for frames of `plan`, unless they are settled.
    ///
    /// Errors: [`GpuError::Timeout`], as for any launch that is late. All else leaves the ways mapped.
    pub(super) fn choose_transfers(&mut self, plan: &DetectPlan) -> Result<(), GpuError> {
        let stream = &self.stream;
        if self.forced {
            return Ok(());
        }
        self.transfers = Transfers::of(stream.context().device().memory);
        let is_worth = plan.source_pitch() * plan.height as usize >= LEAST_BYTES;
        let Some(floor) = self.kernels.floor.as_ref().filter(|_| is_worth) else { return Ok(()) };
        let mut frames = match FloorFrames::new(floor, plan, stream) {
            Ok(frames) => frames,
            Err(error) => {
                tracing::debug!("no memory to measure transfers with: {error}");
                return Ok(());
            }
        };
        let measured = measure(self.transfers, |ways| frames.time(floor, ways, stream, self.limit));
        let error = match measured {
            Ok(found) => {
                self.transfers = found;
                return Ok(());
            }
            Err(error) => error,
        };
        tracing::debug!("transfers are not measured: {error}");
        // Something may still be queued that writes to the memory. What else is wrong with it the next call tells as well.
        let late = if matches!(error, GpuError::Timeout { .. }) { Err(error) } else { wait::idle(stream, self.limit) };
        match late {
            Err(error @ GpuError::Timeout { .. }) => {
                self.late = Some(frames);
                Err(error)
            }
            _ => Ok(()),
        }
    }
}

/// The ways that take clearly less time than `mapped`, each by itself. `time` is that of a frame.
fn measure(
    mapped: Transfers,
    mut time: impl FnMut(Transfers) -> Result<Duration, GpuError>,
) -> Result<Transfers, GpuError> {
    let ways = [
        mapped,
        Transfers { image: ImageTransfer::Copied, ..mapped },
        Transfers { results: ResultTransfer::Copied, ..mapped },
    ];
    let mut times = [const { Vec::new() }; 3];
    let start = Instant::now();
    for round in 0..=ROUNDS {
        for (ways, times) in ways.iter().zip(&mut times) {
            let time = time(*ways)?;
            if round > 0 {
                times.push(time);
            }
        }
        if round >= LEAST_ROUNDS && start.elapsed() > BUDGET {
            break;
        }
    }
    let [base, image, results] = times;
    tracing::debug!("a frame without work takes {base:?}, image copied {image:?}, results copied {results:?}");
    Ok(Transfers {
        image: if clearly_less(&image, &base) { ImageTransfer::Copied } else { mapped.image },
        results: if clearly_less(&results, &base) { ResultTransfer::Copied } else { mapped.results },
    })
}

/// Whether least and median of `times` are both more than a tenth below those of `others`.
fn clearly_less(times: &[Duration], others: &[Duration]) -> bool {
    let [times, others] = [times, others].map(|times| {
        let mut sorted = times.to_vec();
        sorted.sort_unstable();
        [sorted.first().copied(), sorted.get(sorted.len() / 2).copied()]
    });
    times.iter().zip(others).all(|(time, other)| match (time, other) {
        (Some(time), Some(other)) => *time * 10 < other * 9,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_is_chosen_by_itself() {
        let mapped = Transfers { image: ImageTransfer::Mapped, results: ResultTransfer::MappedInPlace };
        let measured = |image: u64, results: u64| {
            measure(mapped, |ways| {
                let image = if ways.image == ImageTransfer::Copied { image } else { 20 };
                let results = if ways.results == ResultTransfer::Copied { results } else { 20 };
                Ok(Duration::from_micros(image + results))
            })
        };
        let copied = Transfers { image: ImageTransfer::Copied, results: ResultTransfer::Copied };
        assert_eq!(measured(30, 30), Ok(mapped));
        assert_eq!(measured(10, 30), Ok(Transfers { image: ImageTransfer::Copied, ..mapped }));
        assert_eq!(measured(30, 10), Ok(Transfers { results: ResultTransfer::Copied, ..mapped }));
        assert_eq!(measured(10, 10), Ok(copied));
    }

    #[test]
    fn a_copy_is_chosen_where_it_clearly_saves_time() {
        let times = |values: &[u64]| values.iter().map(|&value| Duration::from_micros(value)).collect::<Vec<_>>();
        let mapped = times(&[30, 31, 300, 29, 30]);
        assert!(clearly_less(&times(&[20, 21, 500, 22, 20]), &mapped));
        // By little, in one figure alone, on no figure or on absurd ones.
        assert!(!clearly_less(&times(&[28, 28, 28, 28, 28]), &mapped));
        assert!(!clearly_less(&times(&[10, 31, 31, 31, 31]), &mapped));
        assert!(!clearly_less(&[], &mapped));
        assert!(!clearly_less(&mapped, &[]));
        assert!(!clearly_less(&times(&[0, 0, 0]), &times(&[0, 0, 0])));
    }
}
