//! The sequential probability ratio test: play until it is clear whether the first side is stronger by `elo0` or by
//! `elo1`, and no longer.

mod likelihood;
mod run;

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use crate::elo::{SampleError, even_scores, games_of_kinds, is_unit, score_of_elo};
use crate::math::ELO_PER_NAT;
use likelihood::Likelihood;
pub use run::{Run, Trace};

/// What the bounds of a test mean. Always show it with them: the same figures are different differences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// Elo: the bounds fix the mean score.
    Logistic,
    /// Normalised Elo: they fix the distance of the mean score from 1/2 in standard deviations of a game.
    Normalized,
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Logistic => "logistic",
            Self::Normalized => "normalized",
        })
    }
}

/// The word names no [`Model`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseModelError;

impl fmt::Display for ParseModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown model of a test: expected logistic or normalized")
    }
}

impl Error for ParseModelError {}

impl FromStr for Model {
    type Err = ParseModelError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::Logistic, Self::Normalized]
            .into_iter()
            .find(|model| model.to_string() == text)
            .ok_or(ParseModelError)
    }
}

/// What a test has found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// The difference is rather `elo0`.
    H0,
    /// It is rather `elo1`.
    H1,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::H0 => "H0",
            Self::H1 => "H1",
        })
    }
}

/// Why there is no such test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SprtError {
    /// `elo0` must be below `elo1`.
    Order {
        /// The lower difference.
        elo0: f64,
        /// The higher one.
        elo1: f64,
    },
    /// A difference beyond [`Sprt::MAX_ELO`], or no number.
    Elo(f64),
    /// The rates of errors must be above 0 and less than 1 together.
    Rates {
        /// How often H1 may be accepted though H0 is true.
        alpha: f64,
        /// How often H0 may be accepted though H1 is true.
        beta: f64,
    },
}

impl fmt::Display for SprtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Order { elo0, elo1 } => {
                write!(f, "elo0 is {elo0} and elo1 is {elo1}: elo0 must be less than elo1")
            }
            Self::Elo(elo) => {
                write!(f, "a difference of {elo} Elo: expected {} at most, either way", Sprt::MAX_ELO)
            }
            Self::Rates { alpha, beta } => {
                write!(f, "alpha is {alpha} and beta is {beta}: both must be above 0, and their sum below 1")
            }
        }
    }
}

impl Error for SprtError {}

/// A test between two differences of strength, before any game.
///
/// The likelihood ratio is the generalised one: each hypothesis is represented by the distribution of results that is
/// likeliest under it. It depends on the numbers of results alone, not on their order.
///
/// ```
/// use rookery_ratings::sprt::{Decision, Model, Sprt};
///
/// let test = Sprt::new(Model::Logistic, 0.0, 100.0, 0.05, 0.05)?;
/// // Twelve pairs: ten won from both seats, two with a point each.
/// let llr = test.llr(&[0, 0, 2, 0, 10]).expect("five counts are counts of pairs");
/// assert_eq!(format!("{llr:.4}"), "2.9635");
/// assert_eq!(test.decision(llr), Some(Decision::H1));
/// # Ok::<(), rookery_ratings::sprt::SprtError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    model: Model,
    elo0: f64,
    elo1: f64,
    lower: f64,
    upper: f64,
}

impl Sprt {
    /// Differences beyond this one are told apart by a handful of games without a test.
    pub const MAX_ELO: f64 = 2000.0;

