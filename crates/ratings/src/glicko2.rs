//! Glicko-2 (Glickman): ratings of people, who change. All games of a period count at once, against the ratings before
//! it, and who does not play becomes less certain.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::f64::consts::PI;

use crate::math::sigmoid;

/// Rating points in one unit of the system's own scale.
const SCALE: f64 = 173.7178;

/// The volatility is found when its logarithm is known to this.
const SETTLED: f64 = 1e-12;

/// The search for it halves its range at least every other time.
const MAX_ROUNDS: usize = 200;

/// What is believed of a player.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rating {
    /// The expected strength, on a scale like Elo's.
    pub rating: f64,
    /// The standard deviation of what is believed.
    pub deviation: f64,
    /// How much the player changes from one period to the next.
    pub volatility: f64,
}

impl Default for Rating {
    /// Nothing is known.
    fn default() -> Self {
        Self { rating: 1500.0, deviation: 350.0, volatility: 0.06 }
    }
}

/// One game of a period.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Game {
    /// The opponent as it was before the period.
    pub opponent: Rating,
    /// 1 for a win, 1/2 for a draw, 0 for a loss.
    pub score: f64,
}

/// How fast the volatility itself may change, as Glickman suggests: 0.3 to 1.2.
pub const TAU: f64 = 0.5;

impl Rating {
    /// The rating after a period with these games.
    ///
    /// ```
    /// use rookery_ratings::glicko2::{Game, Rating, TAU};
    ///
    /// let opponent = |rating, deviation| Rating { rating, deviation, ..Rating::default() };
    /// let before = opponent(1500.0, 200.0);
    /// let games = [
    ///     Game { opponent: opponent(1400.0, 30.0), score: 1.0 },
    ///     Game { opponent: opponent(1550.0, 100.0), score: 0.0 },
    ///     Game { opponent: opponent(1700.0, 300.0), score: 0.0 },
    /// ];
    /// let after = before.after(&games, TAU);
    /// assert_eq!(format!("{:.2} {:.2}", after.rating, after.deviation), "1464.05 151.52");
    /// ```
    #[must_use]
    pub fn after(&self, games: &[Game], tau: f64) -> Self {
        let (mu, phi) = ((self.rating - 1500.0) / SCALE, self.deviation / SCALE);
        let (mut information, mut surprise) = (0.0, 0.0);
        for game in games {
            let (their_mu, their_phi) =
                ((game.opponent.rating - 1500.0) / SCALE, game.opponent.deviation / SCALE);
            let g = 1.0 / (1.0 + 3.0 * their_phi * their_phi / (PI * PI)).sqrt();
            let expected = sigmoid(g * (mu - their_mu));
            information += g * g * expected * (1.0 - expected);
            surprise += g * (game.score - expected);
        }
        if games.is_empty() {
            let deviation = (phi * phi + self.volatility * self.volatility).sqrt() * SCALE;
            return Self { deviation, ..*self };
        }
        let volatility = self.volatility_after(phi, 1.0 / information, surprise / information, tau);
        let before = phi * phi + volatility * volatility;
        let after = 1.0 / (1.0 / before + information);
        Self { rating: self.rating + after * surprise * SCALE, deviation: after.sqrt() * SCALE, volatility }
    }

    /// The likeliest volatility: the root of a function that falls, by the Illinois variant of regula falsi. It stays
    /// what it was where the games say nothing, and variance and delta are no numbers.
    fn volatility_after(&self, phi: f64, variance: f64, delta: f64, tau: f64) -> f64 {
        let log = libm::log(self.volatility * self.volatility);
        let f = |x: f64| {
            let e = libm::exp(x);
            let total = phi * phi + variance + e;
            e * (delta * delta - total) / (2.0 * total * total) - (x - log) / (tau * tau)
        };
        let mut low = log;
        let excess = delta * delta - phi * phi - variance;
        let mut high = if excess > 0.0 {
            libm::log(excess)
        } else {
            let below = (1..MAX_ROUNDS).map(|k| log - k as f64 * tau).find(|&x| f(x) >= 0.0);
            below.unwrap_or(log)
        };
        let (mut f_low, mut f_high) = (f(low), f(high));
        for _ in 0..MAX_ROUNDS {
            if (high - low).abs() <= SETTLED {
                break;
            }
            let next = low + (low - high) * f_low / (f_high - f_low);
            let f_next = f(next);
            if f_next * f_high <= 0.0 {
                (low, f_low) = (high, f_high);
            } else {
                f_low /= 2.0;
            }
            (high, f_high) = (next, f_next);
        }
        libm::exp(low / 2.0)
    }
}

