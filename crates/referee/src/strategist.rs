//! Built-in players at the table.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use rookery_rules::Position;
use rookery_search::{Budget, Stop, Strategy};
use tokio::sync::oneshot;

use crate::{Answering, Failure, Invitation, Kind, Limits, Player, Question};

/// A strategy at the table. It is a part of Rookery: what it does wrong is our fault.
///
/// [`inline`](Strategist::inline) thinks where the match runs, which costs nothing and is right when the match has a
/// thread of its own or the strategy is quick; [`pooled`](Strategist::pooled) thinks in a thread of the runtime's pool,
/// borrowed for one answer, and is stopped when its time is up or its answer is no longer wanted.
pub struct Strategist<P: Position> {
    mind: Mind<P>,
    limits: Limits,
    threads: usize,
    /// For inline thinking: the match's own flag.
    stop: Stop,
}

type BoxStrategy<P> = Box<dyn Strategy<P>>;

enum Mind<P: Position> {
    Inline(BoxStrategy<P>),
    Pooled(BoxStrategy<P>),
    /// It thinks, or did when its question was given up; it comes back when it has noticed.
    Away(oneshot::Receiver<BoxStrategy<P>>),
    /// It panicked.
    Lost,
}

impl<P: Position> Strategist<P> {
    /// Thinks where the match runs.
    pub fn inline(strategy: impl Strategy<P> + 'static) -> Self {
        Self::with(Mind::Inline(Box::new(strategy)))
    }

    /// Thinks in a thread of the runtime's pool.
    pub fn pooled(strategy: impl Strategy<P> + 'static) -> Self {
        Self::with(Mind::Pooled(Box::new(strategy)))
    }

    fn with(mind: Mind<P>) -> Self {
        Self { mind, limits: Limits::default(), threads: 1, stop: Stop::default() }
    }

    /// Limits the work for each answer.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Thinks with so many threads where there is a clock.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// How long to think: as the clock suggests, but for a twentieth, or 2 ms, that is kept for the way of the answer.
    fn budget(&self, question: &Question<'_, P>, stop: Stop) -> Budget {
        let think =
            question.clock.suggestion(question.seat).zip(question.time).map(|(think, time)| think.min(time));
        let think = think.map(|think| think.saturating_sub((think / 20).max(Duration::from_millis(2))));
        let think = [think, self.limits.think].into_iter().flatten().min();
        Budget {
            deadline: think.map(|think| Instant::now() + think),
            work: self.limits.work(),
            depth: self.limits.depth,
            threads: self.threads,
            stop,
            seed: question.seed,
        }
    }
}

impl<P: Position> fmt::Debug for Strategist<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Strategist").field("limits", &self.limits).finish_non_exhaustive()
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
    fn seated(&mut self, invitation: &Invitation<'_, P>) {
        self.stop = invitation.stop.clone();
    }

    fn choose<'a>(&'a mut self, question: Question<'a, P>) -> Answering<'a, P::Move> {
        if let Mind::Inline(_) = self.mind {
            let budget = self.budget(&question, self.stop.clone());
            let Mind::Inline(strategy) = &mut self.mind else { unreachable!("it was inline a moment ago") };
            return Answering::Now(Ok(strategy.choose(question.position, &budget)));
        }
        let stop = Stop::default();
        let budget = self.budget(&question, stop.clone());
        let position = question.position.clone();
        let time = question.time;
        Answering::Later(Box::pin(async move {
            let stop = StopOnDrop(stop);
            let Some(mut strategy) = self.take().await else {
                return Err(Failure::Platform("a built-in player panicked".to_owned()));
            };
            let (back, away) = oneshot::channel();
            self.mind = Mind::Away(away);
            let mut thinking = tokio::task::spawn_blocking(move || {
                let chosen = catch_unwind(AssertUnwindSafe(|| strategy.choose(&position, &budget)));
                if chosen.is_ok() {
                    // Without its player nobody needs it any more.
                    let _ = back.send(strategy);
                }
                chosen.ok()
            });
            let chosen = match time {
                None => thinking.await,
                Some(time) => {
                    if let Ok(chosen) = tokio::time::timeout(time, &mut thinking).await {
                        chosen
                    } else {
                        stop.0.set();
                        thinking.await
                    }
                }
            };
            let chosen = chosen.ok().flatten();
            chosen.ok_or_else(|| Failure::Platform("a built-in player panicked".to_owned()))
        }))
    }

    fn kind(&self) -> Kind {
        Kind::BuiltIn
    }
}

impl<P: Position> Strategist<P> {
    /// The strategy, as soon as it has noticed that its last answer is no longer wanted; `None` if it panicked.
    async fn take(&mut self) -> Option<BoxStrategy<P>> {
        if let Mind::Away(away) = &mut self.mind {
            // If this is given up while it waits, it is still away.
            let back = away.await;
            self.mind = back.map_or(Mind::Lost, Mind::Pooled);
        }
        match std::mem::replace(&mut self.mind, Mind::Lost) {
            Mind::Pooled(strategy) => Some(strategy),
            Mind::Inline(_) | Mind::Away(_) | Mind::Lost => None,
        }
    }
}
