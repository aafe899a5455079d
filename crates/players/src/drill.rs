//! A player in positions that are won for it: does it win them?

use std::time::{Duration, Instant};

use rookery_rules::{
    Game, GameSpec, Notation, Position, PositionOf, Rng, Seat, Seed, Setup, SetupError, Status, below,
};
use rookery_search::{Budget, Stop, Strategy, Want};

use crate::{Expertise, PlayerError, PlayerSpec, SolveError, SolveOrder, strategy};

/// Memory of the solver for one position.
const SOLVER_BYTES: usize = 256 << 20;

/// What is to be tried.
#[derive(Clone, Debug)]
pub struct DrillOrder {
    /// The game and its setup.
    pub spec: GameSpec,
    /// Who is put into won positions.
    pub player: PlayerSpec,
    /// Who resists.
    pub against: PlayerSpec,
    /// How many positions.
    pub positions: u64,
    /// How long the player may think about a move.
    pub time: Option<Duration>,
    /// How much work it may do for a move.
    pub work: Option<u64>,
    /// Where the positions come from.
    pub seed: Seed,
    /// Raised when no more is wanted.
    pub stop: Stop,
}

/// What became of one position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DrillCase {
    /// The position, won for the player to move.
    pub position: String,
    /// Whether it won.
    pub won: bool,
    /// The first move after which the win was gone, and where it was made.
    pub let_go: Option<(String, String)>,
}

/// Why a drill cannot be done.
#[derive(Debug)]
pub enum DrillError {
    /// The setup is wrong.
    Setup(SetupError),
    /// A player is wrong.
    Player(PlayerError),
    /// The solver does not reach these positions.
    Solve(SolveError),
    /// Random games hold no position in which the player to move wins.
    NothingWon,
}

impl std::fmt::Display for DrillError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Setup(error) => error.fmt(f),
            Self::Player(error) => error.fmt(f),
            Self::Solve(error) => error.fmt(f),
            Self::NothingWon => {
                f.write_str("random games hold no position that is won for the player to move")
            }
        }
    }
}

impl std::error::Error for DrillError {}

/// Positions that are looked at in vain before the search for a won one is given up.
const MAX_TRIES: u32 = 10_000;

/// Puts a player into positions that are won for it and reports what becomes of each.
pub fn drill<G: Game>(
    expertise: &Expertise<PositionOf<G>>,
    order: &DrillOrder,
    report: &mut dyn FnMut(&DrillCase),
) -> Result<(), DrillError> {
    let setup = G::Setup::from_spec(&order.spec).map_err(DrillError::Setup)?;
    let seat = |player| match strategy::<G>(expertise, player) {
        Ok((strategy, _)) => Ok(strategy),
        Err(error) => Err(DrillError::Player(error)),
    };
    let mut seats = [seat(&order.player)?, seat(&order.against)?];
    for number in 0..order.positions {
        let seed = order.seed.derive(number);
        let start = won_position(expertise, &setup, &mut seed.rng())?;
        if order.stop.is_set() {
            break;
        }
        report(&play(expertise, start, &mut seats, order, seed)?);
    }
    Ok(())
}

/// A position of a random game in which whoever is to move wins.
fn won_position<S: Setup>(
    expertise: &Expertise<S::Position>,
    setup: &S,
    rng: &mut Rng,
) -> Result<S::Position, DrillError> {
    for _ in 0..MAX_TRIES {
        let mut moves = vec![];
        let mut position = setup.start();
        while let Some(mv) = position.random_move(rng) {
            moves.push(mv);
            position.play_unchecked(mv);
        }
        let mut position = setup.start();
        let n_moves = below(rng, moves.len().max(1) as u32) as usize;
        moves.into_iter().take(n_moves).for_each(|mv| position.play_unchecked(mv));
        if let Some(seat) = position.to_move()
            && winner(expertise, &position)? == Some(seat)
        {
            return Ok(position);
        }
    }
    Err(DrillError::NothingWon)
}

/// Who wins with best play.
fn winner<P: Position>(expertise: &Expertise<P>, position: &P) -> Result<Option<Seat>, DrillError> {
    if let Status::Over(outcome) = position.status() {
        let mut winners = outcome.winners.iter();
        let first = winners.next();
        return Ok(first.filter(|_| winners.next().is_none()));
    }
    let order = SolveOrder { want: Want::Winner, memory: SOLVER_BYTES, ..SolveOrder::default() };
    Ok((expertise.solve)(position, &order).map_err(DrillError::Solve)?.value.winner)
}

fn play<P: Notation>(
    expertise: &Expertise<P>,
    mut position: P,
    seats: &mut [Box<dyn Strategy<P>>; 2],
    order: &DrillOrder,
    seed: Seed,
) -> Result<DrillCase, DrillError> {
    let mut case = DrillCase { position: position.to_text(), won: false, let_go: None };
    let me = position.to_move().expect("somebody wins, so somebody is to move");
    for ply in 0.. {
        let Some(seat) = position.to_move() else { break };
        let mut budget = Budget { seed: seed.derive(ply), stop: order.stop.clone(), ..Budget::default() };
        if seat == me {
            budget.deadline = order.time.map(|time| Instant::now() + time);
            budget.work = order.work;
        }
        let mv = seats[usize::from(seat != me)].choose(&position, &budget);
        let before = position.clone();
        position.play_unchecked(mv);
        if seat == me && case.let_go.is_none() && winner(expertise, &position)? != Some(me) {
            case.let_go = Some((before.to_text(), mv.to_string()));
        }
    }
    case.won = winner(expertise, &position)? == Some(me);
    Ok(case)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hexapawn;

    fn run(player: &str) -> Vec<DrillCase> {
        let order = DrillOrder {
            spec: GameSpec::parse("hexapawn:rows=4,cols=4").unwrap(),
            player: player.parse().unwrap(),
            against: "perfect".parse().unwrap(),
            positions: 40,
            time: None,
            work: None,
            seed: Seed(1),
            stop: Stop::default(),
        };
        let mut cases = vec![];
        drill::<rookery_games::hexapawn::Hexapawn>(&hexapawn::EXPERTISE, &order, &mut |case| {
            cases.push(case.clone());
        })
        .unwrap();
        cases
    }

    #[test]
    fn perfect_and_hard_let_no_win_go_and_random_does() {
        for player in ["perfect", "hard"] {
            assert!(run(player).iter().all(|case| case.won && case.let_go.is_none()), "{player}");
        }
        let random = run("random");
        assert!(random.iter().any(|case| !case.won));
        assert!(random.iter().all(|case| case.won || case.let_go.is_some()), "a loss has a reason");
    }
}
