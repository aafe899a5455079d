//! Everything that ever happens in a match.

use rookery_rules::{Position, Seat};

use crate::{Charge, Evidence, Info, Offence, Question, Ruling, Verdict};

/// One thing that happened. The first is `Started`, the last `Ended`, and nothing comes after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event<P, M> {
    /// The match begins, or goes on, from here.
    Started(Box<P>),
    /// A seat moved.
    Moved { seat: Seat, mv: M, charge: Option<Charge>, info: Option<Box<Info>> },
    /// A seat said something to all. It never affects the game.
    Said { seat: Seat, text: String },
    /// A seat gave up.
    Resigned { seat: Seat },
    /// A seat offended.
    Fouled(Box<Foul>),
    /// A seat took moves back; the match goes on from where so many were made.
    TakenBack { seat: Seat, to: u64 },
    /// The players agreed on a draw.
    Drawn,
    /// Whoever runs the match ends it with the result that it has, because that is proved.
    Adjudicated {
        /// Who wins; `None` for a draw.
        winner: Option<Seat>,
    },
    /// The match is over.
    Ended(Box<Verdict>),
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
    /// What speaks for it.
    pub evidence: Evidence,
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

    /// A question is put to a seat.
    fn asked(&mut self, question: &Question<'_, P>) {
        let _ = question;
    }
}

impl<P: Position> Observer<P> for () {
    fn see(&mut self, _: &EventOf<P>, _: &P) {}
}

impl<P: Position, A: Observer<P>, B: Observer<P>> Observer<P> for (A, B) {
    fn see(&mut self, event: &EventOf<P>, position: &P) {
        self.0.see(event, position);
        self.1.see(event, position);
    }

    fn asked(&mut self, question: &Question<'_, P>) {
        self.0.asked(question);
        self.1.asked(question);
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

    fn asked(&mut self, question: &Question<'_, P>) {
        (**self).asked(question);
    }
}

impl<P: Position, O: Observer<P>> Observer<P> for Option<O> {
    fn see(&mut self, event: &EventOf<P>, position: &P) {
        if let Some(observer) = self {
            observer.see(event, position);
        }
    }

    fn asked(&mut self, question: &Question<'_, P>) {
        if let Some(observer) = self {
            observer.asked(question);
        }
    }
}

impl<P: Position, O: Observer<P> + ?Sized> Observer<P> for Box<O> {
    fn see(&mut self, event: &EventOf<P>, position: &P) {
        (**self).see(event, position);
    }

    fn asked(&mut self, question: &Question<'_, P>) {
        (**self).asked(question);
    }
}
