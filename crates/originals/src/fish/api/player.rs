//! A player at the other end of a connection that calls us.

use std::borrow::BorrowMut;
use std::fmt;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rookery_games::fish::{Move, Position};
use rookery_referee::{
    Answering, BoxFuture, ChatBox, Event, EventOf, Failure, Fault, Offence, Player, Question,
};
use rookery_rules::{Position as _, Seat};
use rookery_wire::{Connection, excerpt};

use super::calls::{Call, write};
use super::query::{Meaning, meaning};
use super::{Refused, SharedInfo, lock};

/// How many calls are answered before others get their turn.
const AT_ONCE: usize = 32;

/// A connection, owned or lent for one match, on which a player asks and acts.
///
/// Questions are answered at any time. An action out of turn or not legal is answered with `false`, and is an offence
/// that the match's conduct rules on. A player that never acts is timed out as any other. Nothing is read while
/// answers wait to be taken, so that a player that asks without listening costs no memory.
pub struct ApiPlayer<K> {
    connection: K,
    info: SharedInfo,
    seat: Seat,
    /// `None` when no game goes on.
    position: Option<Position>,
    /// An action that came when it was the player's turn already, but before we had asked.
    early: Option<Vec<u8>>,
    first_turn: Duration,
    /// Whether it had its first turn.
    warm: bool,
}

impl<K: BorrowMut<Connection>> ApiPlayer<K> {
    /// A player on a connection that has signed up.
    pub fn new(connection: K, info: SharedInfo) -> Self {
        Self {
            connection,
            info,
            seat: Seat::new(0),
            position: None,
            early: None,
            first_turn: Duration::ZERO,
            warm: false,
        }
    }

    /// The same, with so much more time for its first turn with penguins to move.
    #[must_use]
    pub fn with_first_turn(self, extra: Duration) -> Self {
        Self { first_turn: extra, ..self }
    }

    /// Handles a call; the answer is on its way. Gives back the move, if it was one: to be judged, and answered here
    /// already.
    fn handle(&mut self, message: &[u8]) -> Result<Option<Move>, Fault> {
        let call = Call::read(message).map_err(|problem| Fault::new(Offence::Malformed, problem))?;
        let (answer, handled) = match call {
            Call::Ask(query) => {
                (query.answer(self.seat, self.position.as_ref(), || lock(&self.info).clone()), Ok(None))
            }
            Call::Act(action) => self.act(action, message),
        };
        self.connection.borrow_mut().queue(answer.as_bytes());
        handled
    }

    /// The answer to an action, and what it means.
    fn act(
        &self,
        action: Result<super::query::Action, String>,
        message: &[u8],
    ) -> (String, Result<Option<Move>, Fault>) {
        let Some(position) = self.position.as_ref().filter(|position| position.to_move().is_some()) else {
            return (write(&Refused::GameOver.to_string()), Ok(None));
        };
        let foul = |offence, detail: String| (write(&false), Err(Fault::new(offence, detail)));
        let action = match action {
            Ok(action) => action,
            Err(problem) => return foul(Offence::Malformed, problem),
        };
        match meaning(position, self.seat, action) {
            Meaning::Move(mv) => (write(&position.is_legal(mv)), Ok(Some(mv))),
            Meaning::Passed => (write(&true), Ok(None)),
            Meaning::NoPass => foul(Offence::IllegalMove, "it passed, although it is to move".to_owned()),
            Meaning::OutOfTurn => {
                let sent = excerpt(message);
                foul(Offence::OutOfTurn, format!("it was not its turn, but it sent {sent}"))
            }
        }
    }

    fn is_to_move(&self) -> bool {
        self.position.as_ref().is_some_and(|position| position.to_move() == Some(self.seat))
    }

    /// Sends what can be sent at once; the rest goes with the next occasion.
    fn nudge(&mut self, cx: &mut Context<'_>) {
        // A connection that is broken is noticed when it is read.
        let _ = self.connection.borrow_mut().poll_flush(cx);
    }

    /// Answers calls until one is a move.
    async fn next_move(&mut self) -> Result<Move, Failure> {
        loop {
            let message = if let Some(message) = self.early.take() {
                message
            } else {
                let connection = self.connection.borrow_mut();
                std::future::poll_fn(|cx| connection.poll_flush(cx)).await?;
                connection.receive().await?
            };
            let handled = self.handle(&message);
            std::future::poll_fn(|cx| {
                self.nudge(cx);
                Poll::Ready(())
            })
            .await;
            if let Some(mv) = handled? {
                return Ok(mv);
            }
        }
    }
}

impl<K: BorrowMut<Connection>> fmt::Debug for ApiPlayer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiPlayer({})", self.connection.borrow().peer())
    }
}

impl<K: BorrowMut<Connection> + Send> Player<Position> for ApiPlayer<K> {
    fn seated(&mut self, seat: Seat, _: ChatBox) {
        self.seat = seat;
    }

    fn choose<'a>(&'a mut self, question: Question<'a, Position>) -> Answering<'a, Move> {
        self.position = Some(question.position.clone());
        self.warm |= question.position.penguins_each().is_none();
        Answering::Later(Box::pin(self.next_move()))
    }

    fn hear<'a>(
        &'a mut self,
        event: &'a EventOf<Position>,
        position: &'a Position,
    ) -> Option<BoxFuture<'a, Result<(), Fault>>> {
        let Event::Ended(verdict) = event else {
            self.position = Some(position.clone());
            return None;
        };
        self.position = None;
        lock(&self.info).won = verdict.outcome.as_ref().map(|outcome| outcome.winners.contains(self.seat));
        if let Some(early) = self.early.take() {
            // It came too late for the game; all calls are answered so now, and none is a foul.
            let _ = self.handle(&early);
        }
        Some(Box::pin(std::future::poll_fn(|cx| self.connection.borrow_mut().poll_flush(cx))))
    }

    fn poll_foul(&mut self, cx: &mut Context<'_>) -> Poll<Fault> {
        for _ in 0..AT_ONCE {
            if self.early.is_some() {
                return Poll::Pending;
            }
            if let Err(fault) = ready!(self.connection.borrow_mut().poll_flush(cx)) {
                return Poll::Ready(fault);
            }
            let message = match ready!(self.connection.borrow_mut().poll_receive(cx)) {
                Ok(message) => message,
                Err(fault) => return Poll::Ready(fault),
            };
            if self.is_to_move() && matches!(Call::read(&message), Ok(Call::Act(_))) {
                self.early = Some(message);
                return Poll::Pending;
            }
            if let Err(fault) = self.handle(&message) {
                self.nudge(cx);
                return Poll::Ready(fault);
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    fn extra_time(&self, position: &Position) -> Duration {
        let first = !self.warm && position.penguins_each().is_none();
        if first { self.first_turn } else { Duration::ZERO }
    }
}

/// Answers a player between games, until it goes away or sends what cannot be read. To be dropped when the next game
/// begins: nothing is lost then.
pub async fn attend(connection: &mut Connection, info: &SharedInfo) -> Fault {
    let mut player = ApiPlayer::new(connection, SharedInfo::clone(info));
    std::future::poll_fn(|cx| player.poll_foul(cx)).await
}
