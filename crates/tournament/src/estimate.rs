//! How sure a mean is.

/// A mean, and how far it may be off: the true one lies within `error` of it with 95 % certainty.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half of the interval; `None` if there are too few values to say.
    pub error: Option<f64>,
}

/// How much stronger the first player is than the second, in Elo points, with 95 % certainty. A side that won
/// everything is stronger by an unlimited number of points, and an end of the interval may be unlimited too.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Elo {
    /// The best guess.
    pub difference: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// What estimates need of values that are whole numbers of some unit: their number, their sum and that of their
/// squares. Whole numbers, so nothing is lost, and the order in which they come does not matter.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Sums {
    n: u64,
    sum: i128,
    squares: i128,
}

impl Sums {
    pub(crate) fn add(&mut self, value: i32) {
        self.n += 1;
        self.sum += i128::from(value);
        self.squares += i128::from(value) * i128::from(value);
    }

    fn mean(&self) -> f64 {
        self.sum as f64 / self.n as f64
    }

    /// The squares of the distances to the mean, summed.
    fn spread(&self) -> f64 {
        // Around the mean without its fraction it is exact, and what the fraction takes off is small.
        let n = i128::from(self.n);
        let (whole, rest) = (self.sum.div_euclid(n), self.sum.rem_euclid(n));
        let around = self.squares - whole * (self.sum + rest);
        around as f64 - (rest as f64).powi(2) / n as f64
    }

    /// Of values of which so many make 1; `None` if there are none.
    pub(crate) fn estimate(&self, unit: i32) -> Option<Estimate> {
        let (n, unit) = (self.n as f64, f64::from(unit));
        let error = || 1.96 * (self.spread() / (n - 1.0) / n).sqrt() / unit;
        (self.n > 0).then(|| Estimate { mean: self.mean() / unit, error: (self.n > 1).then(error) })
    }

    /// Of shares between 0 and 1; `None` if there are none. Never certain, also when all shares are equal.
    pub(crate) fn shares(&self, unit: i32) -> Option<Estimate> {
        let mean = self.estimate(unit)?.mean;
        let (low, high) = self.share_interval(unit);
        Some(Estimate { mean, error: Some((mean - low).max(high - mean)) })
    }

    /// From the shares of the first player in independent parts of a series; `None` if there are none.
    pub(crate) fn elo(&self, unit: i32) -> Option<Elo> {
        // Beyond this share the difference is larger than any that could be told apart from a clean sweep.
        let elo = |share: f64| match share {
            _ if share < 1e-9 => f64::NEG_INFINITY,
            _ if share > 1.0 - 1e-9 => f64::INFINITY,
            // Adding zero turns a negative zero into zero.
            _ => -400.0 * (1.0 / share - 1.0).log10() + 0.0,
        };
        let mean = self.estimate(unit)?.mean;
        let (low, high) = self.share_interval(unit);
        Some(Elo { difference: elo(mean), low: elo(low), high: elo(high) })
    }

    /// The ends of the 95 % interval of a mean of shares between 0 and 1: Wilson's interval with the variance that was
    /// seen. Unlike the usual one it stays between 0 and 1, and it does not call ten wins out of ten certain.
    fn share_interval(&self, unit: i32) -> (f64, f64) {
        const Z: f64 = 1.96;
        let (n, unit) = (self.n as f64, f64::from(unit));
        let variance = self.spread() / n / (unit * unit);
        let centre = self.mean() / unit + Z * Z / (2.0 * n);
        let half = Z * (variance / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        // Rounding must not leave the range, where a clean sweep ends.
        (((centre - half) / scale).max(0.0), ((centre + half) / scale).min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_is_too_large_and_no_spread_too_small() {
        for far in [i32::MIN, -1_000_000_000, 0, i32::MAX - 1] {
            let mut sums = Sums::default();
            // One in a million is one more than all others.
            for idx in 0..1_000_000 {
                sums.add(far + i32::from(idx == 500_000));
            }
            assert!((sums.spread() - 0.999_999).abs() < 1e-9, "{} around {far}", sums.spread());
        }
        // As many as there are numbers.
        let worst = i128::from(u64::MAX) * i128::from(i32::MIN);
        let sums = Sums { n: u64::MAX, sum: worst, squares: worst * i128::from(i32::MIN) };
        assert!(sums.spread().abs() < 1e-9);
    }
}
