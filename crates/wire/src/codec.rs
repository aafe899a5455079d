//! A protocol, without any I/O.

use std::time::Duration;

use rookery_referee::{EventOf, Failure, Fault, Info, Invitation, Question};
use rookery_rules::Position;

/// One protocol, as texts that go out and texts that come back. No I/O in it, so it is tested without any.
pub trait Codec<P: Position>: Send {
    /// The player takes its seat. What the program may know of the match is in the invitation; lines of chat that its
    /// protocol knows go into the chat box.
    fn seated(&mut self, invitation: &Invitation<'_, P>) {
        let _ = invitation;
    }

    /// The message that asks for a move; empty if the player knows from the news that it is its turn.
    fn ask(&mut self, question: &Question<'_, P>) -> Vec<u8>;

    /// Which answer is awaited since the last [`ask`](Self::ask), for people: `an answer to take-turn, such as
    /// [[0,2],[2,2]]`.
    fn expecting(&self) -> Option<String> {
        None
    }

    /// What an answer means.
    fn answer(&mut self, message: &[u8], position: &P) -> Result<Answer<P::Move>, Failure>;

    /// What the player is told of an event.
    fn news(&mut self, event: &EventOf<P>, position: &P) -> Vec<Note> {
        let _ = (event, position);
        vec![]
    }

    /// What the reply to a note means: `false` if it is something else that the protocol allows, and the reply is still to
    /// come.
    fn acknowledged(&mut self, reply: &[u8]) -> Result<bool, Fault> {
        let _ = reply;
        Ok(true)
    }

    /// What is to be sent back at once for what was read last, without anybody waiting for an answer.
    fn replies(&mut self) -> Vec<u8> {
        vec![]
    }

    /// Whether answers name their questions, so that none is taken for the answer to another one. Where they do not, it is an
    /// offence if a part of a message is there already when something is asked.
    fn tells_answers_apart(&self) -> bool {
        false
    }

    /// What something means that came without being asked for: an offence, or `None` if the protocol allows it.
    fn unasked(&mut self, message: &[u8]) -> Option<Fault> {
        Some(crate::transport::unasked(message))
    }

    /// As [`Player::extra_time`](rookery_referee::Player::extra_time).
    fn extra_time(&self, position: &P) -> Duration {
        let _ = position;
        Duration::ZERO
    }
}

/// What a message means that came while an answer was awaited.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer<M> {
    /// A move.
    Move(M),
    /// A move, and what the program says about it.
    MoveWith(M, Info),
    /// This move and those that are to follow it, as long as the same seat is asked again: see
    /// [`Remote`](crate::Remote). An answer without a move is malformed.
    Moves(Vec<M>),
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
    /// Which reply is awaited, for people; without it, one to the message.
    pub expected: Option<String>,
}

impl Note {
    /// A note without a reply.
    pub fn new(message: impl Into<Vec<u8>>) -> Self {
        Self { message: message.into(), reply: false, within: None, expected: None }
    }

    /// A note that is replied to.
    pub fn with_reply(message: impl Into<Vec<u8>>) -> Self {
        Self { reply: true, ..Self::new(message) }
    }

    /// The same, with so much time for the reply.
    #[must_use]
    pub fn within(self, time: Duration) -> Self {
        Self { within: Some(time), ..self }
    }

    /// The same with the reply that is awaited, for people: `"void" as the answer to playing-as`.
    #[must_use]
    pub fn expecting(self, reply: impl Into<String>) -> Self {
        Self { expected: Some(reply.into()), ..self }
    }
}
