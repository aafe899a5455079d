//! "Move now": whoever thinks answers with what it has found so far.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rookery_rules::Position;
use rookery_search::{Budget, Stop, Strategy};

/// The flag of whoever thinks in a match now. Copies are of the same match.
#[derive(Clone, Default, Debug)]
pub(crate) struct Hurry(Arc<Mutex<Option<Stop>>>);

impl Hurry {
    /// Whoever thinks answers now.
    pub(crate) fn raise(&self) {
        if let Some(stop) = &*self.thinking() {
            stop.set();
        }
    }

    fn thinking(&self) -> MutexGuard<'_, Option<Stop>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A strategy that can be hurried.
pub(crate) struct Hurried<P: Position> {
    pub(crate) strategy: Box<dyn Strategy<P>>,
    pub(crate) hurry: Hurry,
}

impl<P: Position> fmt::Debug for Hurried<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hurried").finish_non_exhaustive()
    }
}

impl<P: Position> Strategy<P> for Hurried<P> {
    fn choose(&mut self, position: &P, budget: &Budget) -> P::Move {
        *self.hurry.thinking() = Some(budget.stop.clone());
        self.strategy.choose(position, budget)
    }
}
