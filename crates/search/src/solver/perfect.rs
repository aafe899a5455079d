//! A player that cannot be beaten from a won position, where the solver reaches.

use std::sync::Arc;

use rookery_rules::Solvable;

use super::{Solver, SolverTable, Want};
use crate::{Budget, Strategy};

/// Solves the position and plays a best move. Where that takes too long another strategy answers.
///
/// It spends most of its time on solving when the end is in sight, and little before. A budget's work counts positions.
/// With a clock all threads of the budget help; otherwise one does, so that the same budget gives the same answer.
#[derive(Debug)]
pub struct Perfect<P, F> {
    solver: Option<Solver<P>>,
    fallback: F,
    goal: Goal,
    /// Positions for each answer, if neither time nor work is limited.
    nodes: u64,
    /// Bytes for the table.
    bytes: usize,
    /// Where the game lasts longer than this it does not even try.
    sight: Option<u64>,
    /// Whether it never looks at more positions than its own number, whatever the budget.
    closed: bool,
    /// Where a table for a position is found.
    tables: Option<FindTable<P>>,
}

/// What others have found out about the family of a position, if that is at hand.
pub type FindTable<P> = fn(&P) -> Option<Arc<SolverTable>>;

/// More threads than this hardly help within the time of a move.
const MAX_THREADS: usize = 8;

/// A game that lasts at most so many more moves may well be solved in the time of a move.
const IN_SIGHT: u64 = 60;

/// What a perfect player asks of its solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// The quickest win, or the longest resistance.
    Length,
    /// To keep what is won or drawn, however long it takes; the other strategy resists where all is lost. That is
    /// known much sooner.
    Result,
}

impl<P: Solvable, F: Strategy<P>> Perfect<P, F> {
    /// Looks at no more than so many positions for an answer, remembers them in so many bytes, and leaves the rest to
    /// another strategy.
    pub fn new(fallback: F, goal: Goal, nodes: u64, bytes: usize) -> Self {
        Self { solver: None, fallback, goal, nodes, bytes, sight: None, closed: false, tables: None }
    }

    /// Tries with half of its time where the game lasts at most so many more moves, and not at all where it lasts longer.
    #[must_use]
    pub fn with_sight(self, sight: u64) -> Self {
        Self { sight: Some(sight), ..self }
    }

    /// Looks up what others have found out before.
    #[must_use]
    pub fn with_tables(self, tables: FindTable<P>) -> Self {
        Self { tables: Some(tables), ..self }
    }

    /// Never looks at more positions than its own number, whatever the budget, so that it is no stronger with more time.
    #[must_use]
    pub fn closed(self) -> Self {
        Self { closed: true, ..self }
    }

    /// The best move, if it is found within the budget.
    fn best(&mut self, position: &P, budget: &Budget) -> Option<P::Move> {
        if self.sight.is_some_and(|sight| position.max_plies() > sight) {
            return None;
        }
        // What was found out in another game is forgotten, so that an answer depends on this game alone.
        let fits = |solver: &Solver<P>| {
            solver.start.family() == position.family()
                && solver.start.code_bits() >= position.code_bits()
                && solver.start.max_plies() > position.max_plies()
        };
        if !self.solver.as_ref().is_some_and(fits) {
            let base = self.tables.and_then(|find| find(position));
            self.solver = Some(Solver::new(position, self.bytes, 1).ok()?.knowing(base));
        }
        let solver = self.solver.as_mut().expect("it was just made");
        solver.move_to(position);
        solver.threads =
            if budget.deadline.is_some() && !self.closed { budget.threads.clamp(1, MAX_THREADS) } else { 1 };
        let work = match budget.work {
            None if budget.deadline.is_some() && !self.closed => None,
            Some(work) if !self.closed => Some(work),
            work => Some(work.map_or(self.nodes, |work| work.min(self.nodes))),
        };
        // In twelfths of the time; the rest is for the other strategy.
        let share = match self.sight {
            Some(_) => 6,
            None if position.max_plies() <= IN_SIGHT => 11,
            None => 2,
        };
        let now = std::time::Instant::now();
        let solving = Budget {
            deadline: budget
                .deadline
                .map(|deadline| now + deadline.saturating_duration_since(now) * share / 12),
            work: work.map(|work| work.saturating_add(solver.progress().nodes())),
            ..budget.clone()
        };
        match self.goal {
            Goal::Length => solver.solve(Want::Length, &solving)?.line.first().copied(),
            Goal::Result => {
                let (keeping, wins) = solver.keeping_move(&solving)?;
                if wins {
                    return Some(keeping);
                }
                // Of the moves that keep a draw the other strategy may know one that asks more of the others.
                let tempting = self.fallback.choose(position, budget);
                Some(if solver.keeps_draw(tempting, &solving) { tempting } else { keeping })
            }
        }
    }
}

impl<P: Solvable, F: Strategy<P>> Strategy<P> for Perfect<P, F> {
    fn choose(&mut self, position: &P, budget: &Budget) -> P::Move {
        match self.best(position, budget) {
            Some(mv) => mv,
            None => self.fallback.choose(position, budget),
        }
    }
}
