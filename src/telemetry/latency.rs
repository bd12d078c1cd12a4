//! Latency percentiles in fixed memory.

use std::time::Duration;

use serde::Serialize;

/// Buckets an octave: a percentile is at most 1/128 too great.
const PER_OCTAVE: u64 = 128;
/// 2^36 ns is 69 s; longer durations count as that.
const LONGEST_NS: u64 = (1 << 36) - 1;
const BUCKETS: usize = index(LONGEST_NS) + 1;

/// A histogram of durations with logarithmic buckets (as in HdrHistogram), 30 kB whatever the number of samples.
#[derive(Clone)]
pub struct Latency {
    counts: Box<[u64; BUCKETS]>,
    samples: u64,
}

/// Percentiles, microseconds; 0 before the first sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Percentiles {
    pub p50: f64,
    pub p95: f64,
    pub p99: f64,
}

impl Default for Latency {
    fn default() -> Self {
        Self { counts: Box::new([0; BUCKETS]), samples: 0 }
    }
}

impl std::fmt::Debug for Latency {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Latency").field("samples", &self.samples).field("us", &self.percentiles()).finish()
    }
}

impl Latency {
    pub fn record(&mut self, duration: Duration) {
        let ns = u64::try_from(duration.as_nanos()).unwrap_or(LONGEST_NS).min(LONGEST_NS);
        if let Some(count) = self.counts.get_mut(index(ns)) {
            *count += 1;
            self.samples += 1;
        }
    }

    pub fn samples(&self) -> u64 {
        self.samples
    }

    pub fn percentiles(&self) -> Percentiles {
        Percentiles { p50: self.percentile(50), p95: self.percentile(95), p99: self.percentile(99) }
    }

    /// The least bucket end that `percent` of the samples do not exceed (nearest rank), us.
    fn percentile(&self, percent: u64) -> f64 {
        let rank = (self.samples * percent).div_ceil(100).max(1);
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return greatest(bucket) as f64 / 1e3;
            }
        }
        0.0
    }
}

/// The bucket of a duration: exact below [`PER_OCTAVE`] ns, then [`PER_OCTAVE`] buckets an octave.
const fn index(ns: u64) -> usize {
    if ns < PER_OCTAVE {
        return ns as usize;
    }
    let octave = (ns.ilog2() - PER_OCTAVE.ilog2()) as u64;
    (octave * PER_OCTAVE + (ns >> octave)) as usize
}

/// The greatest duration of a bucket, ns.
const fn greatest(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < PER_OCTAVE {
        return bucket;
    }
    let octave = bucket / PER_OCTAVE - 1;
    ((bucket - octave * PER_OCTAVE + 1) << octave) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_contiguous_and_contain_their_durations() {
        for bucket in 1..BUCKETS {
            assert_eq!(index(greatest(bucket)), bucket);
            assert_eq!(index(greatest(bucket - 1) + 1), bucket);
        }
        assert_eq!(greatest(BUCKETS - 1), LONGEST_NS);
    }

    #[test]
    fn percentiles_are_nearest_rank_within_a_bucket() {
        let mut latency = Latency::default();
        assert_eq!(latency.percentiles(), Percentiles::default());
        for us in 1..=1000 {
            latency.record(Duration::from_micros(us));
        }
        let found = latency.percentiles();
        for (found, exact) in [(found.p50, 500.0), (found.p95, 950.0), (found.p99, 990.0)] {
            assert!((exact..=exact * (1.0 + 1.0 / 128.0)).contains(&found), "{found} for {exact}");
        }
        assert_eq!(latency.samples(), 1000);
    }

    #[test]
    fn absurd_durations_count_as_the_longest() {
        let mut latency = Latency::default();
        latency.record(Duration::MAX);
        assert_eq!(latency.percentiles().p50, LONGEST_NS as f64 / 1e3);
    }
}
