//! What the results of a series say, and how sure that is.

use rookery_rules::{Outcome, Seat};

use crate::Seating;

/// How one game of a series ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameResult {
    /// Who sat where.
    pub seating: Seating,
    /// The outcome by seat; `None` if the game was aborted and does not count.
    pub outcome: Option<Outcome>,
}

impl GameResult {
    /// The points of a player: 1 for a win, a share of 1 for a shared first place, else 0. `None` if aborted.
    pub fn points(&self, player: usize) -> Option<f64> {
        let outcome = self.outcome.as_ref()?;
        let seat = Seat::new(self.seating.seat_of(player) as u8);
        let share = 1.0 / outcome.winners.len().max(1) as f64;
        Some(if outcome.winners.contains(seat) { share } else { 0.0 })
    }
}

/// Wins, draws and losses.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// First place alone.
    pub wins: u64,
    /// First place shared.
    pub draws: u64,
    /// Anything else.
    pub losses: u64,
}

impl Tally {
    fn add(&mut self, outcome: &Outcome, seat: Seat) {
        match (outcome.winners.contains(seat), outcome.winners.len()) {
            (true, 1) => self.wins += 1,
            (true, _) => self.draws += 1,
            (false, _) => self.losses += 1,
        }
    }

    /// All games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }
}

/// A mean, and how far it may be off: the true one lies within `error` of it with 95 % certainty.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half of the interval; `None` if there are too few values to say.
    pub error: Option<f64>,
}

impl Estimate {
    /// Of shares between 0 and 1; `None` if there are none. Never certain, also when all shares are equal.
    pub fn of_shares(shares: &[f64]) -> Option<Self> {
        let mean = Self::new(shares)?.mean;
        let (low, high) = share_interval(shares);
        Some(Self { mean, error: Some((mean - low).max(high - mean)) })
    }

    /// Of these values; `None` if there are none.
    pub fn new(values: &[f64]) -> Option<Self> {
        let n = values.len() as f64;
        if values.is_empty() {
            return None;
        }
        let mean = values.iter().sum::<f64>() / n;
        let error = (values.len() > 1).then(|| {
            let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
            1.96 * (variance / n).sqrt()
        });
        Some(Self { mean, error })
    }
}

