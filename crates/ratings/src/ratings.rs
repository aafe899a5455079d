//! What a fit says of every player.

use std::error::Error;
use std::fmt;

use rookery_rules::MAX_SEATS;

pub use crate::fit::Parts;
use crate::fit::{MAX_GAMES, MAX_PLAYERS, Matrix, PRIORS};
use crate::math::{Z95, normal};

/// Where errors come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Errors {
    /// From how blocks of games differ from what was expected of them (the sandwich). Right whatever the games of a
    /// block have to do with each other; needs some blocks.
    Blocks,
    /// From the model alone, as if it were true and all games independent.
    Information,
}

/// What is no game between the players of these results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameError {
    /// Not a place for each of 2 to 8 players.
    Table {
        /// How many players.
        players: usize,
        /// How many places.
        places: usize,
    },
    /// A player that takes part twice.
    Twice(usize),
    /// There is no such player.
    Player {
        /// The number in the game.
        player: usize,
        /// How many players there are.
        n_players: usize,
    },
}

impl fmt::Display for GameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table { players, places } => {
                write!(
                    f,
                    "{players} players with {places} places: expected a place for each of 2 to {MAX_SEATS}"
                )
            }
            Self::Twice(player) => write!(f, "player {player} takes part twice: expected different players"),
            Self::Player { player, n_players } => {
                write!(f, "player {player} of {n_players}: expected a number from 0 and below {n_players}")
            }
        }
    }
}

impl Error for GameError {}

/// Why there are no ratings.
#[derive(Clone, PartialEq, Debug)]
pub enum NoFit {
    /// Some never won or drew against others, so that no difference is large enough. A prior gives them ratings.
    Parts(Parts),
    /// The results do not determine the advantage of the first seat or the weight of draws, or determine it as
    /// unlimited: say, the first seat won every game.
    Undetermined,
    /// A prior that is neither 0 nor between 0.01 and 1,000,000 games.
    Prior(f64),
    /// More games than can be summed up without losing digits: 10,000,000,000.
    Games(f64),
    /// More players than can be fitted at once.
    Players(usize),
}

impl fmt::Display for NoFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parts(Parts { strong, weak }) => {
                let (parts, what) = match weak.len() {
                    1 => (strong, "of which each won everything against the next"),
                    _ => (weak, "that never met"),
                };
                let n = parts.len();
                write!(f, "no ratings: there are {n} groups of players {what}; use a prior of one virtual game")
            }
            Self::Undetermined => f.write_str(
                "no ratings: the results do not determine the advantage of the first seat or the weight of draws; \
                 fit without it, or play more games with seats swapped",
            ),
            Self::Prior(prior) => {
                let (least, most) = (PRIORS.start(), PRIORS.end());
                write!(f, "a prior of {prior} virtual games: expected 0, or {least} to {most}; 1 is usual")
            }
            Self::Games(games) => write!(f, "{games} games: expected {MAX_GAMES} at most in one fit"),
            Self::Players(players) => write!(f, "{players} players: expected {MAX_PLAYERS} at most in one fit"),
        }
    }
}

impl Error for NoFit {}

/// Ratings of all players from all games, with errors. Players are numbered from 0; a number beyond the last one has no
/// rating and no error.
#[derive(Clone, PartialEq, Debug)]
pub struct Ratings {
    elo: Vec<f64>,
    log_likelihood: f64,
    information: Covariance,
    blocks: Covariance,
    parts: Parts,
    pub(crate) seat_advantage: Option<f64>,
    pub(crate) draw_weight: Option<f64>,
}

impl Ratings {
    pub(crate) fn new(
        elo: Vec<f64>,
        log_likelihood: f64,
        information: Matrix,
        blocks: Matrix,
        parts: Parts,
    ) -> Self {
        let n = elo.len();
        Self {
            elo,
            log_likelihood,
            information: Covariance::new(information, n),
            blocks: Covariance::new(blocks, n),
            parts,
            seat_advantage: None,
            draw_weight: None,
        }
    }

    /// The same with this player at this rating, and all others moved with it; `None` if there is no such player.
    #[must_use]
    pub fn anchored(mut self, player: usize, elo: f64) -> Option<Self> {
        let shift = elo - self.elo.get(player)?;
        for rating in &mut self.elo {
            *rating += shift;
        }
        Some(self)
    }

    /// The same with the errors by blocks of another fit of the same games; `None` if that has not as many players.
    #[must_use]
    pub fn with_block_errors(mut self, of: &Self) -> Option<Self> {
        self.blocks = of.blocks.clone();
        (self.blocks.n == self.elo.len()).then_some(self)
    }

    /// The rating of every player. Without a prior their mean is 0; with one, 0 is the virtual opponent.
    pub fn elo(&self) -> &[f64] {
        &self.elo
    }

    /// The logarithm of the likelihood of all games, and of the virtual ones.
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// The advantage of the first seat in Elo, if it was fitted.
    pub fn seat_advantage(&self) -> Option<f64> {
        self.seat_advantage
    }

    /// Davidson's nu (0 without draws) or Rao and Kupper's theta (1 without draws), if it was fitted.
    pub fn draw_weight(&self) -> Option<f64> {
        self.draw_weight
    }

    /// Who is connected with whom. Compare nobody with a player of another [weak part](Parts::weak).
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// The standard error of the difference between two ratings.
    pub fn se_diff(&self, one: usize, other: usize, errors: Errors) -> Option<f64> {
        self.covariance(errors).difference(one, other)
    }

    /// The likelihood of superiority: how sure it is that `one` is stronger than `other`, 0 to 1. `None` if nothing is
    /// known of it: they are the same, or the error is 0.
    pub fn los(&self, one: usize, other: usize, errors: Errors) -> Option<f64> {
        let se = self.se_diff(one, other, errors).filter(|&se| se > 0.0)?;
        Some(normal((self.elo[one] - self.elo[other]) / se))
    }

    /// Half of the 95 % interval of a rating against the mean of all: the error bar of a table.
    pub fn error_to_mean(&self, player: usize, errors: Errors) -> Option<f64> {
        Some(Z95 * self.covariance(errors).to_mean(player)?)
    }

    fn covariance(&self, errors: Errors) -> &Covariance {
        match errors {
            Errors::Blocks => &self.blocks,
            Errors::Information => &self.information,
        }
    }
}

/// How ratings vary together, up to what is common to all of them.
#[derive(Clone, PartialEq, Debug)]
struct Covariance {
    matrix: Matrix,
    n: usize,
    mean: f64,
}

impl Covariance {
    fn new(matrix: Matrix, n: usize) -> Self {
        let mean = matrix.sum() / (n * n).max(1) as f64;
        Self { matrix, n, mean }
    }

    fn difference(&self, one: usize, other: usize) -> Option<f64> {
        let at = |row, col| self.matrix.at(row, col);
        // The two mixed values are the same but for rounding; with both of them the order of the players is none.
        let variance = || at(one, one) + at(other, other) - (at(one, other) + at(other, one));
        (one < self.n && other < self.n).then(|| variance().max(0.0).sqrt())
    }

    fn to_mean(&self, player: usize) -> Option<f64> {
        let mean = || self.matrix.row(player).iter().sum::<f64>() / self.n as f64;
        (player < self.n).then(|| (self.matrix.at(player, player) - 2.0 * mean() + self.mean).max(0.0).sqrt())
    }
}
