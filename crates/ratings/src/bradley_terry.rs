//! Ratings from games of two: the chance of `i` against `j` is `1/(1 + 10^((elo_j - elo_i)/400))`.

use crate::fit::{self, Blocks, Model, Term};
use crate::math::{ELO_PER_NAT, log_sigmoid, sigmoid};
use crate::ratings::{GameError, NoFit, Parts, Ratings};

/// How a game ended for the player that is named first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Score {
    /// It won.
    Win,
    /// Nobody did, or both.
    Draw,
    /// It lost.
    Loss,
}

/// A game of two. `first` sat on the first seat, which matters if its advantage is fitted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Game {
    /// The player on the first seat, from 0.
    pub first: usize,
    /// The player on the second seat.
    pub second: usize,
    /// How it ended for the first.
    pub score: Score,
}

/// What a draw means.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Draws {
    /// Half a win for both: a rating says what a player scores.
    #[default]
    Half,
    /// A third result, whose weight is `nu` times the geometric mean of both strengths.
    Davidson,
    /// A third result: to win takes a strength `theta` times as high.
    RaoKupper,
}

/// What is fitted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// What a draw means.
    pub draws: Draws,
    /// How many virtual games every player has, half of them won, against an opponent of rating 0. One keeps clean
    /// sweeps finite.
    pub prior: f64,
    /// Whether the advantage of the first seat is fitted. Blocks with seats swapped cancel it anyway.
    pub seat_advantage: bool,
}

impl Default for Options {
    /// Half draws, one virtual game, no advantage of a seat.
    fn default() -> Self {
        Self { draws: Draws::Half, prior: 1.0, seat_advantage: false }
    }
}

/// The games of all players, by blocks that depend on nothing outside: a pair with seats swapped, say. In which order
/// they are added changes nothing, and equal blocks take no more memory than one.
///
/// ```
/// use rookery_ratings::Errors;
/// use rookery_ratings::bradley_terry::{Game, Options, Results, Score};
///
/// let mut results = Results::new(3);
/// for (one, other, scores) in [(0, 1, [Score::Win, Score::Loss]), (1, 2, [Score::Draw, Score::Loss])] {
///     let swapped = Game { first: other, second: one, score: scores[1] };
///     results.add_block(&[Game { first: one, second: other, score: scores[0] }, swapped])?;
/// }
/// let ratings = results.fit(&Options::default())?;
/// let elo = ratings.elo();
/// assert!(elo[0] > elo[1] && elo[1] > elo[2]);
/// assert!(ratings.los(0, 2, Errors::Information).is_some_and(|los| los > 0.5));
/// assert_eq!(ratings.parts().strong, [vec![0], vec![1, 2]], "player 0 has won everything");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Results {
    blocks: Blocks<Game>,
}

impl Results {
    /// Of so many players, before any game.
    pub fn new(n_players: usize) -> Self {
        Self { blocks: Blocks::new(n_players) }
    }

    /// So many players take part from now on, if there were fewer.
    pub fn grow(&mut self, n_players: usize) {
        self.blocks.n_players = self.blocks.n_players.max(n_players);
    }

    /// Adds the games of one block; nothing if one of them is none.
    pub fn add_block(&mut self, games: &[Game]) -> Result<(), GameError> {
        games.iter().try_for_each(|game| self.check(game.first, game.second))?;
        self.blocks.add(games.to_vec(), 1);
        Ok(())
    }

    /// Adds games that depend on nothing: wins, draws and losses of the first player.
    pub fn add_counts(&mut self, first: usize, second: usize, counts: [u64; 3]) -> Result<(), GameError> {
        self.check(first, second)?;
        for (score, times) in [Score::Win, Score::Draw, Score::Loss].into_iter().zip(counts) {
            self.blocks.add(vec![Game { first, second, score }], times);
        }
        Ok(())
    }

    fn check(&self, first: usize, second: usize) -> Result<(), GameError> {
        let n_players = self.blocks.n_players;
        match [first, second].into_iter().find(|&player| player >= n_players) {
            Some(player) => Err(GameError::Player { player, n_players }),
            None if first == second => Err(GameError::Twice(first)),
            None => Ok(()),
        }
    }

    /// Who is connected with whom.
    pub fn parts(&self) -> Parts {
        fit::parts::<BradleyTerry>(&self.blocks)
    }

