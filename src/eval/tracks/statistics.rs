//! Quantiles, and distances in the image.

/// Values of which quantiles are asked; infinite ones are worse than any bound.
#[derive(Clone, Debug, Default)]
pub(super) struct Values(Vec<f64>);

impl Values {
    pub fn add(&mut self, value: f64) {
        self.0.push(value);
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The least value that `share` of all do not exceed; `None` of nothing and where it is not finite.
    pub fn quantile(&mut self, share: f64) -> Option<f64> {
        self.0.sort_by(f64::total_cmp);
        let rank = (share * self.0.len() as f64).ceil() as usize;
        self.0.get(rank.saturating_sub(1)).copied().filter(|value| value.is_finite())
    }

    pub fn median(&mut self) -> Option<f64> {
        self.quantile(0.5)
    }

    /// Share of at most `bound`; `None` of nothing.
    pub fn within(&self, bound: f64) -> Option<f64> {
        share(self.0.iter().filter(|&&value| value <= bound).count(), self.0.len())
    }
}

impl FromIterator<f64> for Values {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

/// `None` of nothing.
pub(super) fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// px.
pub(super) fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_that_were_measured() {
        let mut values: Values = [4.0, 1.0, 3.0, 2.0].into_iter().collect();
        assert_eq!((values.median(), values.quantile(0.95), values.within(2.0)), (Some(2.0), Some(4.0), Some(0.5)));
        values.add(f64::INFINITY);
        assert_eq!((values.len(), values.median(), values.quantile(1.0)), (5, Some(3.0), None));
        assert_eq!((Values::default().median(), Values::default().within(1.0)), (None, None));
    }
}