/// The ends of the 95 % interval of a mean of shares between 0 and 1: Wilson's interval with the variance that was
/// seen. Unlike the usual one it stays between 0 and 1, and it does not call ten wins out of ten certain.
fn share_interval(shares: &[f64]) -> (f64, f64) {
    const Z: f64 = 1.96;
    let n = shares.len() as f64;
    let mean = shares.iter().sum::<f64>() / n;
    let variance = shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / n;
    let centre = mean + Z * Z / (2.0 * n);
    let half = Z * (variance / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    // Rounding must not leave the range, where a clean sweep ends.
    (((centre - half) / scale).max(0.0), ((centre + half) / scale).min(1.0))
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

impl Elo {
    /// From the shares of the first player in independent parts of the series; `None` if there are none.
    fn new(shares: &[f64]) -> Option<Self> {
        // Beyond this share the difference is larger than any that could be told apart from a clean sweep.
        let elo = |share: f64| match share {
            _ if share < 1e-9 => f64::NEG_INFINITY,
            _ if share > 1.0 - 1e-9 => f64::INFINITY,
            // Adding zero turns a negative zero into zero.
            _ => -400.0 * (1.0 / share - 1.0).log10() + 0.0,
        };
        let mean = Estimate::new(shares)?.mean;
        let (low, high) = share_interval(shares);
        Some(Self { difference: elo(mean), low: elo(low), high: elo(high) })
    }
}

/// What one player achieved.
#[derive(Clone, PartialEq, Debug)]
pub struct PlayerSummary {
    /// All games.
    pub total: Tally,
    /// The games at each seat.
    pub by_seat: Vec<Tally>,
    /// The share of first places, 0 to 1.
    pub points: Option<Estimate>,
    /// The place, from 1.
    pub place: Option<Estimate>,
    /// What the game counts.
    pub score: Option<Estimate>,
}

/// What a series says.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    /// One a player.
    pub players: Vec<PlayerSummary>,
    /// For two players: how much stronger the first one is.
    pub elo: Option<Elo>,
    /// Games that were aborted and do not count.
    pub aborted: u64,
}

impl Summary {
    /// Sums up a series.
    pub fn new(n_players: usize, results: &[GameResult]) -> Self {
        let players: Vec<PlayerSummary> =
            (0..n_players).map(|player| sum_up(player, n_players, results)).collect();
        let elo = if n_players == 2 { Elo::new(&pair_scores(results)) } else { None };
        let aborted = results.iter().filter(|result| result.outcome.is_none()).count() as u64;
        Self { players, elo, aborted }
    }
}

fn sum_up(player: usize, n_players: usize, results: &[GameResult]) -> PlayerSummary {
    let mut total = Tally::default();
    let mut by_seat = vec![Tally::default(); n_players];
    let (mut points, mut places, mut scores) = (vec![], vec![], vec![]);
    for result in results {
        let Some(outcome) = &result.outcome else { continue };
        let seat = Seat::new(result.seating.seat_of(player) as u8);
        total.add(outcome, seat);
        by_seat[seat.index()].add(outcome, seat);
        points.extend(result.points(player));
        places.push(outcome.places()[seat] as f64);
        scores.push(f64::from(outcome.scores[seat]));
    }
    PlayerSummary {
        total,
        by_seat,
        points: Estimate::of_shares(&points),
        place: Estimate::new(&places),
        score: Estimate::new(&scores),
    }
}

/// The first player's mean score in each pair of games with the same start. The two games of a pair are not
/// independent of each other, pairs are: this is what makes the error bars right.
fn pair_scores(results: &[GameResult]) -> Vec<f64> {
    results
        .chunk_by(|a, b| a.seating.block == b.seating.block)
        .filter_map(|pair| {
            let points: Vec<f64> = pair.iter().filter_map(|result| result.points(0)).collect();
            Estimate::new(&points).map(|estimate| estimate.mean)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(winners: &[Option<u8>]) -> Vec<GameResult> {
        let outcome =
            |winner: Option<u8>| winner.map_or(Outcome::draw(2), |seat| Outcome::win(2, Seat::new(seat)));
        (0..)
            .zip(winners)
            .map(|(game, &winner)| GameResult {
                seating: Seating::of_game(game, 2),
                outcome: Some(outcome(winner)),
            })
            .collect()
    }

    #[test]
    fn tallies_follow_the_player_not_the_seat() {
        // Seat 0 wins all four: each player wins the two games it began.
        let summary = Summary::new(2, &results(&[Some(0); 4]));
        for player in &summary.players {
            assert_eq!(player.total, Tally { wins: 2, draws: 0, losses: 2 });
            assert_eq!(player.by_seat[0], Tally { wins: 2, draws: 0, losses: 0 });
            assert_eq!(player.by_seat[1], Tally { wins: 0, draws: 0, losses: 2 });
        }
        let elo = summary.elo.unwrap();
        assert!(elo.difference == 0.0 && elo.low < 0.0 && (elo.low + elo.high).abs() < 1e-9, "{elo:?}");
    }

    #[test]
    fn elo_of_three_quarters() {
        // The first player wins one pair and draws the games of the other.
        let summary = Summary::new(2, &results(&[Some(0), Some(1), None, None]));
        let elo = summary.elo.unwrap();
        assert!((elo.difference - 190.85).abs() < 0.01, "{elo:?}");
        assert!(elo.low < elo.difference && elo.high > elo.difference);
    }

    #[test]
    fn a_clean_sweep_has_no_upper_end() {
        let sweep: Vec<Option<u8>> = (0..100).map(|game| Some(game % 2)).collect();
        let elo = Summary::new(2, &results(&sweep)).elo.unwrap();
        assert!(elo.difference.is_infinite() && elo.high.is_infinite());
        // Wilson's lower end for 50 of 50 pairs is a share of 0.9286.
        assert!((elo.low - 446.0).abs() < 1.0, "{elo:?}");
    }

    #[test]
    fn aborted_games_do_not_count() {
        let mut all = results(&[Some(0), Some(0)]);
        all[1].outcome = None;
        let summary = Summary::new(2, &all);
        assert_eq!(summary.aborted, 1);
        assert_eq!(summary.players[0].total.games(), 1);
    }
}
