//! Players that live in this process.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc as thread_mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rookery_rules::{Position, Seat};
use rookery_search::{Budget, Stop, Strategy};
use tokio::sync::{mpsc, oneshot};

use crate::{Answering, BoxFuture, EventOf, Failure, Fault, Offence, Player, Question};

/// A strategy at the table. It is a part of Rookery: what it does wrong is our fault.
///
/// [`inline`](Strategist::inline) thinks where the match runs, which costs nothing and is right when the match has a
/// thread of its own and the strategy keeps to its budget; [`threaded`](Strategist::threaded) thinks in a thread of
/// its own and is stopped at the deadline.
pub struct Strategist<P: Position> {
    mind: Mind<P>,
    work: Option<u64>,
    depth: Option<u32>,
    /// For inline thinking, which nobody stops: one flag for all questions, so that a question allocates nothing.
    never: Stop,
}

enum Mind<P: Position> {
    Inline(Box<dyn Strategy<P>>),
    Threaded(thread_mpsc::Sender<Job<P>>),
}

struct Job<P: Position> {
    position: P,
    budget: Budget,
    answer: oneshot::Sender<Result<P::Move, ()>>,
}

impl<P: Position> Strategist<P> {
    /// Thinks where the match runs.
    pub fn inline(strategy: impl Strategy<P> + 'static) -> Self {
        Self { mind: Mind::Inline(Box::new(strategy)), work: None, depth: None, never: Stop::default() }
    }

    /// Thinks in a thread of its own, which ends with the player.
    pub fn threaded(strategy: impl Strategy<P> + 'static) -> Self {
        let (jobs, inbox) = thread_mpsc::channel::<Job<P>>();
        let mut strategy: Box<dyn Strategy<P>> = Box::new(strategy);
        thread::spawn(move || {
            for job in inbox {
                let chosen = catch_unwind(AssertUnwindSafe(|| strategy.choose(&job.position, &job.budget)));
                // Nobody waits any more if the deadline has passed.
                let _ = job.answer.send(chosen.map_err(|_| ()));
            }
        });
        Self { mind: Mind::Threaded(jobs), work: None, depth: None, never: Stop::default() }
    }

    /// Limits the work for each answer.
    #[must_use]
    pub fn with_work(self, work: Option<u64>) -> Self {
        Self { work, ..self }
    }

    /// Limits how many moves it looks ahead.
    #[must_use]
    pub fn with_depth(self, depth: Option<u32>) -> Self {
        Self { depth, ..self }
    }

    fn budget(&self, question: &Question<'_, P>) -> Budget {
        // A twentieth, or 2 ms, is kept for the way of the answer.
        let think =
            question.clock.suggestion(question.seat).zip(question.time).map(|(think, time)| think.min(time));
        let think = think.map(|think| think.saturating_sub((think / 20).max(Duration::from_millis(2))));
        Budget {
            deadline: think.map(|think| Instant::now() + think),
            work: self.work,
            depth: self.depth,
            stop: match self.mind {
                Mind::Inline(_) => self.never.clone(),
                Mind::Threaded(_) => Stop::default(),
            },
            seed: question.seed,
        }
    }
}

impl<P: Position> fmt::Debug for Strategist<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Strategist")
            .field("work", &self.work)
            .field("depth", &self.depth)
            .finish_non_exhaustive()
    }
}

/// Raises the flag when the question is no longer wanted.
struct StopOnDrop(Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.set();
    }
}

impl<P: Position> Player<P> for Strategist<P> {
    fn choose<'a>(&'a mut self, question: Question<'a, P>) -> Answering<'a, P::Move> {
        let budget = self.budget(&question);
        match &mut self.mind {
            Mind::Inline(strategy) => Answering::Now(Ok(strategy.choose(question.position, &budget))),
            Mind::Threaded(jobs) => {
                let stop = StopOnDrop(budget.stop.clone());
                let (sender, answer) = oneshot::channel();
                let sent = jobs.send(Job { position: question.position.clone(), budget, answer: sender });
                Answering::Later(Box::pin(async move {
                    let _stop = stop;
                    let broken = || Failure::Platform("the thread of a built-in player ended".to_owned());
                    sent.map_err(|_| broken())?;
                    match answer.await {
                        Ok(Ok(mv)) => Ok(mv),
                        Ok(Err(())) => Err(Failure::Platform("a built-in player panicked".to_owned())),
                        Err(_) => Err(broken()),
                    }
                }))
            }
        }
    }

    fn is_built_in(&self) -> bool {
        true
    }
}

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

/// A person at the table, by way of a channel to some screen.
///
/// A person is not punished for haste: what was answered before the question was asked is forgotten.
#[derive(Debug)]
pub struct Person<P: Position> {
    news: mpsc::Sender<PersonNews<P>>,
    answers: mpsc::Receiver<PersonAnswer<P::Move>>,
}

/// The screen's end of a [`Person`].
#[derive(Debug)]
pub struct PersonSeat<P: Position> {
    /// What the person is to see, in order.
    pub news: mpsc::Receiver<PersonNews<P>>,
    /// What the person decides.
    pub answers: mpsc::Sender<PersonAnswer<P::Move>>,
}

/// What a person is to see.
#[derive(Clone, Debug)]
pub enum PersonNews<P: Position> {
    /// Something happened, and this is the position after it.
    Happened(EventOf<P>, P),
    /// It is the person's turn.
    Asked {
        /// The position.
        position: P,
        /// The seat that is asked.
        seat: Seat,
        /// Why the last answer did not do.
        reason: Option<String>,
        /// How much time there is.
        time: Option<Duration>,
    },
}

/// What a person decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PersonAnswer<M> {
    /// To move.
    Move(M),
    /// To give up.
    Resign,
}

impl<P: Position> Person<P> {
    /// A person, and the end for the screen. News beyond the newest 256 wait until the screen takes some.
    pub fn new() -> (Self, PersonSeat<P>) {
        let (news, news_out) = mpsc::channel(256);
        let (answers_in, answers) = mpsc::channel(16);
        (Self { news, answers }, PersonSeat { news: news_out, answers: answers_in })
    }
}

impl<P: Position> Player<P> for Person<P> {
    fn choose<'a>(&'a mut self, question: Question<'a, P>) -> Answering<'a, P::Move> {
        while self.answers.try_recv().is_ok() {}
        let asked = PersonNews::Asked {
            position: question.position.clone(),
            seat: question.seat,
            reason: question.reason.map(str::to_owned),
            time: question.time,
        };
        Answering::Later(Box::pin(async move {
            let gone = || Failure::from(Fault::new(Offence::Disconnected, "the person left"));
            self.news.send(asked).await.map_err(|_| gone())?;
            match self.answers.recv().await {
                Some(PersonAnswer::Move(mv)) => Ok(mv),
                Some(PersonAnswer::Resign) => Err(Failure::Resigned),
                None => Err(gone()),
            }
        }))
    }

    fn hear<'a>(
        &'a mut self,
        event: &'a EventOf<P>,
        position: &'a P,
    ) -> Option<BoxFuture<'a, Result<(), Fault>>> {
        // A screen that is closed or slow is noticed when the person is asked.
        let _ = self.news.try_send(PersonNews::Happened(event.clone(), position.clone()));
        None
    }
}
