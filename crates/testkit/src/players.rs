//! Players that misbehave on purpose, step by step.

use std::collections::VecDeque;
use std::fmt;
use std::panic::resume_unwind;
use std::task::{Context, Poll};
use std::time::Duration;

use rookery_referee::{
    Answering, BoxFuture, ChatBox, EventOf, Failure, Fault, Invitation, LagProbe, Offence, Player, Question,
};

use crate::conceivable::Conceivable;

/// What a player does when it is asked.
#[derive(Clone, Debug)]
pub enum Step {
    /// A legal move, at once.
    Legal,
    /// The legal move with this number, in the game's order.
    Nth(usize),
    /// A move with a well-formed text, legal or not.
    Text(&'static str),
    /// A move that is not legal.
    Illegal,
    /// The same, after so long.
    IllegalAfter(Duration),
    /// A text that is no move.
    Malformed,
    /// A legal move after so long.
    After(Duration),
    /// A legal move after so long, of which our own loop stood still for the second time.
    AfterOurLag(Duration, Duration),
    /// Nothing, for ever.
    Silent,
    /// The connection ends.
    Disconnect,
    /// A panic in the call itself.
    PanicAtOnce,
    /// A panic while the answer is waited for.
    PanicLater,
    /// The player gives up.
    Resign,
    /// A legal move, and then another answer that nobody asked for.
    Twice,
    /// A legal move and so many lines of so many characters.
    Chat(usize, usize),
}

/// What a player does with what it is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hearing {
    /// Takes note at once.
    Good,
    /// Takes so long for everything.
    Slow(Duration),
    /// Panics at the event with this number, counted from 0.
    PanicAt(usize),
    /// Panics a little later than at the event with this number.
    PanicLaterAt(usize),
    /// Takes no note of this event nor of any later one.
    DeafFrom(usize),
    /// Its connection is found closed at this event.
    ClosedAt(usize),
}

/// A player that follows a script, and makes legal moves after its end. It is not a part of Rookery, so it is judged.
pub struct Actor {
    steps: VecDeque<Step>,
    hearing: Hearing,
    /// Speaks out of turn once it has heard so many events.
    speaks_after: Option<usize>,
    /// Said something that nobody asked for.
    spoke: bool,
    n_heard: usize,
    n_asked: usize,
    lag: LagProbe,
    chat: Option<ChatBox>,
}

impl fmt::Debug for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Actor({:?}, {:?})", self.steps, self.hearing)
    }
}

impl Actor {
    /// Follows these steps.
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self {
            steps: steps.into_iter().collect(),
            hearing: Hearing::Good,
            speaks_after: None,
            spoke: false,
            n_heard: 0,
            n_asked: 0,
            lag: LagProbe::default(),
            chat: None,
        }
    }

    /// Only legal moves.
    pub fn honest() -> Self {
        Self::new([])
    }

    /// Takes note like this.
    #[must_use]
    pub fn hearing(self, hearing: Hearing) -> Self {
        Self { hearing, ..self }
    }

    /// Speaks out of turn once it has heard so many events.
    #[must_use]
    pub fn speaking_after(self, n_events: usize) -> Self {
        Self { speaks_after: Some(n_events), ..self }
    }

    /// Notes delays of ours here.
    #[must_use]
    pub fn with_lag(self, lag: &LagProbe) -> Self {
        Self { lag: lag.clone(), ..self }
    }
}

fn illegal<P: Conceivable>(position: &P) -> P::Move {
    let moves = position.conceivable_moves();
    moves.into_iter().find(|&mv| !position.is_legal(mv)).expect("some conceivable move is illegal")
}

fn injected() -> ! {
    // Unlike panic!, this does not print anything.
    resume_unwind(Box::new("a panic of a test's player"))
}

impl<P: Conceivable> Player<P> for Actor {
    fn seated(&mut self, invitation: &Invitation<'_, P>) {
        self.chat = Some(invitation.chat.clone());
    }

    fn choose<'a>(&'a mut self, question: Question<'a, P>) -> Answering<'a, P::Move> {
        self.n_asked += 1;
        let legal = question.position.random_move(&mut question.seed.rng());
        let legal = legal.expect("who is asked has a move");
        match self.steps.pop_front().unwrap_or(Step::Legal) {
            Step::Legal => Answering::Now(Ok(legal)),
            Step::Nth(n) => Answering::Now(Ok(question.position.legal_moves().nth(n).expect("it exists"))),
            Step::Text(text) => Answering::Now(Ok(text.parse().expect("the script has moves of the game"))),
            Step::Illegal => Answering::Now(Ok(illegal(question.position))),
            Step::IllegalAfter(time) => {
                let mv = illegal(question.position);
                later(time, Ok(mv))
            }
            Step::Malformed => {
                let fault = Fault::new(Offence::Malformed, "it is no move").sent("xyzzy");
                Answering::Now(Err(fault.into()))
            }
            Step::After(time) => later(time, Ok(legal)),
            Step::AfterOurLag(time, lag) => {
                self.lag.add(lag);
                later(time, Ok(legal))
            }
            Step::Silent => Answering::Later(Box::pin(std::future::pending())),
            Step::Disconnect => later(
                Duration::from_millis(1),
                Err(Fault::new(Offence::Disconnected, "the connection ended").into()),
            ),
            Step::PanicAtOnce => injected(),
            Step::PanicLater => Answering::Later(Box::pin(async {
                tokio::time::sleep(Duration::from_millis(1)).await;
                injected()
            })),
            Step::Resign => Answering::Now(Err(Failure::Resigned)),
            Step::Twice => {
                self.spoke = true;
                Answering::Now(Ok(legal))
            }
            Step::Chat(n_lines, n_chars) => {
                let chat = self.chat.as_ref().expect("who is asked was seated");
                for _ in 0..n_lines {
                    chat.say(&"\u{1b}x".repeat(n_chars.div_ceil(2)));
                }
                Answering::Now(Ok(legal))
            }
        }
    }

    fn hear<'a>(&'a mut self, _: &'a EventOf<P>, _: &'a P) -> Option<BoxFuture<'a, Result<(), Fault>>> {
        let number = self.n_heard;
        self.n_heard += 1;
        match self.hearing {
            Hearing::Slow(time) => Some(Box::pin(async move {
                tokio::time::sleep(time).await;
                Ok(())
            })),
            Hearing::PanicAt(n) if n == number => injected(),
            Hearing::PanicLaterAt(n) if n == number => Some(Box::pin(async { injected() })),
            Hearing::DeafFrom(n) if n <= number => Some(Box::pin(std::future::pending())),
            Hearing::ClosedAt(n) if n <= number => {
                Some(Box::pin(async { Err(Fault::new(Offence::Disconnected, "the connection was closed")) }))
            }
            _ => None,
        }
    }

    fn poll_foul(&mut self, _: &mut Context<'_>) -> Poll<Fault> {
        // Stays ready, as the end of a connection does.
        let early = self.speaks_after.is_some_and(|n| self.n_heard >= n);
        if early || self.spoke {
            Poll::Ready(Fault::new(Offence::OutOfTurn, "it was not asked"))
        } else {
            Poll::Pending
        }
    }
}

fn later<'a, M: Send + 'a>(time: Duration, answer: Result<M, Failure>) -> Answering<'a, M> {
    Answering::Later(Box::pin(async move {
        tokio::time::sleep(time).await;
        answer
    }))
}
