//! Programs that choose moves. Everything here works for any [`Position`](rookery_rules::Position); nothing knows a game's name.
//!
//! A [`Strategy`] gets a position and a [`Budget`] and answers with a legal move. All its randomness comes from the
//! budget's seed, so a strategy limited by work instead of time gives the same answer on any machine.

mod alphabeta;
mod analysis;
mod lasting;
mod mcts;
mod own_turns;
mod player_spec;
mod playout;
mod playouts;
mod solver;
mod strategy;

use std::sync::atomic::{AtomicUsize, Ordering};

pub use alphabeta::{AlphaBeta, Evaluation, Found, LIMIT, mark};
pub use analysis::{Analysis, Line};
pub use lasting::Lasting;
pub use mcts::Mcts;
pub use own_turns::{Gauge, OwnTurns};
pub use player_spec::{PlayerSpec, PlayerSpecError};
pub use playout::{Cut, Playout, Uniform};
pub use playouts::Playouts;
pub use solver::{
    Arrangements, Fate, FindTable, Goal, NotSolved, Perfect, Progress, Refuted, Solution, Solver,
    SolverTable, Unsolvable, Verified, Want,
};
pub use strategy::{Budget, First, Random, Stop, Strategy};

/// The cores of this machine that this process may use.
pub fn n_cores() -> usize {
    // The answer is kept, since finding it reads files. Nobody waits for another thread to find it: in a process that was
    // forked meanwhile that thread does not exist, and the wait would never end.
    static CORES: AtomicUsize = AtomicUsize::new(0);
    let known = CORES.load(Ordering::Relaxed);
    if known > 0 {
        return known;
    }
    let found = std::thread::available_parallelism().map_or(1, usize::from);
    CORES.store(found, Ordering::Relaxed);
    found
}
