//! Threads that play one game after the other, or several at a time where players are waited for.

use std::any::Any;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use rookery_live::{Guest, Opened, Played, Programs, Stopping, Terms, prepare};
use rookery_record::{Archive, Key, Receipt, Slot};
use rookery_referee::{Cause, Controls, End, LagProbe, MatchSpec, SeatSpec};
use rookery_tournament::Pairing;
use tokio::sync::mpsc::UnboundedSender;

use crate::proved::until_proved;
use crate::queue::Queue;
use crate::{ArenaError, Games, PlayedGame};

/// How often a game is played again after a failure of ours, over all runs.
const ATTEMPTS: u32 = 100;

/// How long an archive is waited for that can keep nothing just now, and how often it is looked at.
pub(crate) const PATIENCE: Duration = Duration::from_mins(5);
const LOOK: Duration = Duration::from_millis(100);

/// What came of a pairing.
pub(crate) enum Worked {
    /// It is over; its record is on the disk when the receipt comes.
    Game(Box<PlayedGame>, Option<Receipt>),
    /// It was stopped, and can go on later.
    Suspended,
    /// It could not be played.
    Failed(ArenaError),
    /// No pairing: the thread itself cannot play.
    Broken(ArenaError),
}

/// The games that run now, so that they can be stopped: a thread that thinks looks at nothing else.
#[derive(Debug, Default)]
pub(crate) struct Running(Mutex<HashMap<u64, Controls>>);

impl Running {
    fn games(&self) -> MutexGuard<'_, HashMap<u64, Controls>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops all of them where they are.
    pub(crate) fn suspend_all(&self) {
        self.games().values().for_each(Controls::suspend);
    }

    fn begin(&self, pairing: u64, controls: Controls, stopping: &Stopping) {
        let mut games = self.games();
        // Whoever comes too late for the call to stop has heard it.
        if stopping.is_urgent() {
            controls.suspend();
        }
        games.insert(pairing, controls);
    }

    fn end(&self, pairing: u64) {
        self.games().remove(&pairing);
    }
}

/// Plays what comes, until nothing more does.
pub(crate) struct Worker<'a> {
    pub(crate) games: &'a Games<'a>,
    pub(crate) pairings: &'a Queue,
    pub(crate) reports: UnboundedSender<Worked>,
    pub(crate) stopping: Stopping,
    pub(crate) running: &'a Running,
    /// How many games this thread plays at a time.
    pub(crate) slots: usize,
}

