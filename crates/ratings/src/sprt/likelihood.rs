//! The distribution of results that is likeliest under a hypothesis, given what was seen.

/// A result that was never seen counts as so many, so that no hypothesis excludes it.
const UNSEEN: f64 = 0.001;

/// The hypothesis is met when no share moves by more.
const SETTLED: f64 = 1e-10;

/// Shares that do not settle within so many rounds differ in digits that decide nothing.
const MAX_ROUNDS: usize = 200;

/// What was seen: the share of each score.
pub(super) struct Likelihood<'a> {
    scores: &'a [f64],
    shares: Vec<f64>,
    units: f64,
}

impl<'a> Likelihood<'a> {
    pub(super) fn new(scores: &'a [f64], counts: &[u64]) -> Self {
        let seen = |count: u64| if count == 0 { UNSEEN } else { count as f64 };
        let units: f64 = counts.iter().map(|&count| seen(count)).sum();
        let shares = counts.iter().map(|&count| seen(count) / units).collect();
        Self { scores, shares, units }
    }

    /// The logarithm of how much likelier the second distribution makes what was seen.
    pub(super) fn ratio(&self, zero: &[f64], one: &[f64]) -> f64 {
        let each = self.shares.iter().zip(zero).zip(one);
        self.units * each.map(|((share, zero), one)| share * libm::log(one / zero)).sum::<f64>()
    }

    /// The likeliest distribution with this mean score.
    pub(super) fn with_mean(&self, mean: f64) -> Vec<f64> {
        let distances: Vec<f64> = self.scores.iter().map(|score| score - mean).collect();
        self.balanced(&distances)
    }

    /// The likeliest one with a mean that is so many of its standard deviations above 1/2.
    ///
    /// The condition `mean - 1/2 = t deviation` is replaced by its tangent at the distribution found last. For t > 0
    /// it is convex: a tangent lies below it, so each distribution found is on the far side, and from there a next one
    /// exists. Only the first one, even shares, may be too far on the near side.
    pub(super) fn with_deviations(&self, t: f64) -> Vec<f64> {
        let mut found = vec![1.0 / self.scores.len() as f64; self.scores.len()];
        let mut tangent = self.tangent(&found, t);
        if !(tangent.iter().any(|&f| f > 0.0) && tangent.iter().any(|&f| f < 0.0)) {
            tangent = self.tangent(&self.beyond(t), t);
        }
        for _ in 0..MAX_ROUNDS {
            let next = self.balanced(&tangent);
            let moved = next.iter().zip(&found).map(|(next, last)| (next - last).abs()).fold(0.0, f64::max);
            found = next;
            if moved < SETTLED {
                break;
            }
            tangent = self.tangent(&found, t);
        }
        found
    }

    /// A distribution whose mean is more than `t` standard deviations from 1/2: nearly all of it at one end.
    fn beyond(&self, t: f64) -> Vec<f64> {
        let rest = 1.0 / (16.0 * (1.0 + t.abs()) * (1.0 + t.abs()));
        let (near, far) = if t > 0.0 { (1.0, 0.0) } else { (0.0, 1.0) };
        let at = |end: f64| self.scores.iter().position(|score| (score - end).abs() <= 0.0);
        let mut shares = vec![0.0; self.scores.len()];
        for (end, share) in [(near, 1.0 - rest), (far, rest)] {
            if let Some(idx) = at(end) {
                shares[idx] = share;
            }
        }
        shares
    }

    /// What one unit more of each score does to `mean - 1/2 - t deviation`.
    fn tangent(&self, shares: &[f64], t: f64) -> Vec<f64> {
        let weighted = |value: &dyn Fn(f64) -> f64| -> f64 {
            self.scores.iter().zip(shares).map(|(&score, share)| share * value(score)).sum()
        };
        let mean = weighted(&|score| score);
        let deviation = weighted(&|score| (score - mean) * (score - mean)).sqrt();
        let slope = |score: f64| {
            let away = (score - mean) / deviation;
            score - 0.5 - t * deviation * (1.0 + away * away) / 2.0
        };
        self.scores.iter().map(|&score| slope(score)).collect()
    }

    /// The likeliest distribution in which these weights have mean 0: `share / (1 + x weight)`, with x the root of a
    /// function that falls from one end of its range to the other.
    fn balanced(&self, weights: &[f64]) -> Vec<f64> {
        let mut low = -1.0 / weights.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let mut high = -1.0 / weights.iter().copied().fold(-f64::MIN_POSITIVE, f64::min);
        let mut x = 0.0;
        for _ in 0..MAX_ROUNDS {
            let (mut value, mut slope) = (0.0, 0.0);
            for (share, weight) in self.shares.iter().zip(weights) {
                let part = weight / (1.0 + x * weight);
                value += share * part;
                slope += share * part * part;
            }
            if value > 0.0 {
                low = x;
            } else {
                high = x;
            }
            // Newton's step where it stays inside, else half of what is left.
            let step = x + value / slope;
            let next = if low < step && step < high { step } else { f64::midpoint(low, high) };
            let moved = (next - x).abs();
            x = next;
            if moved <= f64::EPSILON * x.abs() {
                break;
            }
        }
        // At the end of the range rounding may leave nothing of the divisor.
        let share = |(share, weight): (&f64, &f64)| share / (1.0 + x * weight).max(f64::EPSILON / 2.0);
        self.shares.iter().zip(weights).map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THIRDS: [f64; 7] = [0.0, 1.0 / 6.0, 1.0 / 3.0, 0.5, 2.0 / 3.0, 5.0 / 6.0, 1.0];

    /// Mean and standard deviation, if it is a distribution.
    fn moments(shares: &[f64]) -> (f64, f64) {
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9 && shares.iter().all(|&share| share > 0.0));
        let mean: f64 = THIRDS.iter().zip(shares).map(|(score, share)| score * share).sum();
        let square = |(score, share): (&f64, &f64)| (score - mean) * (score - mean) * share;
        (mean, THIRDS.iter().zip(shares).map(square).sum::<f64>().sqrt())
    }

    #[test]
    fn hypotheses_are_met_whatever_was_seen() {
        for counts in [
            [1, 0, 2, 1, 2, 1, 1],
            [0, 0, 0, 0, 0, 0, 40],
            [900, 0, 0, 3, 0, 0, 0],
            [0, 0, 0, 1, 0, 0, 0],
            [5, 5, 5, 5, 5, 5, 5],
        ] {
            let seen = Likelihood::new(&THIRDS, &counts);
            for mean in [0.02, 0.5, 0.61, 0.99] {
                assert!(
                    (moments(&seen.with_mean(mean)).0 - mean).abs() < 1e-9,
                    "{counts:?} with mean {mean}"
                );
            }
            // Even shares have no distribution on their tangent from about 1 on.
            for t in [-3.0, -1.1, -0.2, 0.0, 0.1, 0.9, 1.5, 6.0] {
                let (mean, deviation) = moments(&seen.with_deviations(t));
                assert!(
                    ((mean - 0.5) / deviation - t).abs() < 1e-6,
                    "{counts:?} with {t}: {mean}, {deviation}"
                );
            }
        }
    }

    #[test]
    fn what_was_seen_is_the_likeliest_where_it_meets_the_hypothesis() {
        let counts = [1, 2, 3, 4, 3, 2, 1];
        let seen = Likelihood::new(&THIRDS, &counts);
        for shares in [seen.with_mean(0.5), seen.with_deviations(0.0)] {
            assert!(shares.iter().zip(&seen.shares).all(|(found, seen)| (found - seen).abs() < 1e-12));
        }
    }
}
