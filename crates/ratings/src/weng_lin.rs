//! Ratings that change with every game (Weng and Lin 2011), for two players or more.
//!
//! They depend on the order of the games, so feed them in a fixed one: by tournament, round, pairing and number, never
//! by when a game ended. For players that do not change, a fit of all games says more.

/// What is believed of a player: its strength is `mu`, give or take `sigma`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rating {
    /// The expected strength.
    pub mu: f64,
    /// The standard deviation of what is believed.
    pub sigma: f64,
}

impl Default for Rating {
    /// Nothing is known.
    fn default() -> Self {
        Self { mu: 25.0, sigma: 25.0 / 3.0 }
    }
}

/// How a game of many is seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// As games of two between all: right where ties happen, but `sigma` is too small at large tables, so that it is no
    /// error bar.
    BradleyTerryFull,
    /// As choices of the best of those who are left. Those who share the first place may end below the next one.
    PlackettLuce,
}

/// A system of ratings.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WengLin {
    /// How games are seen.
    pub model: Model,
    /// How much a single game depends on chance.
    pub beta: f64,
    /// How much a player may change between games.
    pub tau: f64,
    /// A game leaves at least this share of the variance.
    pub kappa: f64,
}

impl WengLin {
    const BETA: f64 = 25.0 / 6.0;

    /// The usual figures of the full Bradley-Terry model.
    pub const BRADLEY_TERRY_FULL: Self =
        Self { model: Model::BradleyTerryFull, beta: Self::BETA, tau: 0.0, kappa: 1e-6 };

    /// The usual figures of the Plackett-Luce model.
    pub const PLACKETT_LUCE: Self =
        Self { model: Model::PlackettLuce, beta: Self::BETA, tau: 25.0 / 300.0, kappa: 1e-4 };

    /// Rates one game: the places of those who took part, from 1; those who tie share a place. `None`, and nothing is
    /// changed, if there is not a place for each of them.
    ///
    /// ```
    /// use rookery_ratings::weng_lin::{Rating, WengLin};
    ///
    /// let mut ratings = [Rating::default(); 2];
    /// WengLin::BRADLEY_TERRY_FULL.rate(&mut ratings, &[1, 2]).expect("two places for two");
    /// assert_eq!(format!("{:.4}", ratings[0].mu), "27.6352");
    /// ```
    #[must_use]
    pub fn rate(&self, ratings: &mut [Rating], places: &[usize]) -> Option<()> {
        if ratings.len() != places.len() {
            return None;
        }
        for rating in &mut *ratings {
            rating.sigma = (rating.sigma * rating.sigma + self.tau * self.tau).sqrt();
        }
        let changes: Vec<(f64, f64)> = match self.model {
            Model::BradleyTerryFull => {
                (0..places.len()).map(|player| self.against_all(ratings, places, player)).collect()
            }
            Model::PlackettLuce => self.choices(ratings, places),
        };
        for (rating, (gain, certainty)) in ratings.iter_mut().zip(changes) {
            rating.mu += gain;
            rating.sigma *= (1.0 - certainty).max(self.kappa).sqrt();
        }
        Some(())
    }

    /// What `mu` gains, and which share of the variance is gone.
    fn against_all(&self, ratings: &[Rating], places: &[usize], player: usize) -> (f64, f64) {
        let own = ratings[player];
        let square = own.sigma * own.sigma;
        let (mut gain, mut certainty) = (0.0, 0.0);
        for (other, rating) in ratings.iter().enumerate().filter(|&(other, _)| other != player) {
            let c = (square + rating.sigma * rating.sigma + 2.0 * self.beta * self.beta).sqrt();
            let p = crate::math::sigmoid((own.mu - rating.mu) / c);
            let score = match places[player].cmp(&places[other]) {
                std::cmp::Ordering::Less => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Greater => 0.0,
            };
            gain += square / c * (score - p);
            certainty += own.sigma / c * (square / (c * c)) * p * (1.0 - p);
        }
        (gain, certainty)
    }

    /// The same for everybody, by the choice of each place among those not placed above it.
    fn choices(&self, ratings: &[Rating], places: &[usize]) -> Vec<(f64, f64)> {
        let variance: f64 =
            ratings.iter().map(|rating| rating.sigma * rating.sigma + self.beta * self.beta).sum();
        let c = variance.sqrt();
        // Everybody who could be chosen for this place, as ratios to the strongest of them: nothing overflows.
        let candidates = |place: usize| {
            let left = || ratings.iter().zip(places).filter(move |&(_, &other)| other >= place);
            let top = left().map(|(rating, _)| rating.mu).fold(f64::NEG_INFINITY, f64::max);
            (top, left().map(|(rating, _)| libm::exp((rating.mu - top) / c)).sum::<f64>())
        };
        let choices: Vec<(f64, f64)> = places.iter().map(|&place| candidates(place)).collect();
        let tied: Vec<f64> =
            places.iter().map(|place| places.iter().filter(|&other| other == place).count() as f64).collect();
        let change = |player: usize| {
            let (mut omega, mut delta) = (0.0, 0.0);
            for choice in (0..places.len()).filter(|&choice| places[choice] <= places[player]) {
                let (top, sum) = choices[choice];
                let p = libm::exp((ratings[player].mu - top) / c) / sum;
                omega += (if choice == player { 1.0 } else { 0.0 } - p) / tied[choice];
                delta += p * (1.0 - p) / tied[choice];
            }
            let sigma = ratings[player].sigma;
            let square = sigma * sigma;
            (omega * square / c, sigma / c * delta * square / (c * c))
        };
        (0..places.len()).map(change).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_for_each_or_nothing_changes() {
        for system in [WengLin::BRADLEY_TERRY_FULL, WengLin::PLACKETT_LUCE] {
            let mut ratings = [Rating::default(); 3];
            assert_eq!(system.rate(&mut ratings, &[1, 2]), None);
            assert_eq!(ratings, [Rating::default(); 3]);
            assert_eq!(system.rate(&mut [], &[]), Some(()));
        }
    }

    #[test]
    fn ratings_far_apart_stay_finite() {
        for system in [WengLin::BRADLEY_TERRY_FULL, WengLin::PLACKETT_LUCE] {
            let mut ratings = [Rating { mu: 1e6, sigma: 1.0 }, Rating { mu: -1e6, sigma: 1e-9 }];
            for places in [[1, 2], [2, 1], [1, 1]] {
                assert_eq!(system.rate(&mut ratings, &places), Some(()));
                assert!(
                    ratings.iter().all(|rating| rating.mu.is_finite() && rating.sigma > 0.0),
                    "{ratings:?}"
                );
            }
        }
    }
}
