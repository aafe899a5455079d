//! Positions that are won for whoever is to move, to try players in.

use rookery_rules::{Position, Rng, Seat, Setup, Status, below};
use rookery_search::Want;

use crate::{Expertise, SolveError, SolveOrder};

/// Memory of the solver for one position.
const SOLVER_BYTES: usize = 256 << 20;

/// Why there is no such position.
#[derive(Debug)]
pub enum DrillError {
    /// The solver does not reach these positions.
    Solve(SolveError),
    /// Random games hold no position in which the player to move wins.
    NothingWon,
}

impl std::fmt::Display for DrillError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
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

/// A position of a random game in which whoever is to move wins.
pub fn won_position<S: Setup>(
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
            && winner(expertise, &position).map_err(DrillError::Solve)? == Some(seat)
        {
            return Ok(position);
        }
    }
    Err(DrillError::NothingWon)
}

/// Who wins with best play.
pub fn winner<P: Position>(expertise: &Expertise<P>, position: &P) -> Result<Option<Seat>, SolveError> {
    if let Status::Over(outcome) = position.status() {
        let mut winners = outcome.winners.iter();
        let first = winners.next();
        return Ok(first.filter(|_| winners.next().is_none()));
    }
    let order = SolveOrder { want: Want::Winner, memory: SOLVER_BYTES, ..SolveOrder::default() };
    Ok((expertise.solve)(position, &order)?.value.winner)
}
