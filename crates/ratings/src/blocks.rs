//! Blocks of games on one start in which everybody has every seat: scores of a block, and the bootstrap.
//!
//! Games of one block depend on each other, blocks do not. So the unit of statistics is the block: its mean score goes
//! into a [`Sample`](crate::elo::Sample), its half points into a [test](crate::sprt::Run). From three seats on a block
//! has to hold both directions of going round the table. With one of them a player sits just before the same opponent
//! in all games but one, which is worth Elo points where the order of moves matters.

use std::cmp::Ordering;

use rookery_rules::{Seed, below};

/// What is measured of a player. A game is given by the place of each player, from 1; those who tie share a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Against this player: 1, 1/2 or 0 for a better, equal or worse place.
    Against(usize),
    /// Against everybody else: the mean over them.
    Field,
    /// The share of the first place.
    First,
}

impl Measure {
    /// The score of `player` in one game, 0 to 1. `None` if it or its opponent did not take part, or nobody else did.
    ///
    /// ```
    /// use rookery_ratings::blocks::Measure;
    ///
    /// // Players 0 and 2 share the first place, player 1 is third.
    /// let places = [1, 3, 1];
    /// assert_eq!(Measure::Against(1).score(&places, 0), Some(1.0));
    /// assert_eq!(Measure::Field.score(&places, 0), Some(0.75));
    /// assert_eq!(Measure::First.score(&places, 0), Some(0.5));
    /// ```
    pub fn score(self, places: &[usize], player: usize) -> Option<f64> {
        let own = *places.get(player)?;
        match self {
            Self::Against(other) if other == player => None,
            Self::Against(other) => Some(half_points(own, *places.get(other)?) as f64 / 2.0),
            Self::Field => {
                // Itself is one that it ties with.
                let sum: usize = places.iter().map(|&place| half_points(own, place)).sum::<usize>() - 1;
                (places.len() > 1).then(|| sum as f64 / (2 * (places.len() - 1)) as f64)
            }
            Self::First => {
                let best = *places.iter().min()?;
                let shared_by = places.iter().filter(|&&place| place == best).count();
                Some(if own == best { 1.0 / shared_by as f64 } else { 0.0 })
            }
        }
    }

    /// The mean score of `player` over the games of a block; `None` if it has no game, or one without a score.
    pub fn block_mean<P: AsRef<[usize]>>(self, games: &[P], player: usize) -> Option<f64> {
        let scores = games.iter().map(|places| self.score(places.as_ref(), player));
        let sum: f64 = scores.sum::<Option<f64>>()?;
        (!games.is_empty()).then(|| sum / games.len() as f64)
    }
}

fn half_points(own: usize, other: usize) -> usize {
    match own.cmp(&other) {
        Ordering::Less => 2,
        Ordering::Equal => 1,
        Ordering::Greater => 0,
    }
}

/// The half points of player `a` against player `b` in a block, for [`Run::take`](crate::sprt::Run::take); `None` if one
/// of them did not take part in a game.
///
/// ```
/// use rookery_ratings::blocks::block_half_points;
///
/// assert_eq!(block_half_points(&[[1, 2], [1, 1]], 0, 1), Some(3));
/// ```
pub fn block_half_points<P: AsRef<[usize]>>(games: &[P], a: usize, b: usize) -> Option<usize> {
    let of = |places: &[usize]| (a != b).then_some(half_points(*places.get(a)?, *places.get(b)?));
    games.iter().map(|places| of(places.as_ref())).sum()
}

/// The 95 % interval of a statistic by the bootstrap: `n_blocks` blocks are drawn again, with repetition, `resamples`
/// times. `statistic` gets how often each block was drawn. `None` without blocks or resamples, or more of either than
/// [`MAX_DRAWN`]; where a statistic is no number, that resample does not count.
///
/// The same seed gives the same interval on any machine.
///
/// ```
/// use rookery_ratings::blocks::bootstrap;
/// use rookery_rules::Seed;
///
/// let means = [0.25, 0.5, 0.75, 1.0, 0.5, 0.75, 0.25, 0.0, 0.5, 1.0];
/// let mean = |drawn: &[u32]| {
///     means.iter().zip(drawn).map(|(mean, &times)| mean * f64::from(times)).sum::<f64>() / means.len() as f64
/// };
/// let (low, high) = bootstrap(means.len(), 2000, Seed(1), mean).expect("there are blocks");
/// assert!(low < 0.4 && 0.7 < high);
/// ```
pub fn bootstrap(
    n_blocks: usize,
    resamples: usize,
    seed: Seed,
    mut statistic: impl FnMut(&[u32]) -> f64,
) -> Option<(f64, f64)> {
    if !(1..=MAX_DRAWN).contains(&n_blocks) || !(1..=MAX_DRAWN).contains(&resamples) {
        return None;
    }
    let mut rng = seed.rng();
    let mut drawn = vec![0; n_blocks];
    let mut found = vec![];
    for _ in 0..resamples {
        drawn.fill(0);
        for _ in 0..n_blocks {
            drawn[below(&mut rng, n_blocks as u32) as usize] += 1;
        }
        let value = statistic(&drawn);
        if !value.is_nan() {
            found.push(value);
        }
    }
    found.sort_by(f64::total_cmp);
    let at = |share: f64| found.get((share * found.len() as f64) as usize).copied();
    Some((at(0.025)?, at(0.975)?))
}

/// The most blocks or resamples of a [`bootstrap`].
pub const MAX_DRAWN: usize = 100_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_did_not_take_part_has_no_score() {
        assert_eq!(Measure::Against(2).score(&[1, 2], 0), None);
        assert_eq!(Measure::Against(0).score(&[1, 2], 0), None, "nobody plays against itself");
        assert_eq!(Measure::Field.score(&[1], 0), None);
        assert_eq!(Measure::First.score(&[], 0), None);
        assert_eq!(Measure::First.block_mean::<[usize; 2]>(&[], 0), None);
        assert_eq!(Measure::First.block_mean(&[vec![1, 2], vec![]], 0), None);
        assert_eq!(block_half_points(&[[1, 2]], 0, 0), None);
        assert_eq!(block_half_points(&[[1, 2]], 0, 2), None);
    }

    #[test]
    fn a_bootstrap_replays_and_leaves_out_what_is_no_number() {
        let share = |drawn: &[u32]| f64::from(drawn[0]) / 20.0;
        let first = bootstrap(20, 500, Seed(3), share);
        assert_eq!(first, bootstrap(20, 500, Seed(3), share));
        assert_ne!(first, bootstrap(20, 500, Seed(4), |drawn| f64::from(drawn[0]) / 20.0 + 1e-9));
        let some = bootstrap(20, 500, Seed(3), |drawn| if drawn[0] == 0 { f64::NAN } else { share(drawn) });
        assert!(some.is_some_and(|(low, _)| low > 0.0));
        assert_eq!(bootstrap(20, 500, Seed(3), |_| f64::NAN), None);
        assert_eq!(bootstrap(0, 500, Seed(3), share), None);
        assert_eq!(bootstrap(20, 0, Seed(3), share), None);
    }
}
