//! A second look at a solution, which trusts neither the table nor anything a game foresees.

use std::collections::HashMap;
use std::fmt;

use rookery_rules::{Seat, Solvable, Worth};

use super::{Solution, Solver, search};
use crate::Budget;

/// How large the proofs were.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Verified {
    /// Positions walked through.
    pub positions: u64,
}

/// Why a solution is not confirmed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refuted {
    /// In this position a seat does not get what was claimed.
    At {
        /// The position, as people see it.
        position: String,
        /// The seat.
        seat: Seat,
        /// What it was said to get at least.
        claimed: Worth,
    },
    /// How this position ends does not follow from how those after it end.
    Fate {
        /// The position, as people see it.
        position: String,
    },
    /// The walk was stopped, or became larger than the table may be.
    Stopped,
}

impl fmt::Display for Refuted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At { position, seat, claimed } => {
                write!(
                    f,
                    "the proof fails: seat {} does not have at least a {claimed} in this position:\n{position}",
                    seat.index()
                )
            }
            Self::Fate { position } => write!(f, "the proof fails in this position:\n{position}"),
            Self::Stopped => {
                f.write_str("the proof was not walked through: it was stopped or did not fit the memory")
            }
        }
    }
}

impl std::error::Error for Refuted {}

impl<P: Solvable> Solver<P> {
    /// Walks through the proof of a solution of this solver's position by the rules alone: the side that claims has one
    /// move in each position, the other side has all of them, and every line is followed until the game is over or so
    /// many moves are made as were claimed. An exact length takes two proofs, one for each side. The solver is only
    /// asked which move to try.
    pub fn verify(&mut self, solution: &Solution<P::Move>, budget: &Budget) -> Result<Verified, Refuted> {
        let start = self.start.clone();
        let mover = start.to_move().expect("a solver's position is not over");
        let other = mover.next(2);
        let worth = solution.worth;
        let max_entries = (self.limit / 64).max(1 << 16);
        let mut walk = Walk { solver: self, budget, proved: HashMap::new(), max_entries, positions: 0 };
        let draw = worth == Worth::DRAW;
        if solution.is_exact || worth.is_win() || draw {
            walk.prove(&start, mover, worth)?;
        }
        walk.proved.clear();
        if solution.is_exact || worth.is_loss() || draw {
            walk.prove(&start, other, worth.flip())?;
        }
        Ok(Verified { positions: walk.positions })
    }
}

struct Walk<'a, P> {
    solver: &'a mut Solver<P>,
    budget: &'a Budget,
    /// By key, what the claiming seat was shown to get at least. The key is the game's own, not the solver's code.
    proved: HashMap<u64, Worth>,
    max_entries: usize,
    positions: u64,
}

impl<P: Solvable> Walk<'_, P> {
    /// The seat gets at least so much from here.
    fn prove(&mut self, position: &P, seat: Seat, claimed: Worth) -> Result<(), Refuted> {
        let refuted = || Refuted::At { position: position.to_string(), seat, claimed };
        let Some(mover) = position.to_move() else {
            let holds = search::ended(position, seat) >= claimed;
            return if holds { Ok(()) } else { Err(refuted()) };
        };
        // A game that goes on is not lost yet, and it is not won yet either.
        if claimed == Worth::LEAST {
            return Ok(());
        }
        if claimed > Worth::win(1) {
            return Err(refuted());
        }
        let key = position.key();
        if self.proved.get(&key).is_some_and(|&proved| proved >= claimed) {
            return Ok(());
        }
        self.positions += 1;
        if self.budget.stop.is_set() || self.proved.len() >= self.max_entries {
            return Err(Refuted::Stopped);
        }
        if mover == seat {
            let kept =
                self.solver.keep_somehow(position, claimed, self.budget).map_err(|_| Refuted::Stopped)?;
            let (_, child) = kept.ok_or_else(refuted)?;
            self.prove(&child, seat, claimed.younger())?;
        } else {
            for mv in position.legal_moves() {
                let mut child = position.clone();
                child.play_unchecked(mv);
                self.prove(&child, seat, claimed.younger())?;
            }
        }
        self.proved.insert(key, claimed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rookery_games::hexapawn;
    use rookery_rules::{Position, Setup};

    use super::super::Want;
    use super::super::table::Bounds;
    use super::*;

    #[test]
    fn forged_entries_of_the_table_are_found() {
        let start = hexapawn::Setup::parse("rows=4,cols=4").unwrap().start();
        let budget = Budget::default();
        let mut solver = Solver::new(&start, 1 << 20, 1).unwrap();
        // The first player wins; the table is told that the second does, whatever the first move.
        for mv in start.legal_moves() {
            let mut child = start.clone();
            child.play_unchecked(mv);
            let forged = Bounds { low: Worth::win(5), high: Worth::win(5) };
            solver.table.put(solver.table.slot(child.code()), forged, 1);
        }
        let mut solution = solver.solve(Want::Winner, &budget).unwrap();
        assert_eq!(solution.worth, Worth::loss(6), "the table is believed");
        assert!(matches!(solver.verify(&solution, &budget), Err(Refuted::At { .. })));
        solution.is_exact = true;
        assert!(matches!(solver.verify(&solution, &budget), Err(Refuted::At { .. })));
    }
}
