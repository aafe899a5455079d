//! What happens in a tournament, for those who watch it.

use super::{GroupResult, TournamentOutcome};

/// One thing that happened. Entrants are numbers, in the order in which they signed up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TournamentEvent {
    /// The tournament begins with these.
    Started { entrants: Vec<usize> },
    /// A round begins; rounds count from 1.
    Round { number: usize, groups: Vec<Vec<usize>> },
    /// A game of a round has ended; groups count from 0, in the order of the round.
    Finished { round: usize, group: usize, result: GroupResult },
    /// It is over.
    Ended(TournamentOutcome),
}

/// Somebody who watches a tournament. A watcher can neither fail nor delay it: a panic of it is caught, after which it
/// is told nothing more, and what is slow puts a bounded queue in between. `()` watches nothing.
pub trait Watcher: Send {
    /// Something happened.
    fn see(&mut self, event: &TournamentEvent);
}

impl Watcher for () {
    fn see(&mut self, _: &TournamentEvent) {}
}

impl Watcher for Vec<TournamentEvent> {
    fn see(&mut self, event: &TournamentEvent) {
        self.push(event.clone());
    }
}
