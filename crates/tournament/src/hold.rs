//! Holds a tournament, whatever its format and wherever its games are played.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::scheduler::Stage;
use crate::{
    Entrant, Format, GameResult, Pairing, ScheduleError, Scheduler, TournamentEvent, TournamentOutcome,
    Watcher,
};

/// What a [`Dispatcher`] has to tell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Report {
    /// A game that was dispatched has ended, and the archive has it.
    Finished(GameResult),
    /// A game that was dispatched was not begun when it was [withdrawn](Dispatcher::withdraw), and never will be.
    Withdrawn(u64),
    /// An entrant takes no further part.
    Left(Entrant),
}

/// Whoever can play games: this process, or others. It has the entrants, too, and may talk with them before the first
/// game and after the last one.
///
/// Whatever waits here may be dropped while it waits, and is then called again: no report may get lost by that, and who
/// was told something should not be told again.
#[expect(
    async_fn_in_trait,
    reason = "a tournament is held where its games are dispatched, and asks for no more"
)]
pub trait Dispatcher {
    /// Begins a game. Never more run at a time than the scheduler has room for.
    fn dispatch(&mut self, pairing: Pairing);

    /// No further result is needed: what was dispatched and has not begun is not to begin any more. Each such game is
    /// [told](Report::Withdrawn); the others are waited for as before.
    fn withdraw(&mut self) {}

    /// Waits for something to tell. `None` when there is nothing more to come: no game is running, or those that are
    /// were stopped and can be played on in another run.
    async fn next_report(&mut self) -> Option<Report>;

    /// Tells these that the tournament begins. Gives back who failed to take note.
    async fn begin(&mut self, entrants: &[Entrant]) -> Vec<Entrant> {
        let _ = entrants;
        vec![]
    }

    /// Tells these that the tournament is over: first those who have won it, because who is gone has not won; then the
    /// others who did not fail. Gives back who failed to take note.
    async fn end(&mut self, winners: &[Entrant], others: &[Entrant]) -> Vec<Entrant> {
        let _ = (winners, others);
        vec![]
    }
}

/// Holds a tournament: tells the entrants that it begins, keeps games running until the format has what it wants, and
/// tells them how it ended. Who fails to take note of that has not won.
///
/// May be dropped while it waits, and called again with the same scheduler: it goes on where it was. So to stop, drop it
/// at a signal, [drain](Scheduler::drain) the scheduler, and call it again: it then waits for the games that are
/// running, and leaves out what would come before the first game, or after the last one if there were more to play.
///
/// ```
/// use std::pin::pin;
/// use std::task::{Context, Poll, Waker};
///
/// use rookery_referee::Cause;
/// use rookery_rules::{Outcome, Seat};
/// use rookery_tournament::{Dispatcher, Entrant, GameResult, KnockOut, Pairing, Report, Scheduler, hold};
///
/// /// Whoever sits first wins.
/// struct FirstWins(Vec<GameResult>);
///
/// impl Dispatcher for FirstWins {
///     fn dispatch(&mut self, pairing: Pairing) {
///         let outcome = Outcome::win(pairing.entrants.len(), Seat::new(0));
///         self.0.push(GameResult::new(&pairing, Some(outcome), Cause::Normal));
///     }
///
///     async fn next_report(&mut self) -> Option<Report> {
///         self.0.pop().map(Report::Finished)
///     }
/// }
///
/// let mut scheduler = Scheduler::new(KnockOut::new(20), 3);
/// let mut dispatcher = FirstWins(vec![]);
/// let mut events = vec![];
/// let held = pin!(hold(&mut scheduler, &mut dispatcher, &mut events));
/// let Poll::Ready(outcome) = held.poll(&mut Context::from_waker(Waker::noop())) else { panic!("nothing waits") };
/// assert_eq!(outcome?.winners, [Entrant(0)]);
/// # Ok::<(), rookery_tournament::ScheduleError>(())
/// ```
pub async fn hold<F: Format, D: Dispatcher>(
    scheduler: &mut Scheduler<F>,
    dispatcher: &mut D,
    watcher: &mut dyn Watcher,
) -> Result<TournamentOutcome, ScheduleError> {
    let mut watcher = Guarded(Some(watcher));
    if scheduler.stage == Stage::New {
        watcher.see(&TournamentEvent::Started { entrants: scheduler.present() });
        scheduler.stage = Stage::Beginning;
    }
    if scheduler.stage == Stage::Beginning {
        if !scheduler.is_draining() {
            let failed = dispatcher.begin(&scheduler.present()).await;
            leave(scheduler, &failed, &mut watcher);
        }
        scheduler.stage = Stage::Playing(0);
    }
    if matches!(scheduler.stage, Stage::Playing(_)) {
        play(scheduler, dispatcher, &mut watcher).await?;
        scheduler.stage = Stage::Ending;
    }
    if scheduler.stage == Stage::Ending {
        if scheduler.is_complete() {
            let winners = scheduler.format().winners();
            let others: Vec<Entrant> =
                scheduler.present().into_iter().filter(|entrant| !winners.contains(entrant)).collect();
            let failed = dispatcher.end(&winners, &others).await;
            leave(scheduler, &failed, &mut watcher);
        }
        scheduler.stage = Stage::Over;
        watcher.see(&TournamentEvent::Ended(outcome(scheduler)));
    }
    Ok(outcome(scheduler))
}

