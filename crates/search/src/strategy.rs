//! What a strategy is given, and the two simplest ones.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rookery_rules::{Position, Seed};

/// A way to choose moves.
///
/// ```
/// use rookery_games::hexapawn;
/// use rookery_rules::{Position, Setup};
/// use rookery_search::{Budget, First, Strategy};
///
/// let position = hexapawn::Setup::default().start();
/// let mv = First.choose(&position, &Budget::default());
/// assert_eq!(mv.to_string(), "e1-e2");
/// ```
pub trait Strategy<P: Position>: Send {
    /// A legal move of the seat to move. The game is not over.
    fn choose(&mut self, position: &P, budget: &Budget) -> P::Move;
}

impl<P: Position, S: Strategy<P> + ?Sized> Strategy<P> for Box<S> {
    fn choose(&mut self, position: &P, budget: &Budget) -> P::Move {
        (**self).choose(position, budget)
    }
}

/// How much a strategy may think, and the seed of its randomness.
#[derive(Clone, Debug)]
pub struct Budget {
    /// When the answer must be there.
    pub deadline: Option<Instant>,
    /// At most so much work: positions searched, or random games played. The strategy says which it counts.
    pub work: Option<u64>,
    /// At most so many moves ahead.
    pub depth: Option<u32>,
    /// So many threads may think, where there is a deadline; without one a single thread does, so that the same seed
    /// gives the same answer on any machine.
    pub threads: usize,
    /// Set when the answer is no longer wanted.
    pub stop: Stop,
    /// Where the strategy's randomness comes from; another one for every question.
    pub seed: Seed,
}

impl Default for Budget {
    fn default() -> Self {
        Self { deadline: None, work: None, depth: None, threads: 1, stop: Stop::default(), seed: Seed(0) }
    }
}

impl Budget {
    /// Whether to answer now with what has been found so far. Asks the clock: call it every few hundred steps.
    pub fn is_spent(&self, work_done: u64) -> bool {
        self.work.is_some_and(|limit| work_done >= limit)
            || self.stop.is_set()
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// A flag that is raised once, from anywhere, to say that an answer is no longer wanted.
#[derive(Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Raises it.
    pub fn set(&self) {
        // What was written before it is seen by whoever sees it raised.
        self.0.store(true, Ordering::Release);
    }

    /// Whether it is raised.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stop({})", self.is_set())
    }
}

/// Plays any legal move, each equally likely.
#[derive(Clone, Copy, Debug)]
pub struct Random;

impl<P: Position> Strategy<P> for Random {
    fn choose(&mut self, position: &P, budget: &Budget) -> P::Move {
        position.random_move(&mut budget.seed.rng()).expect("a strategy is asked only while the game goes on")
    }
}

/// Plays the first move of the game's list.
#[derive(Clone, Copy, Debug)]
pub struct First;

impl<P: Position> Strategy<P> for First {
    fn choose(&mut self, position: &P, _: &Budget) -> P::Move {
        position.legal_moves().next().expect("a strategy is asked only while the game goes on")
    }
}
