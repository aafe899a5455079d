//! The referee's end of a pipe: the real connection, inbox and remote player, with a line protocol of the simulation's
//! own.
//!
//! Down: `ask MILLISECONDS POSITION` and `news`. Up: a move, or `resign`.

use std::fmt;
use std::panic::resume_unwind;
use std::task::{Context, Poll};

use rookery_referee::{
    Answering, BoxFuture, ChatBox, EventOf, Evidence, Failure, Fault, Invitation, Offence, Player, Question,
    Terms,
};
use rookery_rules::{Notation, Rng, Seat, Seed, below};
use rookery_wire::memory::Choppy;
use rookery_wire::{Answer, Bounds, Codec, Connection, Framing, Lent, Note, Process, Remote, excerpt};
use tokio::io::{DuplexStream, split};

use super::faults::Injected;
use super::{Log, log};

/// The longest line that is read.
pub(super) const MAX_LINE: usize = 128;

/// The texts of the simulation.
#[derive(Debug)]
struct Texts {
    /// The time that is announced without a time control.
    cap_ms: u128,
}

impl<P: Notation> Codec<P> for Texts {
    fn ask(&mut self, question: &Question<'_, P>) -> Vec<u8> {
        let ms = question.time.map_or(self.cap_ms, |time| time.as_millis());
        format!("ask {ms} {}\n", question.position.to_text()).into()
    }

    fn answer(&mut self, message: &[u8], position: &P) -> Result<Answer<P::Move>, Failure> {
        if message == b"resign" {
            return Err(Failure::Resigned);
        }
        let malformed =
            |note: String| Failure::from(Fault::new(Offence::Malformed, note).sent(excerpt(message)));
        let text = std::str::from_utf8(message).map_err(|error| malformed(error.to_string()))?;
        position.parse_move(text).map(Answer::Move).map_err(|error| malformed(error.to_string()))
    }

    fn news(&mut self, _: &EventOf<P>, _: &P) -> Vec<Note> {
        vec![Note::new("news\n")]
    }
}

/// A player at the other end of a pipe.
pub(super) struct PipePlayer<P: Notation> {
    seat: Seat,
    remote: Remote<P, Texts>,
    /// The question at which our end panics.
    panics_at: Option<u32>,
    n_asked: u32,
    /// One chance in so many for a flood of chat.
    chats: Option<(Rng, ChatBox)>,
    chat_one_in: u32,
    log: Log,
}

impl<P: Notation> fmt::Debug for PipePlayer<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PipePlayer({:?})", self.seat)
    }
}

impl<P: Notation> PipePlayer<P> {
    pub(super) fn new(
        seat: Seat,
        connection: Connection,
        terms: &Terms,
        panics_at: Option<u32>,
        chat_one_in: u32,
        log: Log,
    ) -> Self {
        // The cap has no margin, so it is told as a little less.
        let texts = Texts { cap_ms: terms.answer_cap.as_millis() - 10 };
        let remote = Remote::new(Lent::owned(Box::new(connection)), texts).with_lag(terms.lag.clone());
        Self { seat, remote, panics_at, n_asked: 0, chats: None, chat_one_in, log }
    }
}

fn bounds() -> Bounds {
    Bounds { bytes: MAX_LINE, ..Bounds::default() }
}

/// A connection in memory; everything that comes and goes is cut into pieces, where the seed says.
pub(super) fn in_memory(stream: DuplexStream, pieces: Seed) -> Connection {
    let (reader, writer) = split(Choppy::new(stream, pieces).without_halts());
    Connection::new(reader, writer, "a bot", Framing::EveryLine, bounds())
}

/// A connection to a program.
pub(super) fn to_program(process: Process) -> Connection {
    Connection::process(process, Framing::EveryLine, bounds())
}

impl<P: Notation> Player<P> for PipePlayer<P> {
    fn seated(&mut self, invitation: &Invitation<'_, P>) {
        let rng = Seed(invitation.seat.index() as u64).rng();
        self.chats = Some((rng, invitation.chat.clone()));
        self.remote.seated(invitation);
    }

    fn choose<'a>(&'a mut self, question: Question<'a, P>) -> Answering<'a, P::Move> {
        self.n_asked += 1;
        if self.panics_at == Some(self.n_asked) {
            log(&self.log, self.seat, Injected::OurPanic);
            resume_unwind(Box::new("a panic of the simulation"));
        }
        if let Some((rng, chat)) = &mut self.chats
            && self.chat_one_in > 0
            && below(rng, self.chat_one_in) == 0
        {
            (0..below(rng, 100)).for_each(|_| chat.say(&"long talk ".repeat(40)));
        }
        self.remote.choose(question)
    }

    fn hear<'a>(
        &'a mut self,
        event: &'a EventOf<P>,
        position: &'a P,
    ) -> Option<BoxFuture<'a, Result<(), Fault>>> {
        self.remote.hear(event, position)
    }

    fn poll_foul(&mut self, cx: &mut Context<'_>) -> Poll<Fault> {
        self.remote.poll_foul(cx)
    }

    fn unanswered(&mut self) -> Evidence {
        self.remote.unanswered()
    }
}
