//! Elo from a score, and how sure it is.

use std::error::Error;
use std::fmt;

use crate::math::{ELO_PER_NAT, Z95, normal};

/// The Elo difference that scores `score` of each game: unlimited at 0 and at 1.
///
/// ```
/// use rookery_ratings::elo::elo_of_score;
/// assert!((elo_of_score(0.75) - 190.848_501_888).abs() < 1e-9);
/// assert_eq!(elo_of_score(1.0), f64::INFINITY);
/// ```
pub fn elo_of_score(score: f64) -> f64 {
    match score {
        _ if score <= 0.0 => f64::NEG_INFINITY,
        _ if score >= 1.0 => f64::INFINITY,
        // Adding zero turns a negative zero into zero.
        _ => -400.0 * libm::log10(1.0 / score - 1.0) + 0.0,
    }
}

/// What an Elo difference scores of each game, 0 to 1.
///
/// ```
/// use rookery_ratings::elo::score_of_elo;
/// assert_eq!(score_of_elo(0.0), 0.5);
/// ```
pub fn score_of_elo(elo: f64) -> f64 {
    crate::math::sigmoid(elo / ELO_PER_NAT)
}

/// The Elo difference to each of `n_seats - 1` equal opponents that wins a share `first` of the first places
/// (Plackett-Luce).
///
/// ```
/// use rookery_ratings::elo::elo_over_equal_field;
/// assert_eq!(elo_over_equal_field(0.25, 4), 0.0);
/// ```
pub fn elo_over_equal_field(first: f64, n_seats: usize) -> f64 {
    match first {
        _ if first <= 0.0 => f64::NEG_INFINITY,
        _ if first >= 1.0 => f64::INFINITY,
        _ => 400.0 * libm::log10(first * n_seats.saturating_sub(1) as f64 / (1.0 - first)) + 0.0,
    }
}

/// Why there is no [`Sample`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SampleError {
    /// Nothing was played.
    Empty,
    /// So many counts; it must be an odd number from 3: 3 for games, 5 for pairs, 2g + 1 for units of g games.
    Kinds(usize),
    /// As many counts as values are needed.
    Lengths {
        /// How many values there are.
        values: usize,
        /// How many counts.
        counts: usize,
    },
    /// A score that is not between 0 and 1.
    Score(f64),
    /// Units of so many games: none, or more than [`Sample::MAX_GAMES`].
    Games(usize),
}

impl fmt::Display for SampleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "no results: at least one complete unit is needed"),
            Self::Kinds(kinds) => write!(
                f,
                "{kinds} counts: expected 3 (losses, draws, wins), 5 (points of pairs) or another odd number from 3"
            ),
            Self::Lengths { values, counts } => {
                write!(f, "{counts} counts for {values} values: expected one count a value")
            }
            Self::Score(score) => write!(f, "score {score}: expected 0 to 1"),
            Self::Games(games) => {
                write!(f, "units of {games} games: expected 1 to {}", Sample::MAX_GAMES)
            }
        }
    }
}

impl Error for SampleError {}

/// How many games a unit has whose results are counted in so many kinds: one more than half points can be had.
pub(crate) fn games_of_kinds(kinds: usize) -> Result<usize, SampleError> {
    if kinds % 2 == 1 && is_unit(kinds / 2) { Ok(kinds / 2) } else { Err(SampleError::Kinds(kinds)) }
}

/// Whether a unit may have so many games.
pub(crate) fn is_unit(games: usize) -> bool {
    (1..=Sample::MAX_GAMES).contains(&games)
}

/// The score of each of so many kinds, evenly from 0 to 1.
pub(crate) fn even_scores(kinds: usize) -> impl Iterator<Item = f64> {
    (0..kinds).map(move |kind| kind as f64 / (kinds - 1) as f64)
}

