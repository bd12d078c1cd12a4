//! Seeded numbers, the same everywhere.

/// The generator of Steele, Lea and Flood (2014): a few integer operations.
#[derive(Clone, Debug)]
pub(crate) struct SplitMix64(u64);

impl SplitMix64 {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in 0..`end`.
    pub fn below(&mut self, end: u32) -> i32 {
        (((self.next() >> 32) * u64::from(end)) >> 32) as i32
    }

    /// About normal with standard deviation 1, in 65536ths: the sum of eight even bytes, which ends at 4.9.
    pub fn normal(&mut self) -> i64 {
        let sum: i64 = self.next().to_le_bytes().into_iter().map(i64::from).sum();
        // The sum's mean is 8 * 127.5 and its variance 8 * (256^2 - 1) / 12 = 209.02^2; 65536 / 209.02 = 313.5.
        ((sum - 1020) * 627) >> 1
    }
}
