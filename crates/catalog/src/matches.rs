//! One match of any game, from names to a verdict.

use std::fmt;

use rookery_referee::{
    Conduct, LagProbe, Observer, Player, Referee, Strategist, Terms, TimeControl, Verdict, play,
};
use rookery_rules::{GameSpec, Position, Seed, Setup, SetupError};
use rookery_search::Random;
use tokio::runtime::Runtime;

use crate::{Game, Limits, PlayerError, PlayerSpec, players};

/// Everything that is agreed before a match.
#[derive(Clone, Debug)]
pub struct MatchOrder {
    /// The game and its setup.
    pub spec: GameSpec,
    /// The players, by seat.
    pub players: Vec<PlayerSpec>,
    /// Where all randomness comes from.
    pub seed: Seed,
    /// How much time the players have.
    pub control: TimeControl,
    /// How much built-in players may think.
    pub limits: Limits,
    /// What misconduct costs.
    pub conduct: Conduct,
    /// A draw after so many moves.
    pub max_turns: Option<u64>,
}

/// A match that cannot be played as ordered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OrderError {
    /// The setup is wrong.
    Setup(SetupError),
    /// A player is wrong.
    Player(PlayerError),
}

impl fmt::Display for OrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setup(error) => error.fmt(f),
            Self::Player(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OrderError {}

/// Plays a match of game `G` in this thread.
///
/// # Panics
/// If there is not one player for each seat.
pub(crate) fn run<G: Game>(
    order: &MatchOrder,
    runtime: &Runtime,
    observer: &mut dyn Observer<PositionOf<G>>,
) -> Result<Verdict, OrderError> {
    let position = G::Setup::from_spec(&order.spec).map_err(OrderError::Setup)?.start();
    let mut referee = Referee::new(position, order.conduct);
    if let Some(max_turns) = order.max_turns {
        referee = referee.with_max_plies(max_turns);
    }
    let timed = order.control != TimeControl::Untimed;
    let seated = order.players.iter().map(|player| players::seat::<G>(player, order.limits, timed));
    let mut players: Vec<Box<dyn Player<_>>> =
        seated.collect::<Result<_, _>>().map_err(OrderError::Player)?;
    Ok(runtime.block_on(async {
        let mut terms = Terms::new(order.control, order.seed);
        if timed {
            terms.lag = LagProbe::start();
        }
        play(referee, &mut players, &terms, observer).await
    }))
}

/// The position type of a game.
pub(crate) type PositionOf<G> = <<G as Game>::Setup as Setup>::Position;

/// Plays `n_games` random games from a position through the referee and says how many moves they took together, to
/// measure what the referee costs.
pub(crate) fn refereed_playouts<P: Position>(position: &P, n_games: u64, seed: Seed) -> u64 {
    let runtime =
        tokio::runtime::Builder::new_current_thread().build().expect("a runtime without I/O needs nothing");
    let mut players: Vec<Box<dyn Player<P>>> =
        (0..position.n_seats()).map(|_| Box::new(Strategist::inline(Random)) as _).collect();
    let games = (0..n_games).map(|game| {
        let referee = Referee::new(position.clone(), Conduct::removing());
        runtime.block_on(play(referee, &mut players, &Terms::untimed(seed.derive(game)), &mut ())).plies
    });
    games.sum()
}