/// The scores of one side in independent units: games, or better pairs or blocks of games on one start. What it says
/// of strength is a number where that exists, else `None` (undefined is not 0) or infinite.
///
/// ```
/// use rookery_ratings::elo::Sample;
///
/// // 290 pairs of games with seats swapped, by the points of the first player: 0, 1/2, 1, 3/2, 2.
/// let sample = Sample::of_counts(&[34, 54, 63, 64, 75])?;
/// assert_eq!(format!("{:.2}", sample.elo()), "55.58");
/// assert_eq!(sample.elo_error().map(|error| format!("{error:.2}")).as_deref(), Some("27.65"));
/// assert!(sample.los().is_some_and(|los| los > 0.999));
///
/// // Ten wins of ten games: there is no error bar, but a lower end.
/// let sweep = Sample::of_counts(&[0, 0, 10])?;
/// assert_eq!((sweep.elo(), sweep.elo_error()), (f64::INFINITY, None));
/// assert_eq!(sweep.wilson_elo().0.round(), 166.0);
/// # Ok::<(), rookery_ratings::elo::SampleError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    units: f64,
    games: usize,
    mean: f64,
    variance: f64,
}

impl Sample {
    /// The most games of a unit: far more than there are seatings of a table that are worth playing.
    pub const MAX_GAMES: usize = 1000;

    /// From the number of units with 0, 1/2, 1 … points: three counts for games (losses, draws, wins), five for pairs
    /// (the pentanomial), 2g + 1 for units of g games.
    pub fn of_counts(counts: &[u64]) -> Result<Self, SampleError> {
        let games = games_of_kinds(counts.len())?;
        let scores: Vec<f64> = even_scores(counts.len()).collect();
        Self::of_scores(&scores, counts, games)
    }

    /// From the number of units with each of these scores, 0 to 1; a unit has `games` games.
    pub fn of_scores(scores: &[f64], counts: &[u64], games: usize) -> Result<Self, SampleError> {
        if scores.len() != counts.len() {
            return Err(SampleError::Lengths { values: scores.len(), counts: counts.len() });
        }
        Self::new(scores.iter().copied().zip(counts.iter().map(|&count| count as f64)), games)
    }

    /// From the mean score of each unit, 0 to 1; a unit has `games` games.
    pub fn of_means(means: &[f64], games: usize) -> Result<Self, SampleError> {
        Self::new(means.iter().map(|&mean| (mean, 1.0)), games)
    }

    fn new(seen: impl Iterator<Item = (f64, f64)> + Clone, games: usize) -> Result<Self, SampleError> {
        if !is_unit(games) {
            return Err(SampleError::Games(games));
        }
        if let Some((score, _)) = seen.clone().find(|(score, _)| !(0.0..=1.0).contains(score)) {
            return Err(SampleError::Score(score));
        }
        let seen = seen.filter(|&(_, count)| count > 0.0);
        let units: f64 = seen.clone().map(|(_, count)| count).sum();
        let Some((first, _)) = seen.clone().next() else { return Err(SampleError::Empty) };
        // Around one of the scores, so that equal scores have exactly no variance.
        let mean = first + seen.clone().map(|(score, count)| (score - first) * count).sum::<f64>() / units;
        let variance =
            seen.map(|(score, count)| (score - mean) * (score - mean) * count).sum::<f64>() / units;
        Ok(Self { units, games, mean, variance })
    }

    /// How many units.
    pub fn units(&self) -> f64 {
        self.units
    }

    /// The mean score, 0 to 1.
    pub fn score(&self) -> f64 {
        self.mean
    }

    /// The mean square of the distances to the mean score.
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// The standard error of the score: what the units seen would have.
    pub fn se(&self) -> f64 {
        (self.variance / self.units).sqrt()
    }

    /// The Elo difference with this score; infinite at 0 and at 1.
    pub fn elo(&self) -> f64 {
        elo_of_score(self.mean)
    }

    /// Half of the 95 % interval of [`Self::elo`]; `None` where all units were equal or an end is unlimited. Then
    /// [`Self::wilson_elo`] still has something to say.
    pub fn elo_error(&self) -> Option<f64> {
        let half = Z95 * self.se();
        let error = (elo_of_score(self.mean + half) - elo_of_score(self.mean - half)) / 2.0;
        (self.varies() && error.is_finite()).then_some(error)
    }

