//! Whoever sits at the table.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use rookery_rules::{Position, Seat, Seed};
use rookery_search::Stop;

use crate::{ChatBox, Clock, EventOf, Evidence, Failure, Fault, Info, MatchSpec};

/// A future that can be kept in a trait object.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What sort of player it is: whose fault its failures are, and how long it may think.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A part of Rookery. What it does wrong is our fault and nobody's loss; past its time it is stopped, and its move
    /// counts.
    BuiltIn,
    /// A program of somebody else.
    Program,
    /// A person. Without a clock it may think for ever.
    Person,
}

/// The live counterpart of the referee at one seat: a built-in, a program at the end of a pipe or a socket, a person.
///
/// Calls come in this order: [`seated`](Player::seated) once; [`hear`](Player::hear) for `Started`; then any number
/// of [`choose`](Player::choose) and `hear`; `hear` for `Ended` last. A removed player still hears, but is never
/// asked again; one that failed to hear is told nothing more.
pub trait Player<P: Position>: Send {
    /// The player takes its seat, and is told what the match is about.
    fn seated(&mut self, invitation: &Invitation<'_, P>) {
        let _ = invitation;
    }

    /// Answers a question. A future that is dropped before it ends means: too late, the answer is no longer wanted.
    fn choose<'a>(&'a mut self, question: Question<'a, P>) -> Answering<'a, P::Move>;

    /// What the player says about the move it has just answered with; asked for once a move.
    fn info(&mut self) -> Option<Box<Info>> {
        None
    }

    /// Hears what happened, with the position after it. `None` when that is done already.
    fn hear<'a>(
        &'a mut self,
        event: &'a EventOf<P>,
        position: &'a P,
    ) -> Option<BoxFuture<'a, Result<(), Fault>>> {
        let _ = (event, position);
        None
    }

    /// Whether the player has done something wrong while it was not asked: spoken, or gone away. Polled while another
    /// seat is asked, and for every seat just before a question is put, so that what was sent earlier is never taken
    /// for an answer. Not polled any more once the player is removed.
    fn poll_foul(&mut self, cx: &mut Context<'_>) -> Poll<Fault> {
        let _ = cx;
        Poll::Pending
    }

    /// What was sent of an answer that did not come in time, and what was expected: asked for when the time is up.
    fn unanswered(&mut self) -> Evidence {
        Evidence::default()
    }

    /// Who is gone at the moment and might have come back: asked for when the time is up, since that was the offence then.
    fn absence(&self) -> Option<Fault> {
        None
    }

    /// Time that this player's protocol grants for the question of this position, beyond what the time control does: a
    /// first turn, say, for which a program may still have to warm up. Without a time control it means nothing.
    fn extra_time(&self, position: &P) -> Duration {
        let _ = position;
        Duration::ZERO
    }

    /// What sort of player it is.
    fn kind(&self) -> Kind {
        Kind::Program
    }
}

/// What a player is told when it takes its seat.
#[derive(Debug)]
pub struct Invitation<'a, P: Position> {
    /// Its place.
    pub seat: Seat,
    /// What was agreed. A protocol tells a program only what it may know of it.
    pub spec: &'a MatchSpec,
    /// The moves made before: of an opening, or of a match that goes on. None if somebody was removed meanwhile.
    pub moves: &'a [P::Move],
    /// Where those moves begin: from here they lead to where the match stands.
    pub start: &'a P,
    /// Where it says things to all.
    pub chat: ChatBox,
    /// Raised when the match is to stop: for players that think where the match runs.
    pub stop: Stop,
}

/// What a player is asked.
#[derive(Debug)]
pub struct Question<'a, P> {
    /// The position; the seat is to move in it.
    pub position: &'a P,
    /// Who is asked.
    pub seat: Seat,
    /// How many moves were made before.
    pub ply: u64,
    /// How many answers to this question were refused before.
    pub refused: u32,
    /// Why the last answer was refused.
    pub refusal: Option<&'a Evidence>,
    /// All clocks, as they stand at the beginning of the turn.
    pub clock: &'a Clock,
    /// How much time is left for this answer; `None` if there is no time control.
    pub time: Option<Duration>,
    /// Randomness for this question, if the player wants any: it is in the record, so the match can be repeated.
    pub seed: Seed,
}

/// An answer that is there already, or one that will come.
pub enum Answering<'a, M> {
    /// It is there. A player that answers so must be quick: nothing else happens meanwhile.
    Now(Result<M, Failure>),
    /// It will come.
    Later(BoxFuture<'a, Result<M, Failure>>),
}

impl<M: fmt::Debug> fmt::Debug for Answering<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Now(answer) => f.debug_tuple("Now").field(answer).finish(),
            Self::Later(_) => f.write_str("Later"),
        }
    }
}
