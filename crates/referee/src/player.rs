//! Whoever sits at the table.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use rookery_rules::{Position, Seat, Seed};

use crate::{ChatBox, Clock, EventOf, Offence};

/// A future that can be kept in a trait object.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The live counterpart of the referee at one seat: a built-in, a program at the end of a pipe or a socket, a person.
///
/// Calls come in this order: [`seated`](Player::seated) once; [`hear`](Player::hear) for `Started`; then any number
/// of [`choose`](Player::choose) and `hear`; `hear` for `Ended` last. A removed player still hears, but is never
/// asked again; one that failed to hear is told nothing more.
pub trait Player<P: Position>: Send {
    /// The player takes its seat, and gets a box to say things into.
    fn seated(&mut self, seat: Seat, chat: ChatBox) {
        let _ = (seat, chat);
    }

    /// Answers a question. A future that is dropped before it ends means: too late, the answer is no longer wanted.
    fn choose<'a>(&'a mut self, question: Question<'a, P>) -> Answering<'a, P::Move>;

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

    /// Time that this player's protocol grants for the question of this position, beyond what the time control does: a
    /// first turn, say, for which a program may still have to warm up. Without a time control it means nothing.
    fn extra_time(&self, position: &P) -> Duration {
        let _ = position;
        Duration::ZERO
    }

    /// Whether the player is a part of Rookery. What such a player does wrong is our fault and nobody's loss.
    fn is_built_in(&self) -> bool {
        false
    }
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
    pub reason: Option<&'a str>,
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

/// Why there is no move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The player did something wrong.
    Fault(Fault),
    /// The player gives up.
    Resigned,
    /// We did something wrong.
    Platform(String),
}

/// Something a player did wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What.
    pub offence: Offence,
    /// What was sent, what was expected, what the system said: for people.
    pub detail: String,
}

impl Fault {
    /// An offence with its detail.
    pub fn new(offence: Offence, detail: impl Into<String>) -> Self {
        Self { offence, detail: detail.into() }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}