    /// The likelihood of superiority: how sure it is that the first side is the stronger one, 0 to 1. `None` where all
    /// units were equal.
    pub fn los(&self) -> Option<f64> {
        self.varies().then(|| normal((self.mean - 0.5) / self.se()))
    }

    /// Normalised Elo: the distance to an equal score in standard deviations of a game, on a scale like Elo's. Equal
    /// differences need equally many games to be seen, whatever the share of draws.
    pub fn normalized_elo(&self) -> Option<f64> {
        self.in_deviations(self.mean - 0.5)
    }

    /// Half of the 95 % interval of [`Self::normalized_elo`].
    pub fn normalized_elo_error(&self) -> Option<f64> {
        self.in_deviations(Z95 * self.se())
    }

    /// The 95 % interval of the score: Wilson's, with the variance seen. It stays between 0 and 1, and does not call ten
    /// wins of ten certain.
    pub fn wilson(&self) -> (f64, f64) {
        let (n, square) = (self.units, Z95 * Z95);
        let centre = self.mean + square / (2.0 * n);
        let half = Z95 * (self.variance / n + square / (4.0 * n * n)).sqrt();
        let scale = 1.0 + square / n;
        // Exactly the end of the range after a clean sweep, and never beyond it by rounding.
        let low = if self.mean <= 0.0 { 0.0 } else { ((centre - half) / scale).max(0.0) };
        let high = if self.mean >= 1.0 { 1.0 } else { ((centre + half) / scale).min(1.0) };
        (low, high)
    }

    /// [`Self::wilson`] in Elo; an end is unlimited after a clean sweep.
    pub fn wilson_elo(&self) -> (f64, f64) {
        let (low, high) = self.wilson();
        (elo_of_score(low), elo_of_score(high))
    }

    fn varies(&self) -> bool {
        self.variance > 0.0
    }

    fn in_deviations(&self, distance: f64) -> Option<f64> {
        let per_game = (self.games as f64 * self.variance).sqrt();
        self.varies().then(|| distance / per_game * 2.0 * ELO_PER_NAT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_units_have_no_variance_and_no_error() {
        for means in [[1.0 / 3.0; 7], [0.7; 7], [1.0; 7], [0.0; 7]] {
            let sample = Sample::of_means(&means, 3).unwrap();
            assert!(sample.variance() <= 0.0);
            assert_eq!((sample.elo_error(), sample.los(), sample.normalized_elo()), (None, None, None));
            let (low, high) = sample.wilson();
            assert!(low <= means[0] && means[0] <= high && high - low > 0.1);
        }
    }

    #[test]
    fn what_is_no_sample_says_why() {
        assert_eq!(Sample::of_counts(&[0, 0, 0]), Err(SampleError::Empty));
        assert_eq!(Sample::of_means(&[], 2), Err(SampleError::Empty));
        assert_eq!(Sample::of_counts(&[1, 2]), Err(SampleError::Kinds(2)));
        assert_eq!(Sample::of_counts(&[]), Err(SampleError::Kinds(0)));
        assert_eq!(Sample::of_means(&[1.5], 2), Err(SampleError::Score(1.5)));
        assert!(matches!(Sample::of_means(&[f64::NAN], 2), Err(SampleError::Score(_))));
        assert_eq!(Sample::of_means(&[0.5], 0), Err(SampleError::Games(0)));
        let uneven = Sample::of_scores(&[0.0, 1.0], &[1], 1);
        assert_eq!(uneven, Err(SampleError::Lengths { values: 2, counts: 1 }));
    }

    #[test]
    fn an_end_that_is_unlimited_is_no_error_bar() {
        let sample = Sample::of_counts(&[1, 0, 9]).unwrap();
        assert_eq!(sample.elo_error(), None);
        assert!(sample.elo().is_finite() && sample.wilson_elo().0.is_finite());
    }

    #[test]
    fn elo_and_score_are_each_other_turned_round() {
        for elo in [-700.0, -35.5, 0.0, 1.0, 400.0] {
            assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-9);
        }
        assert!((score_of_elo(400.0) - 10.0 / 11.0).abs() < 1e-15);
    }
}
