//! Everything that ever happens in a match.

use rookery_rules::{Position, Seat};

use crate::{Charge, Offence, Ruling, Verdict};

/// One thing that happened. The first is `Started`, the last `Ended`, and nothing comes after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event<P, M> {
    /// The match begins, or goes on, from here.
    Started(P),
    /// A seat moved.
    Moved { seat: Seat, mv: M, charge: Option<Charge> },
    /// A seat said something to all. It never affects the game.
    Said { seat: Seat, text: String },
    /// A seat gave up.
    Resigned { seat: Seat },
    /// A seat offended.
    Fouled(Foul),
    /// The match is over.
    Ended(Verdict),
}

/// The events of a game.
pub type EventOf<P> = Event<P, <P as Position>::Move>;

/// An offence and what came of it, with everything needed to judge it again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Foul {
    /// Who offended.
    pub seat: Seat,
    /// How.
    pub offence: Offence,
    /// What it cost.
    pub ruling: Ruling,
    /// What was sent and why it did not do, for people.
    pub detail: String,
    /// The moves that were legal, if the seat owed one; shortened when there are very many.
    pub legal: Vec<String>,
    /// The time it took.
    pub charge: Option<Charge>,
}

/// Somebody who watches a match. An observer can neither fail nor delay it: what is slow puts a bounded queue in
/// between.
///
/// Every call comes with the position after the event. `()` watches nothing, and a pair of observers watches twice.
pub trait Observer<P: Position> {
    /// Something happened.
    fn see(&mut self, event: &EventOf<P>, position: &P);
}

impl<P: Position> Observer<P> for () {
    fn see(&mut self, _: &EventOf<P>, _: &P) {}
}

impl<P: Position, A: Observer<P>, B: Observer<P>> Observer<P> for (A, B) {
    fn see(&mut self, event: &EventOf<P>, position: &P) {
        self.0.see(event, position);
        self.1.see(event, position);
    }
}

impl<P: Position> Observer<P> for Vec<EventOf<P>> {
    fn see(&mut self, event: &EventOf<P>, _: &P) {
        self.push(event.clone());
    }
}

impl<P: Position, O: Observer<P> + ?Sized> Observer<P> for &mut O {
    fn see(&mut self, event: &EventOf<P>, position: &P) {
        (**self).see(event, position);
    }
}