impl Worker<'_> {
    /// The whole life of a thread. Players are guarded where they are asked; what panics all the same is a fault of ours, and is
    /// told, because a game that nobody reports would be waited for.
    pub(crate) fn work_guarded(&self) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.work())) {
            self.report(Worked::Broken(ArenaError::Panicked(None, words(&*panic))));
        }
    }

    fn work(&self) {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => {
                self.report(Worked::Broken(ArenaError::Io("a thread cannot play".to_owned(), error)));
                return;
            }
        };
        runtime.block_on(async {
            let terms = self.terms();
            join_all((0..self.slots).map(|_| self.work_slot(&terms))).await;
            match self.games.programs {
                Some(programs) if self.games.sends_home => programs.quit().await,
                Some(programs) => programs.quit_programs().await,
                None => {}
            }
        });
    }

    /// The tolerances of all games of this thread. What delays one of them delays all, so one probe serves them.
    fn terms(&self) -> Terms {
        let terms = self.games.programs.map(Programs::terms).unwrap_or_default();
        let threads = (terms.threads / self.games.concurrency).max(1);
        let lag = if self.games.timed { LagProbe::start() } else { terms.lag };
        Terms { threads, lag, ..terms }
    }

    async fn work_slot(&self, terms: &Terms) {
        loop {
            let Some(pairing) = self.pairings.next().await else { return };
            let number = pairing.id + 1;
            let worked = AssertUnwindSafe(self.play(pairing, terms)).catch_unwind().await;
            let worked =
                worked.unwrap_or_else(|panic| Err(ArenaError::Panicked(Some(number), words(&*panic))));
            self.report(worked.unwrap_or_else(Worked::Failed));
        }
    }

    fn report(&self, worked: Worked) {
        // Without a receiver something has failed, and nothing more is wanted.
        let _ = self.reports.send(worked);
    }

    async fn play(&self, pairing: Pairing, terms: &Terms) -> Result<Worked, ArenaError> {
        let spec = (self.games.spec_of)(&pairing)?;
        let mut retries = self.games.retries;
        for attempt in 1..=ATTEMPTS {
            let key = Key { pairing: pairing.id + 1, attempt };
            let archive = self.games.archive;
            if let Some(archive) = archive
                && !self.wait_for(archive).await
            {
                return Ok(Worked::Suspended);
            }
            let slot = archive.map(|archive| archive.open(&key)).transpose()?;
            let was_finished = matches!(slot, Some(Slot::Finished(_)));
            let path = archive.and_then(|archive| archive.path(&key));
            let played = self.play_one(&spec, slot, &key, terms).await;
            let played = played.map_err(|error| match error {
                ArenaError::Prepare(None, error) => ArenaError::Prepare(path.clone(), error),
                error => error,
            })?;
            let Some((Played { end, receipt, problem, cut, .. }, cpu)) = played else {
                return Ok(Worked::Suspended);
            };
            if let Some(problem) = problem {
                return Err(ArenaError::Record(path, problem));
            }
            let End::Verdict(verdict) = end else { return Ok(Worked::Suspended) };
            if verdict.ending.cause == Cause::PlatformAbort {
                // Our own failure of an earlier run: played again, beside its record.
                if was_finished {
                    continue;
                }
                if retries > 0 && !self.stopping.is_requested() {
                    retries -= 1;
                    if let Some(receipt) = receipt {
                        tokio::select! {
                            kept = receipt => kept?,
                            () = self.stopping.urgent() => return Ok(Worked::Suspended),
                            () = out_of_patience(archive, PATIENCE) => return Err(ArenaError::Hindered(1)),
                        }
                    }
                    continue;
                }
            }
            let game = PlayedGame { pairing, spec, verdict, record: path, cut, cpu };
            return Ok(Worked::Game(Box::new(game), receipt));
        }
        Err(ArenaError::Attempts(pairing.id + 1, ATTEMPTS))
    }

    /// Waits until an archive can keep something again, within reason: what is wrong after that, it says itself. `false` if
    /// nothing more is to begin meanwhile.
    async fn wait_for(&self, archive: &dyn Archive) -> bool {
        let begin = Instant::now();
        while archive.is_hindered() && begin.elapsed() < PATIENCE {
            if self.stopping.is_requested() {
                return false;
            }
            tokio::time::sleep(LOOK).await;
        }
        true
    }

    /// Plays a game, or what is left of it, and says how much processor time each program used. `None` if it is to stop before its programs are there.
    async fn play_one(
        &self,
        spec: &MatchSpec,
        slot: Option<Slot>,
        key: &Key,
        terms: &Terms,
    ) -> Result<Option<(Played, Vec<Option<Duration>>)>, ArenaError> {
        let finished = matches!(slot, Some(Slot::Finished(_)));
        let (guests, brought) = match self.games.programs.filter(|_| !finished) {
            None => (spec.seats.iter().map(|entry| stand_in(&entry.player)).collect(), None),
            Some(programs) => {
                let mut announce =
                    |idx: usize, address: SocketAddr| (self.games.announce)(&spec.seats[idx].name, address);
                let Opened { guests, closing, started } = tokio::select! {
                    opened = programs.bring(spec, &mut announce) => opened?,
                    () = self.stopping.urgent() => return Ok(None),
                };
                (guests, Some((closing, started)))
            }
        };
        let prepared = prepare(spec.clone(), guests, self.games.protocols, slot)
            .map_err(|error| ArenaError::Prepare(None, error))?;
        let mut prepared = prepared.with_terms(terms.clone());
        if self.games.until_proved {
            prepared =
                until_proved(prepared, &spec.game).map_err(|error| ArenaError::Agreed(error.to_string()))?;
        }
        self.running.begin(key.pairing, prepared.controls(), &self.stopping);
        let played = prepared.run().await;
        self.running.end(key.pairing);
        let mut cpu = vec![];
        if let Some((closing, started)) = brought {
            if let (Some(programs), End::Verdict(verdict)) = (self.games.programs, &played.end) {
                programs.note(spec, verdict);
            }
            closing.done().await;
            cpu = vec![None; spec.n_seats()];
            for (seat, program) in &started {
                cpu[*seat] = program.cpu.take();
                if let Some(archive) = self.games.archive {
                    keep_log(archive, key, *seat, &program.log.all())?;
                }
            }
        }
        Ok(Some((played, cpu)))
    }
}

/// What somebody said who panicked.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// When what is on the way to an archive is not waited for any more: this time is over, and the archive can keep nothing. One
/// that is only slow is waited for.
pub(crate) async fn out_of_patience(archive: Option<&dyn Archive>, patience: Duration) {
    tokio::time::sleep(patience).await;
    while !archive.is_some_and(Archive::is_hindered) {
        tokio::time::sleep(LOOK).await;
    }
}

/// Keeps what a program wrote to its standard error beside the record of its game.
fn keep_log(archive: &dyn Archive, key: &Key, seat: usize, log: &[u8]) -> Result<(), ArenaError> {
    if log.is_empty() { Ok(()) } else { Ok(archive.keep_log(key, seat, log)?) }
}

/// Whoever needs not be brought. For a game that is over nobody does.
fn stand_in(player: &SeatSpec) -> Guest {
    match player {
        SeatSpec::BuiltIn(player) => Guest::BuiltIn(player.clone()),
        _ => Guest::Person,
    }
}
