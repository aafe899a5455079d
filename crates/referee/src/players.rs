//! Simple players that live in this process.

use std::collections::VecDeque;
use std::fmt;
use std::future::ready;

use rookery_rules::Position;

use crate::{Answering, BoxFuture, EventOf, Failure, Fault, Offence, Player, Question};

/// A closure at the table.
pub struct FnPlayer<F>(pub F);

impl<F> fmt::Debug for FnPlayer<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FnPlayer")
    }
}

impl<P: Position, F> Player<P> for FnPlayer<F>
where
    F: FnMut(&Question<'_, P>) -> Result<P::Move, Failure> + Send,
{
    fn choose<'a>(&'a mut self, question: Question<'a, P>) -> Answering<'a, P::Move> {
        Answering::Now((self.0)(&question))
    }
}

/// Plays a list of moves, legal or not, and has nothing more to say after the last.
#[derive(Clone, Debug)]
pub struct Scripted<M>(VecDeque<M>);

impl<M> Scripted<M> {
    /// Will play these.
    pub fn new(moves: impl IntoIterator<Item = M>) -> Self {
        Self(moves.into_iter().collect())
    }
}

impl<P: Position> Player<P> for Scripted<P::Move> {
    fn choose<'a>(&'a mut self, _: Question<'a, P>) -> Answering<'a, P::Move> {
        let next = self.0.pop_front();
        Answering::Now(
            next.ok_or_else(|| Fault::new(Offence::Disconnected, "its script has no more moves").into()),
        )
    }
}

/// Sits there for somebody who did not come, or is gone: the match is still ruled and recorded.
#[derive(Clone, Debug)]
pub struct Absent(pub Fault);

impl<P: Position> Player<P> for Absent {
    fn choose<'a>(&'a mut self, _: Question<'a, P>) -> Answering<'a, P::Move> {
        Answering::Now(Err(self.0.clone().into()))
    }

    fn hear<'a>(&'a mut self, _: &'a EventOf<P>, _: &'a P) -> Option<BoxFuture<'a, Result<(), Fault>>> {
        Some(Box::pin(ready(Err(self.0.clone()))))
    }
}
