//! A player at the other end of a link that calls us.

use std::fmt;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rookery_games::fish::{Move, Position};
use rookery_referee::{
    Answering, BoxFuture, Event, EventOf, Evidence, Failure, Fault, Invitation, Offence, Player, Question,
};
use rookery_rules::{Position as _, Seat};
use rookery_wire::{Lent, Transport, TransportExt as _, excerpt};

use super::calls::{Call, write};
use super::query::{Action, Meaning, meaning};
use super::{Refused, SharedInfo, TournamentInfo, lock};

/// How many calls are answered before others get their turn.
const AT_ONCE: usize = 32;

/// A link, lent for one match, on which a player asks and acts.
///
/// Questions are answered at any time. An action out of turn or not legal is answered with `false`, and is an offence
/// that the match's conduct rules on. A player that never acts is timed out as any other. Nothing is read while
/// answers wait to be taken, so that a player that asks without listening costs no memory.
pub struct ApiPlayer {
    link: Lent,
    talk: Talk,
    first_turn: Duration,
    /// Whether it had its first turn.
    warm: bool,
}

/// What is known while one talks, without the link.
#[derive(Default)]
struct Talk {
    /// What it can ask when no game goes on. During a match nobody asks for it.
    info: SharedInfo,
    seat: Option<Seat>,
    /// `None` when no game goes on.
    position: Option<Position>,
    /// An action that came when it was the player's turn already, but before we had asked.
    early: Option<Vec<u8>>,
}

impl ApiPlayer {
    /// A player on a link on which it has signed up.
    pub fn new(link: Lent) -> Self {
        Self { link, talk: Talk::default(), first_turn: Duration::ZERO, warm: false }
    }

    /// The same, with so much more time for its first turn with penguins to move.
    #[must_use]
    pub fn with_first_turn(self, extra: Duration) -> Self {
        Self { first_turn: extra, ..self }
    }

    /// Answers calls until one is a move.
    async fn next_move(&mut self) -> Result<Move, Failure> {
        loop {
            let message = if let Some(message) = self.talk.early.take() {
                message
            } else {
                self.link.flush().await?;
                self.link.receive().await?
            };
            let handled = self.talk.handle(&message, &mut *self.link);
            std::future::poll_fn(|cx| {
                nudge(&mut *self.link, cx);
                Poll::Ready(())
            })
            .await;
            if let Some(mv) = handled? {
                return Ok(mv);
            }
        }
    }
}

impl Talk {
    /// Handles a call; the answer is on its way. Gives back the move, if it was one: to be judged, and answered here
    /// already.
    fn handle(&mut self, message: &[u8], link: &mut dyn Transport) -> Result<Option<Move>, Fault> {
        let call = Call::read(message).map_err(|problem| {
            Fault::new(Offence::Malformed, problem)
                .sent(excerpt(message))
                .expected("a call [NAME,[ARGUMENT,..]]")
        })?;
        let (answer, handled) = match call {
            Call::Ask(query) => {
                let info = || -> TournamentInfo { lock(&self.info).clone() };
                (query.answer(self.seat.unwrap_or(Seat::new(0)), self.position.as_ref(), info), Ok(None))
            }
            Call::Act(action) => self.act(action, message),
        };
        link.queue(answer.as_bytes());
        handled
    }

    /// The answer to an action, and what it means.
    fn act(&self, action: Result<Action, String>, message: &[u8]) -> (String, Result<Option<Move>, Fault>) {
        let playing = self.position.as_ref().filter(|position| position.to_move().is_some());
        let Some((position, seat)) = playing.zip(self.seat) else {
            return (write(&Refused::GameOver.to_string()), Ok(None));
        };
        let foul =
            |offence, note: &str| (write(&false), Err(Fault::new(offence, note).sent(excerpt(message))));
        let action = match action {
            Ok(action) => action,
            Err(problem) => return foul(Offence::Malformed, &problem),
        };
        match meaning(position, seat, action) {
            Meaning::Move(mv) => (write(&position.is_legal(mv)), Ok(Some(mv))),
            Meaning::Passed => (write(&true), Ok(None)),
            Meaning::NoPass => foul(Offence::IllegalMove, "it passed, although it can move"),
            Meaning::OutOfTurn => foul(Offence::OutOfTurn, "it was not its turn"),
        }
    }

    fn is_to_move(&self) -> bool {
        let to_move = self.position.as_ref().and_then(Position::to_move);
        to_move.is_some() && to_move == self.seat
    }

    /// Answers questions; ready with an offence.
    fn poll_foul(&mut self, link: &mut dyn Transport, cx: &mut Context<'_>) -> Poll<Fault> {
        for _ in 0..AT_ONCE {
            if self.early.is_some() {
                return Poll::Pending;
            }
            if let Err(fault) = ready!(link.poll_flush(cx)) {
                return Poll::Ready(fault);
            }
            let message = match ready!(link.poll_receive(cx)) {
                Ok(message) => message,
                Err(fault) => return Poll::Ready(fault),
            };
            if self.is_to_move() && matches!(Call::read(&message), Ok(Call::Act(_))) {
                self.early = Some(message);
                return Poll::Pending;
            }
            if let Err(fault) = self.handle(&message, link) {
                nudge(link, cx);
                return Poll::Ready(fault);
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

/// Sends what can be sent at once; the rest goes with the next occasion.
fn nudge(link: &mut dyn Transport, cx: &mut Context<'_>) {
    // A link that is broken is noticed when it is read.
    let _ = link.poll_flush(cx);
}

impl fmt::Debug for ApiPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiPlayer({})", self.link.peer())
    }
}

impl Player<Position> for ApiPlayer {
    fn seated(&mut self, invitation: &Invitation<'_, Position>) {
        self.talk.seat = Some(invitation.seat);
    }

    fn choose<'a>(&'a mut self, question: Question<'a, Position>) -> Answering<'a, Move> {
        self.talk.position = Some(question.position.clone());
        self.warm |= question.position.penguins_each().is_none();
        Answering::Later(Box::pin(self.next_move()))
    }

    fn hear<'a>(
        &'a mut self,
        event: &'a EventOf<Position>,
        position: &'a Position,
    ) -> Option<BoxFuture<'a, Result<(), Fault>>> {
        let Event::Ended(_) = event else {
            self.talk.position = Some(position.clone());
            return None;
        };
        self.talk.position = None;
        if let Some(early) = self.talk.early.take() {
            // It came too late for the game; all calls are answered so now, and none is a foul.
            let _ = self.talk.handle(&early, &mut *self.link);
        }
        Some(Box::pin(async { self.link.flush().await }))
    }

    fn poll_foul(&mut self, cx: &mut Context<'_>) -> Poll<Fault> {
        self.talk.poll_foul(&mut *self.link, cx)
    }

    fn unanswered(&mut self) -> Evidence {
        let unfinished = self.link.unfinished();
        let sent = (!unfinished.is_empty()).then(|| excerpt(unfinished));
        Evidence {
            sent,
            expected: Some("place or move, since it is its turn".to_owned()),
            ..Evidence::default()
        }
    }

    fn extra_time(&self, position: &Position) -> Duration {
        let first = !self.warm && position.penguins_each().is_none();
        if first { self.first_turn } else { Duration::ZERO }
    }
}

/// Answers a player between games, until it goes away or sends what cannot be read. To be dropped when the next game
/// begins: nothing is lost then.
pub async fn attend(link: &mut dyn Transport, info: &SharedInfo) -> Fault {
    let mut talk = Talk { info: SharedInfo::clone(info), ..Talk::default() };
    std::future::poll_fn(|cx| talk.poll_foul(link, cx)).await
}