/// Many players, whose games come one after the other: each match is a period of its own for those who play it, in which
/// everybody has met everybody else at the table. Nobody becomes less certain by waiting, because nothing here knows a clock.
///
/// ```
/// use rookery_ratings::glicko2::{Players, TAU};
///
/// let mut players = Players::default();
/// players.add(&[("ann", 0), ("bob", 1)], TAU);
/// players.add(&[("bob", 0), ("ann", 0)], TAU);
/// let ratings: Vec<_> = players.all().map(|(name, rating, games)| (name, rating.rating.round(), games)).collect();
/// assert_eq!(ratings, [("ann", 1577.0, 2), ("bob", 1423.0, 2)]);
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Players<K> {
    known: BTreeMap<K, (Rating, u64)>,
}

impl<K> Default for Players<K> {
    fn default() -> Self {
        Self { known: BTreeMap::new() }
    }
}

impl<K: Copy + Ord> Players<K> {
    /// Adds a match: who came where, equals with the same place. Who sits there twice has met nobody by that.
    pub fn add(&mut self, placed: &[(K, usize)], tau: f64) {
        let before =
            |players: &Self, who: K| players.known.get(&who).map_or(Rating::default(), |known| known.0);
        let after: Vec<(K, Rating)> = placed
            .iter()
            .map(|&(who, place)| {
                let others = placed.iter().filter(|(other, _)| *other != who);
                let games: Vec<Game> = others
                    .map(|&(other, other_place)| Game {
                        opponent: before(self, other),
                        score: match place.cmp(&other_place) {
                            Ordering::Less => 1.0,
                            Ordering::Equal => 0.5,
                            Ordering::Greater => 0.0,
                        },
                    })
                    .collect();
                (who, before(self, who).after(&games, tau))
            })
            .collect();
        for (who, rating) in after {
            let known = self.known.entry(who).or_insert((rating, 0));
            *known = (rating, known.1 + 1);
        }
    }

    /// Everybody, with how many matches each has played.
    pub fn all(&self) -> impl Iterator<Item = (K, Rating, u64)> {
        self.known.iter().map(|(&who, &(rating, games))| (who, rating, games))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opponent_far_away_changes_nothing_much() {
        let far = Rating { rating: 1e9, deviation: 30.0, volatility: 0.06 };
        for score in [0.0, 0.5, 1.0] {
            let after = Rating::default().after(&[Game { opponent: far, score }], TAU);
            assert!(after.rating.is_finite() && (350.0..351.0).contains(&after.deviation), "{after:?}");
            assert!((after.volatility - 0.06).abs() < 1e-15, "{after:?}");
        }
    }

    #[test]
    fn a_match_of_several_is_a_period_in_which_everybody_met() {
        let mut players = Players::default();
        players.add(&[('a', 0), ('b', 1), ('c', 1)], TAU);
        let unknown = Rating::default();
        let game = |score| Game { opponent: unknown, score };
        let expected = [
            ('a', unknown.after(&[game(1.0), game(1.0)], TAU), 1),
            ('b', unknown.after(&[game(0.0), game(0.5)], TAU), 1),
            ('c', unknown.after(&[game(0.0), game(0.5)], TAU), 1),
        ];
        assert!(players.all().eq(expected));
        let [(_, a, _), (_, b, _), _] = expected;
        players.add(&[('b', 0), ('a', 1)], TAU);
        let second = [
            ('a', a.after(&[Game { opponent: b, score: 0.0 }], TAU), 2),
            ('b', b.after(&[Game { opponent: a, score: 1.0 }], TAU), 2),
            expected[2],
        ];
        assert!(players.all().eq(second), "both against what the other was before");
    }

    #[test]
    fn surprises_make_a_player_volatile() {
        let strong = Rating { rating: 2200.0, deviation: 40.0, volatility: 0.06 };
        let before = Rating { deviation: 40.0, ..Rating::default() };
        let after = before.after(&[Game { opponent: strong, score: 1.0 }; 10], TAU);
        assert!(after.volatility > 0.06 && after.rating > 1550.0, "{after:?}");
    }
}
