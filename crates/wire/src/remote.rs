//! A player at the other end of a connection.

use std::borrow::BorrowMut;
use std::fmt;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use rookery_referee::{
    Answering, BoxFuture, EventOf, Failure, Fault, LagProbe, Offence, Player, Question,
};
use rookery_rules::Position;

use crate::{Connection, excerpt};

/// One protocol, as texts that go out and texts that come back. No I/O in it, so it is tested without any.
pub trait Codec<P: Position>: Send {
    /// The player takes its seat; lines of chat that its protocol knows go into the box.
    fn seated(&mut self, invitation: &rookery_referee::Invitation<'_, P>) {
        let _ = invitation;
    }

    /// The message that asks for a move; empty if the player knows from the news that it is its turn.
    fn ask(&mut self, question: &Question<'_, P>) -> Vec<u8>;

    /// What an answer means.
    fn answer(&mut self, message: &[u8], position: &P) -> Result<Answer<P::Move>, Failure>;

    /// What the player is told of an event.
    fn news(&mut self, event: &EventOf<P>, position: &P) -> Vec<Note> {
        let _ = (event, position);
        vec![]
    }

    /// What the reply to a note means.
    fn acknowledged(&mut self, reply: &[u8]) -> Result<(), Fault> {
        let _ = reply;
        Ok(())
    }

    /// What something means that came without being asked for: an offence, or `None` if the protocol allows it.
    fn unasked(&mut self, message: &[u8]) -> Option<Fault> {
        Some(crate::connection::unasked(message))
    }

    /// As [`Player::extra_time`].
    fn extra_time(&self, position: &P) -> Duration {
        let _ = position;
        Duration::ZERO
    }
}

/// What a message means that came while an answer was awaited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer<M> {
    /// A move.
    Move(M),
    /// Something else that the protocol allows, such as chat: the answer is still to come.
    Aside,
}

/// Something a player is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// The message.
    pub message: Vec<u8>,
    /// Whether the player replies to it before anything else happens.
    pub reply: bool,
    /// How long the reply may take, if not as long as the match gives to take note of anything.
    pub within: Option<Duration>,
}

impl Note {
    /// A note without a reply.
    pub fn new(message: impl Into<Vec<u8>>) -> Self {
        Self { message: message.into(), reply: false, within: None }
    }

    /// A note that is replied to.
    pub fn with_reply(message: impl Into<Vec<u8>>) -> Self {
        Self { message: message.into(), reply: true, within: None }
    }

    /// The same, with so much time for the reply.
    #[must_use]
    pub fn within(self, time: Duration) -> Self {
        Self { within: Some(time), ..self }
    }
}

/// A connection, owned or lent for one match, and the protocol spoken on it: together a player.
pub struct Remote<K, C> {
    connection: K,
    codec: C,
    lag: LagProbe,
}

impl<K: BorrowMut<Connection>, C> Remote<K, C> {
    /// A player that speaks a protocol.
    pub fn new(connection: K, codec: C) -> Self {
        Self { connection, codec, lag: LagProbe::default() }
    }

    /// The same, not charged for our own delays when a note has a time of its own.
    #[must_use]
    pub fn with_lag(self, lag: LagProbe) -> Self {
        Self { lag, ..self }
    }

    /// The next message that the protocol does not allow now; `Pending` if there is none.
    fn poll_unasked<P: Position>(&mut self, cx: &mut Context<'_>) -> Poll<Fault>
    where
        C: Codec<P>,
    {
        loop {
            match std::task::ready!(self.connection.borrow_mut().poll_receive(cx)) {
                Err(fault) => return Poll::Ready(fault),
                Ok(message) => {
                    if let Some(fault) = self.codec.unasked(&message) {
                        return Poll::Ready(fault);
                    }
                }
            }
        }
    }

    /// Tells a note and waits for the reply, if there is one. What was sent before is no reply to it.
    async fn tell<P: Position>(&mut self, note: &Note) -> Result<(), Fault>
    where
        C: Codec<P>,
    {
        if note.reply {
            if let Poll::Ready(fault) = self.poll_unasked(&mut Context::from_waker(Waker::noop())) {
                return Err(fault);
            }
            self.connection.borrow_mut().spoken_early().map_or(Ok(()), Err)?;
        }
        let connection = self.connection.borrow_mut();
        connection.send(&note.message).await?;
        if note.reply {
            let reply = connection.receive().await?;
            self.codec.acknowledged(&reply)?;
        }
        Ok(())
    }
}

impl<K: BorrowMut<Connection>, C> fmt::Debug for Remote<K, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Remote({})", self.connection.borrow().peer())
    }
}

impl<P: Position, K: BorrowMut<Connection> + Send, C: Codec<P>> Player<P> for Remote<K, C> {
    fn seated(&mut self, invitation: &rookery_referee::Invitation<'_, P>) {
        self.codec.seated(invitation);
    }

    fn choose<'a>(&'a mut self, question: Question<'a, P>) -> Answering<'a, P::Move> {
        if let Some(fault) = self.connection.borrow_mut().spoken_early() {
            return Answering::Now(Err(fault.into()));
        }
        let message = self.codec.ask(&question);
        let position = question.position;
        Answering::Later(Box::pin(async move {
            let connection = self.connection.borrow_mut();
            if !message.is_empty() {
                connection.send(&message).await?;
            }
            loop {
                let answer = connection.receive().await?;
                if let Answer::Move(mv) = self.codec.answer(&answer, position)? {
                    return Ok(mv);
                }
            }
        }))
    }

    fn hear<'a>(
        &'a mut self,
        event: &'a EventOf<P>,
        position: &'a P,
    ) -> Option<BoxFuture<'a, Result<(), Fault>>> {
        let notes = self.codec.news(event, position);
        if notes.is_empty() {
            return None;
        }
        Some(Box::pin(async move {
            let lag = self.lag.clone();
            for note in notes {
                match note.within {
                    None => self.tell(&note).await?,
                    Some(time) => lag.within(time, self.tell(&note)).await.unwrap_or_else(|| {
                        let detail =
                            format!("no reply to {} within {} ms", excerpt(&note.message), time.as_millis());
                        Err(Fault::new(Offence::Timeout, detail))
                    })?,
                }
            }
            Ok(())
        }))
    }

    fn poll_foul(&mut self, cx: &mut Context<'_>) -> Poll<Fault> {
        self.poll_unasked(cx)
    }

    fn extra_time(&self, position: &P) -> Duration {
        self.codec.extra_time(position)
    }
}