    /// `alpha` is how often H1 may be accepted though H0 is true, `beta` the reverse.
    pub fn new(model: Model, elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, SprtError> {
        for elo in [elo0, elo1] {
            if !(-Self::MAX_ELO..=Self::MAX_ELO).contains(&elo) {
                return Err(SprtError::Elo(elo));
            }
        }
        if elo0 >= elo1 {
            return Err(SprtError::Order { elo0, elo1 });
        }
        let (lower, upper) = (libm::log(beta / (1.0 - alpha)), libm::log((1.0 - beta) / alpha));
        // Rates near 0 or 1 can be positive and still leave no bound that is a number.
        let bounded = lower.is_finite() && upper.is_finite() && lower < 0.0 && upper > 0.0;
        if alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0 && bounded {
            Ok(Self { model, elo0, elo1, lower, upper })
        } else {
            Err(SprtError::Rates { alpha, beta })
        }
    }

    /// What the differences mean.
    pub fn model(&self) -> Model {
        self.model
    }

    /// The two differences.
    pub fn elos(&self) -> (f64, f64) {
        (self.elo0, self.elo1)
    }

    /// The ratios at which it ends: at or below the first one with H0, at or above the second one with H1.
    pub fn bounds(&self) -> (f64, f64) {
        (self.lower, self.upper)
    }

    /// The logarithm of the likelihood ratio from the number of units with 0, 1/2, 1 … points: 3 counts for games,
    /// 5 for pairs, 2g + 1 for blocks of g games. It is 0 without any.
    pub fn llr(&self, counts: &[u64]) -> Result<f64, SampleError> {
        let games = games_of_kinds(counts.len())?;
        let scores: Vec<f64> = even_scores(counts.len()).collect();
        Ok(self.llr_checked(&scores, counts, games))
    }

    /// The same from units of `games` games with these scores. They are all scores a unit can have, so the least is 0
    /// and the largest is 1.
    pub fn llr_of_scores(&self, scores: &[f64], counts: &[u64], games: usize) -> Result<f64, SampleError> {
        if scores.len() != counts.len() {
            return Err(SampleError::Lengths { values: scores.len(), counts: counts.len() });
        }
        if !is_unit(games) {
            return Err(SampleError::Games(games));
        }
        if let Some(&score) = scores.iter().find(|score| !(0.0..=1.0).contains(*score)) {
            return Err(SampleError::Score(score));
        }
        let has = |end: f64| scores.iter().any(|score| (score - end).abs() <= 0.0);
        if !has(0.0) || !has(1.0) {
            return Err(SampleError::Kinds(scores.len()));
        }
        Ok(self.llr_checked(scores, counts, games))
    }

    fn llr_checked(&self, scores: &[f64], counts: &[u64], games: usize) -> f64 {
        if counts.iter().all(|&count| count == 0) {
            return 0.0;
        }
        let likelihood = Likelihood::new(scores, counts);
        let of = |elo: f64| match self.model {
            Model::Logistic => likelihood.with_mean(score_of_elo(elo)),
            Model::Normalized => likelihood.with_deviations(elo / ELO_PER_NAT / 2.0 * (games as f64).sqrt()),
        };
        likelihood.ratio(&of(self.elo0), &of(self.elo1))
    }

    /// What a ratio decides; `None` while it is between the bounds.
    pub fn decision(&self, llr: f64) -> Option<Decision> {
        match llr {
            _ if llr <= self.lower => Some(Decision::H0),
            _ if llr >= self.upper => Some(Decision::H1),
            _ => None,
        }
    }

    /// How near the ratio is to the bound on its side: from 0 to 1 when it is reached, and above.
    pub fn progress(&self, llr: f64) -> f64 {
        llr / if llr < 0.0 { self.lower } else { self.upper }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_test_says_why() {
        let test = |elo0, elo1, alpha, beta| Sprt::new(Model::Logistic, elo0, elo1, alpha, beta).unwrap_err();
        assert_eq!(test(5.0, 5.0, 0.05, 0.05), SprtError::Order { elo0: 5.0, elo1: 5.0 });
        assert_eq!(test(0.0, 2001.0, 0.05, 0.05), SprtError::Elo(2001.0));
        assert!(matches!(test(f64::NAN, 1.0, 0.05, 0.05), SprtError::Elo(_)));
        for (alpha, beta) in
            [(0.5, 0.5), (0.0, 0.1), (0.1, 0.0), (-0.1, 0.3), (f64::NAN, 0.1), (5e-324, 1e-17)]
        {
            assert!(matches!(test(0.0, 1.0, alpha, beta), SprtError::Rates { .. }), "{alpha}, {beta}");
        }
    }

    #[test]
    fn bounds_follow_from_the_rates() {
        let (lower, upper) = Sprt::new(Model::Normalized, 0.0, 5.0, 0.05, 0.05).unwrap().bounds();
        assert!((lower + 2.944_438_979_166_440_3).abs() < 1e-12 && (upper + lower).abs() < 1e-12);
        let (lower, upper) = Sprt::new(Model::Normalized, 0.0, 5.0, 0.01, 0.2).unwrap().bounds();
        assert!((lower - libm::log(0.2 / 0.99)).abs() < 1e-12 && (upper - libm::log(80.0)).abs() < 1e-12);
    }

    #[test]
    fn scores_that_are_not_all_there_can_be_are_refused() {
        let test = Sprt::new(Model::Logistic, 0.0, 5.0, 0.05, 0.05).unwrap();
        assert_eq!(test.llr_of_scores(&[0.5, 1.0], &[1, 1], 1), Err(SampleError::Kinds(2)));
        assert_eq!(test.llr_of_scores(&[0.0, 2.0], &[1, 1], 1), Err(SampleError::Score(2.0)));
        assert_eq!(test.llr_of_scores(&[0.0, 1.0], &[1, 1], 0), Err(SampleError::Games(0)));
        assert_eq!(test.llr(&[1, 2, 3, 4]), Err(SampleError::Kinds(4)));
        let evenly = test.llr_of_scores(&[0.0, 0.5, 1.0], &[4, 5, 6], 1);
        assert_eq!(evenly, test.llr(&[4, 5, 6]));
    }

    #[test]
    fn words_read_back() {
        for model in [Model::Logistic, Model::Normalized] {
            assert_eq!(model.to_string().parse(), Ok(model));
        }
        assert_eq!("bayes".parse::<Model>(), Err(ParseModelError));
    }
}
