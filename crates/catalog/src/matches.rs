//! One match of any game, from names to a verdict.

use rookery_referee::{Conduct, LagProbe, Observer, Player, Referee, Terms, TimeControl, Verdict, play};
use rookery_rules::{GameSpec, Position, Seed, Setup, SetupError};
use tokio::runtime::Runtime;

use crate::{Game, Limits, PlayerSpec};

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

/// Plays a match of game `G` in this thread.
///
/// # Panics
/// If there is not one player for each seat.
pub(crate) fn run<G: Game>(
    order: &MatchOrder,
    runtime: &Runtime,
    observer: &mut dyn Observer<PositionOf<G>>,
) -> Result<Verdict, SetupError> {
    let position = G::Setup::from_spec(&order.spec)?.start();
    let mut referee = Referee::new(position, order.conduct);
    if let Some(max_turns) = order.max_turns {
        referee = referee.with_max_plies(max_turns);
    }
    let timed = order.control != TimeControl::Untimed;
    let mut players: Vec<Box<dyn Player<_>>> =
        order.players.iter().map(|player| player.seat(order.limits, timed)).collect();
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
    let random: PlayerSpec = "random".parse().expect("it stands in the table");
    let mut players: Vec<Box<dyn Player<P>>> =
        (0..position.n_seats()).map(|_| random.seat(Limits::default(), false)).collect();
    let games = (0..n_games).map(|game| {
        let referee = Referee::new(position.clone(), Conduct::removing());
        runtime.block_on(play(referee, &mut players, &Terms::untimed(seed.derive(game)), &mut ())).plies
    });
    games.sum()
}