    /// The likeliest ratings.
    pub fn fit(&self, options: &Options) -> Result<Ratings, NoFit> {
        let has_draws = self.blocks.each().any(|game| game.score == Score::Draw);
        // Without draws their weight is known, and what is left is the plain model.
        let draws = if has_draws { options.draws } else { Draws::Half };
        let model = BradleyTerry { n_players: self.blocks.n_players, draws, seat: options.seat_advantage };
        let (mut ratings, own) = fit::fit(model, &self.blocks, options.prior)?;
        ratings.seat_advantage = options.seat_advantage.then(|| own[0] * ELO_PER_NAT);
        ratings.draw_weight = match (options.draws, has_draws) {
            (Draws::Half, _) => None,
            (_, true) => own.last().map(|&weight| libm::exp(weight)),
            (Draws::Davidson, false) => Some(0.0),
            (Draws::RaoKupper, false) => Some(1.0),
        };
        Ok(ratings)
    }
}

/// Its own parameters: the advantage of the first seat, if fitted, and the logarithm of the weight of draws, if it is
/// one of the models that have it.
pub(crate) struct BradleyTerry {
    n_players: usize,
    draws: Draws,
    seat: bool,
}

impl BradleyTerry {
    /// With half draws, and nothing else.
    pub(crate) const fn plain(n_players: usize) -> Self {
        Self { n_players, draws: Draws::Half, seat: false }
    }

    fn has_weight(&self) -> bool {
        self.draws != Draws::Half
    }
}

impl Model for BradleyTerry {
    type Game = Game;

    fn start(&self) -> Vec<f64> {
        let mut start = vec![];
        if self.seat {
            start.push(0.0);
        }
        if self.has_weight() {
            start.push(std::f64::consts::LN_2);
        }
        start
    }

    fn admits(&self, params: &[f64]) -> bool {
        self.draws != Draws::RaoKupper || params.last().is_some_and(|&weight| weight > 0.0)
    }

    fn term(&mut self, params: &[f64], game: &Game, term: &mut Term) {
        let seat = self.seat.then_some(self.n_players);
        let weight = self.has_weight().then(|| params.len() - 1);
        term.begin([game.first, game.second].into_iter().chain(seat).chain(weight));
        let ahead = params[game.first] - params[game.second] + seat.map_or(0.0, |seat| params[seat]);
        let local = match weight.map(|weight| params[weight]) {
            None => half(ahead, game.score),
            Some(weight) if self.draws == Draws::Davidson => davidson(ahead, weight, game.score),
            Some(weight) => rao_kupper(ahead, weight, game.score),
        };
        term.value = local.value;
        // How far ahead the first one is depends on each player and on the seat by 1 or -1.
        let signs = [1.0, -1.0, 1.0];
        let n_ahead = 2 + usize::from(self.seat);
        for row in 0..n_ahead {
            term.gradient[row] = signs[row] * local.slope.0;
            for col in 0..n_ahead {
                term.add_information(row, col, signs[row] * signs[col] * local.information.0);
            }
            if weight.is_some() {
                term.add_information(row, n_ahead, signs[row] * local.information.1);
                term.add_information(n_ahead, row, signs[row] * local.information.1);
            }
        }
        if weight.is_some() {
            term.gradient[n_ahead] = local.slope.1;
            term.add_information(n_ahead, n_ahead, local.information.2);
        }
    }

    fn results(game: &Game, mut beats: impl FnMut(usize, usize)) {
        if game.score != Score::Loss {
            beats(game.first, game.second);
        }
        if game.score != Score::Win {
            beats(game.second, game.first);
        }
    }
}

/// The logarithm of the likelihood of a result, by how far the first one is ahead and by the weight of draws: its slope
/// by each of them, and its negative second derivatives (twice the first, mixed, twice the second).
struct Local {
    value: f64,
    slope: (f64, f64),
    information: (f64, f64, f64),
}

fn half(ahead: f64, score: Score) -> Local {
    let (win, loss) = (sigmoid(ahead), sigmoid(-ahead));
    let (value, slope) = match score {
        Score::Win => (log_sigmoid(ahead), loss),
        Score::Draw => (f64::midpoint(log_sigmoid(ahead), log_sigmoid(-ahead)), (loss - win) / 2.0),
        Score::Loss => (log_sigmoid(-ahead), -win),
    };
    Local { value, slope: (slope, 0.0), information: (win * loss, 0.0, 0.0) }
}

