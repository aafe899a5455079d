//! What happens in a tournament, for those who watch it.

use crate::{Entrant, GameResult, Pairing, Round};

/// One thing that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TournamentEvent {
    /// The tournament begins, or goes on, with these.
    Started { entrants: Vec<Entrant> },
    /// A round begins, if the format has rounds.
    Round(Round),
    /// A game begins.
    Paired(Pairing),
    /// A game has ended.
    Finished(GameResult),
    /// An entrant has left, or failed to take note of the beginning or the end.
    Left(Entrant),
    /// It is over.
    Ended(TournamentOutcome),
}

/// How a tournament ended.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TournamentOutcome {
    /// Who has won it, if the format names winners.
    pub winners: Vec<Entrant>,
    /// Who failed on the way, at the beginning, in a game or at the end, or left.
    pub failed: Vec<Entrant>,
    /// How many rounds there were, if the format has rounds.
    pub rounds: u32,
    /// Whether all was played. If not, it was drained, nobody has won yet, and another run can go on with it.
    pub complete: bool,
}

/// Somebody who watches a tournament. A watcher can neither fail nor delay it: a panic of it is caught, after which it
/// is told nothing more, and what is slow puts a bounded queue in between. `()` watches nothing.
pub trait Watcher: Send {
    /// Something happened.
    fn see(&mut self, event: &TournamentEvent);
}

impl<W: Watcher + ?Sized> Watcher for &mut W {
    fn see(&mut self, event: &TournamentEvent) {
        (**self).see(event);
    }
}

impl Watcher for () {
    fn see(&mut self, _: &TournamentEvent) {}
}

impl Watcher for Vec<TournamentEvent> {
    fn see(&mut self, event: &TournamentEvent) {
        self.push(event.clone());
    }
}