/// Begins games and takes their results until it is over.
async fn play<F: Format, D: Dispatcher>(
    scheduler: &mut Scheduler<F>,
    dispatcher: &mut D,
    watcher: &mut Guarded<'_>,
) -> Result<(), ScheduleError> {
    let mut is_withdrawn = false;
    loop {
        for pairing in scheduler.ready()? {
            if let Stage::Playing(told) = scheduler.stage
                && pairing.round.is_some_and(|number| number > told)
                && let Some(round) = scheduler.round_after(told)
            {
                scheduler.stage = Stage::Playing(round.number);
                watcher.see(&TournamentEvent::Round(round));
            }
            watcher.see(&TournamentEvent::Paired(pairing.clone()));
            dispatcher.dispatch(pairing);
        }
        if scheduler.is_over() {
            return Ok(());
        }
        if scheduler.is_complete() && !is_withdrawn {
            is_withdrawn = true;
            dispatcher.withdraw();
        }
        match dispatcher.next_report().await {
            Some(Report::Finished(result)) => {
                scheduler.finished(&result)?;
                watcher.see(&TournamentEvent::Finished(result));
            }
            Some(Report::Withdrawn(pairing)) => scheduler.withdrawn(pairing)?,
            Some(Report::Left(entrant)) => leave(scheduler, &[entrant], watcher),
            None if scheduler.is_draining() => return Ok(()),
            None => return Err(ScheduleError::Lost(scheduler.running().len())),
        }
    }
}

fn leave<F: Format>(scheduler: &mut Scheduler<F>, entrants: &[Entrant], watcher: &mut Guarded<'_>) {
    for &entrant in entrants {
        scheduler.leave(entrant);
        watcher.see(&TournamentEvent::Left(entrant));
    }
}

fn outcome<F: Format>(scheduler: &Scheduler<F>) -> TournamentOutcome {
    let complete = scheduler.is_complete();
    TournamentOutcome {
        winners: if complete { scheduler.format().winners() } else { vec![] },
        failed: scheduler.failed_or_left().collect(),
        rounds: scheduler.format().round().map_or(0, |round| round.number),
        complete,
    }
}

/// A watcher that is gone once it has panicked.
struct Guarded<'a>(Option<&'a mut dyn Watcher>);

impl Guarded<'_> {
    fn see(&mut self, event: &TournamentEvent) {
        if let Some(watcher) = &mut self.0
            && catch_unwind(AssertUnwindSafe(|| watcher.see(event))).is_err()
        {
            self.0 = None;
        }
    }
}