/// Win, draw and loss are to each other as `e^(ahead/2)`, `e^weight` and `e^(-ahead/2)`.
fn davidson(ahead: f64, weight: f64, score: Score) -> Local {
    let exponents = [ahead / 2.0, weight, -ahead / 2.0];
    let top = exponents.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let parts = exponents.map(|exponent| libm::exp(exponent - top));
    let sum: f64 = parts.iter().sum();
    let [win, draw, loss] = parts.map(|part| part / sum);
    let (own, lead, is_draw) = match score {
        Score::Win => (exponents[0], 0.5, 0.0),
        Score::Draw => (exponents[1], 0.0, 1.0),
        Score::Loss => (exponents[2], -0.5, 0.0),
    };
    let expected = (win - loss) / 2.0;
    Local {
        value: own - top - libm::log(sum),
        slope: (lead - expected, is_draw - draw),
        information: ((win + loss) / 4.0 - expected * expected, -expected * draw, draw * (1.0 - draw)),
    }
}

/// A win has the chance `sigmoid(ahead - weight)`, a loss `sigmoid(-ahead - weight)`; a draw both of these, times
/// `e^(2 weight) - 1`.
fn rao_kupper(ahead: f64, weight: f64, score: Score) -> Local {
    // One result, as if the weight were a lead of the other side.
    let one = |lead: f64, sign: f64| {
        let information = sigmoid(lead) * sigmoid(-lead);
        Local {
            value: log_sigmoid(lead),
            slope: (sign * sigmoid(-lead), -sigmoid(-lead)),
            information: (information, -sign * information, information),
        }
    };
    let (win, loss) = (one(ahead - weight, 1.0), one(-ahead - weight, -1.0));
    match score {
        Score::Win => win,
        Score::Loss => loss,
        Score::Draw => {
            let rest = -libm::expm1(-2.0 * weight);
            Local {
                value: win.value + loss.value + 2.0 * weight + libm::log(rest),
                slope: (win.slope.0 + loss.slope.0, win.slope.1 + loss.slope.1 + 2.0 / rest),
                information: (
                    win.information.0 + loss.information.0,
                    win.information.1 + loss.information.1,
                    win.information.2 + loss.information.2 + 4.0 * libm::exp(-2.0 * weight) / (rest * rest),
                ),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_game_is_refused_and_changes_nothing() {
        let mut results = Results::new(2);
        let game = |first, second| Game { first, second, score: Score::Win };
        assert_eq!(
            results.add_block(&[game(0, 1), game(1, 2)]),
            Err(GameError::Player { player: 2, n_players: 2 })
        );
        assert_eq!(results.add_block(&[game(0, 0)]), Err(GameError::Twice(0)));
        assert!(results.add_counts(5, 0, [1, 0, 0]).is_err());
        assert_eq!(results, Results::new(2));
    }

    #[test]
    fn derivatives_are_those_of_the_value() {
        let models =
            [(|ahead, _, score| half(ahead, score)) as fn(f64, f64, Score) -> Local, davidson, rao_kupper];
        let h = 1e-5;
        for model in models {
            for score in [Score::Win, Score::Draw, Score::Loss] {
                for (ahead, weight) in [(0.0, 0.4), (1.3, 0.2), (-2.0, 1.1)] {
                    let at = |x: f64, y: f64| model(ahead + x, weight + y, score);
                    let here = at(0.0, 0.0);
                    let by_ahead = (at(h, 0.0).value - at(-h, 0.0).value) / (2.0 * h);
                    let by_weight = (at(0.0, h).value - at(0.0, -h).value) / (2.0 * h);
                    let twice = (at(h, 0.0).slope.0 - at(-h, 0.0).slope.0) / (2.0 * h);
                    let mixed = (at(0.0, h).slope.0 - at(0.0, -h).slope.0) / (2.0 * h);
                    let other = (at(0.0, h).slope.1 - at(0.0, -h).slope.1) / (2.0 * h);
                    let off = [
                        here.slope.0 - by_ahead,
                        here.slope.1 - by_weight,
                        here.information.0 + twice,
                        here.information.1 + mixed,
                        here.information.2 + other,
                    ];
                    assert!(
                        off.iter().all(|off| off.abs() < 1e-6),
                        "{score:?} at {ahead}, {weight}: {off:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn chances_sum_to_one() {
        for model in [davidson, rao_kupper] {
            for (ahead, weight) in [(0.0, 0.4), (3.0, 0.01), (-2.0, 2.0)] {
                let chance = |score| libm::exp(model(ahead, weight, score).value);
                let sum = chance(Score::Win) + chance(Score::Draw) + chance(Score::Loss);
                assert!((sum - 1.0).abs() < 1e-14, "{sum}");
            }
        }
    }
}
