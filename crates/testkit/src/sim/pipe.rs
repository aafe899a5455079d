//! The referee's end of a pipe: a line protocol of the simulation's own, with every read bounded.
//!
//! Down: `ask MILLISECONDS POSITION` and `news`. Up: a move, or `resign`.

use std::fmt;
use std::panic::resume_unwind;
use std::pin::Pin;
use std::task::{Context, Poll};

use rookery_referee::{
    Answering, BoxFuture, ChatBox, EventOf, Failure, Fault, Invitation, Offence, Player, Question, Terms,
};
use rookery_rules::{Notation, Rng, Seat, below};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, DuplexStream, ReadBuf};

use super::faults::Injected;
use super::{Log, log};

/// The longest line that is read.
pub(super) const MAX_LINE: usize = 128;

/// A player at the other end of a pipe.
pub(super) struct PipePlayer {
    seat: Seat,
    stream: DuplexStream,
    buffer: Vec<u8>,
    /// The time that is announced without a time control.
    cap_ms: u128,
    /// The question at which our end panics.
    panics_at: Option<u32>,
    n_asked: u32,
    /// One chance in so many for a flood of chat.
    chats: Option<(Rng, ChatBox)>,
    chat_one_in: u32,
    log: Log,
}

impl fmt::Debug for PipePlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PipePlayer({:?})", self.seat)
    }
}

impl PipePlayer {
    pub(super) fn new(
        seat: Seat,
        stream: DuplexStream,
        terms: &Terms,
        panics_at: Option<u32>,
        chat_one_in: u32,
        log: Log,
    ) -> Self {
        // The cap has no margin, so it is told as a little less.
        let cap_ms = terms.answer_cap.as_millis() - 10;
        Self { seat, stream, buffer: vec![], cap_ms, panics_at, n_asked: 0, chats: None, chat_one_in, log }
    }

    /// Reads one line. What comes after it stays in the buffer, where it counts as spoken out of turn.
    async fn line(&mut self) -> Result<Vec<u8>, Fault> {
        loop {
            if let Some(end) = self.buffer.iter().position(|&byte| byte == b'\n') {
                let rest = self.buffer.split_off(end + 1);
                let mut line = std::mem::replace(&mut self.buffer, rest);
                line.pop();
                return Ok(line);
            }
            if self.buffer.len() > MAX_LINE {
                return Err(Fault::new(Offence::OutputLimit, "a line is too long"));
            }
            let mut chunk = [0; 32];
            match self.stream.read(&mut chunk).await {
                Ok(n) if n > 0 => self.buffer.extend_from_slice(&chunk[..n]),
                _ => return Err(closed()),
            }
        }
    }
}

fn closed() -> Fault {
    Fault::new(Offence::Disconnected, "the pipe is closed")
}

impl<P: Notation> Player<P> for PipePlayer {
    fn seated(&mut self, invitation: &Invitation<'_, P>) {
        let rng = rookery_rules::Seed(invitation.seat.index() as u64).rng();
        self.chats = Some((rng, invitation.chat.clone()));
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
        let ms = question.time.map_or(self.cap_ms, |time| time.as_millis());
        let ask = format!("ask {ms} {}\n", question.position.to_text());
        let position = question.position;
        Answering::Later(Box::pin(async move {
            self.stream.write_all(ask.as_bytes()).await.map_err(|_| closed())?;
            let line = self.line().await?;
            if line == b"resign" {
                return Err(Failure::Resigned);
            }
            let malformed = |detail: String| Failure::from(Fault::new(Offence::Malformed, detail));
            let text = std::str::from_utf8(&line).map_err(|error| malformed(error.to_string()))?;
            position.parse_move(text).map_err(|error| malformed(error.to_string()))
        }))
    }

    fn hear<'a>(&'a mut self, _: &'a EventOf<P>, _: &'a P) -> Option<BoxFuture<'a, Result<(), Fault>>> {
        Some(Box::pin(async { self.stream.write_all(b"news\n").await.map_err(|_| closed()) }))
    }

    fn poll_foul(&mut self, cx: &mut Context<'_>) -> Poll<Fault> {
        if self.buffer.is_empty() {
            let mut chunk = [0; 32];
            let mut read = ReadBuf::new(&mut chunk);
            match Pin::new(&mut self.stream).poll_read(cx, &mut read) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(_) if read.filled().is_empty() => return Poll::Ready(closed()),
                Poll::Ready(_) => self.buffer.extend_from_slice(read.filled()),
            }
        }
        Poll::Ready(Fault::new(Offence::OutOfTurn, "it was not asked"))
    }
}
