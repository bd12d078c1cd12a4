//! C3: the threshold gain, the detector's only state between frames.

/// The threshold gain, Q16.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gain(pub u32);

impl Default for Gain {
    /// A gain of 1.
    fn default() -> Self {
        Self(1 << 16)
    }
}

impl Gain {
    /// 1/16.
    pub const LEAST: Self = Self(1 << 12);
    /// 16.
    pub const GREATEST: Self = Self(1 << 20);

    /// The gain for the next frame, after `found` candidates of class 0: at most 1/20 up or down, towards one and a
    /// half times the target, so that the choice between cells stays free.
    pub fn after(self, found: u32, target: u32) -> Self {
        let gain = i64::from(self.0);
        let wanted = ((3 * i64::from(target) + 1) / 2).max(1);
        let step = gain * (i64::from(found) - wanted) / wanted;
        let limit = gain / 20;
        let next = gain + step.clamp(-limit, limit);
        Self(next.clamp(i64::from(Self::LEAST.0), i64::from(Self::GREATEST.0)) as u32)
    }
}
