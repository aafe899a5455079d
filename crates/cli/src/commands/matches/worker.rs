//! A thread that plays one game after the other.

use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc::Receiver;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Context as _;
use rookery_live::{Guest, Played, Stopping, prepare};
use rookery_record::{Archive as _, Folder, Key, Receipt, Slot};
use rookery_referee::{Cause, Controls, End, MatchSpec, SeatSpec};
use rookery_tournament::Pairing;
use rookery_wire::StderrLog;
use tokio::sync::mpsc::UnboundedSender;

use super::series::{Game, Series, key};
use crate::programs::say_where;

/// How often a game is played again after a failure of ours, over all runs.
const ATTEMPTS: u32 = 100;

/// What came of a pairing.
pub(super) enum Worked {
    /// It is over; its record is on the disk when the receipt comes.
    Game(Box<Game>, Option<Receipt>),
    /// It was stopped, and can go on later.
    Suspended,
    /// It could not be played.
    Failed(anyhow::Error),
}

/// The games that run now, so that they can be stopped: a thread that thinks looks at nothing else.
#[derive(Debug, Default)]
pub(super) struct Running(Mutex<HashMap<u64, Controls>>);

impl Running {
    fn games(&self) -> MutexGuard<'_, HashMap<u64, Controls>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops all of them where they are.
    pub(super) fn suspend_all(&self) {
        self.games().values().for_each(Controls::suspend);
    }

    fn begin(&self, number: u64, controls: Controls, stopping: &Stopping) {
        let mut games = self.games();
        // Whoever comes too late for the call to stop has heard it.
        if stopping.is_urgent() {
            controls.suspend();
        }
        games.insert(number, controls);
    }

    fn end(&self, number: u64) {
        self.games().remove(&number);
    }
}

/// Plays what comes, until nothing more does.
pub(super) struct Worker<'a> {
    pub(super) series: &'a Series,
    pub(super) archive: Option<&'a Folder>,
    pub(super) pairings: &'a Mutex<Receiver<Pairing>>,
    pub(super) reports: UnboundedSender<Worked>,
    pub(super) stopping: Stopping,
    pub(super) running: &'a Running,
}

impl Worker<'_> {
    pub(super) fn work(self) {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => {
                self.report(Worked::Failed(error.into()));
                return;
            }
        };
        loop {
            let next = match self.pairings.lock() {
                Ok(pairings) => pairings.recv(),
                Err(_) => break,
            };
            let Ok(pairing) = next else { break };
            let worked = runtime.block_on(self.play(pairing));
            self.report(worked.unwrap_or_else(Worked::Failed));
        }
        if let Some(programs) = self.series.programs() {
            runtime.block_on(programs.quit());
        }
    }

    fn report(&self, worked: Worked) {
        // Without a receiver something has failed, and nothing more is wanted.
        let _ = self.reports.send(worked);
    }

    async fn play(&self, pairing: Pairing) -> anyhow::Result<Worked> {
        let spec = self.series.match_spec(&pairing)?;
        for attempt in 1..=ATTEMPTS {
            let key = Key { attempt, ..key(&pairing) };
            let slot = self.archive.map(|archive| archive.open(&key)).transpose()?;
            let was_finished = matches!(slot, Some(Slot::Finished(_)));
            let path = self.archive.and_then(|archive| archive.path(&key));
            let played = self.play_one(&spec, slot, path.as_deref()).await;
            let played = played
                .with_context(|| path.as_ref().map_or(String::new(), |path| path.display().to_string()));
            let Some(Played { end, receipt, problem, cut, .. }) = played? else {
                return Ok(Worked::Suspended);
            };
            if let Some(problem) = problem {
                anyhow::bail!("{}: {problem}", path.unwrap_or_default().display());
            }
            let End::Verdict(verdict) = end else { return Ok(Worked::Suspended) };
            // Our own failure of an earlier run: played again, beside its record.
            if was_finished && verdict.ending.cause == Cause::PlatformAbort {
                continue;
            }
            let game = Game { pairing, spec, verdict, record: path, cut };
            return Ok(Worked::Game(Box::new(game), receipt));
        }
        anyhow::bail!(
            "game {}: it failed {ATTEMPTS} times; move its records away to try again",
            pairing.id + 1
        )
    }

    /// Plays a game, or what is left of it. `None` if it is to stop before its programs are there.
    async fn play_one(
        &self,
        spec: &MatchSpec,
        slot: Option<Slot>,
        path: Option<&Path>,
    ) -> anyhow::Result<Option<Played>> {
        let finished = matches!(slot, Some(Slot::Finished(_)));
        let (guests, brought) = match self.series.programs().filter(|_| !finished) {
            None => (spec.seats.iter().map(|entry| stand_in(&entry.player)).collect(), None),
            Some(programs) => {
                let mut announce = |idx: usize, address| say_where(&spec.seats[idx].name, address);
                let opened = tokio::select! {
                    opened = programs.bring(spec, &mut announce) => opened?,
                    () = self.stopping.urgent() => return Ok(None),
                };
                (opened.guests, Some((opened.closing, opened.logs)))
            }
        };
        let prepared = prepare(spec.clone(), guests, self.series.protocols(), slot)?;
        let prepared = match self.series.programs() {
            Some(programs) => prepared.with_terms(programs.terms()),
            None => prepared,
        };
        let number = spec.number.unwrap_or_default();
        self.running.begin(number, prepared.controls(), &self.stopping);
        let played = prepared.run().await;
        self.running.end(number);
        if let Some((closing, logs)) = brought {
            closing.done().await;
            if let Some(path) = path {
                keep_logs(path, &logs)?;
            }
        }
        Ok(Some(played))
    }
}

/// Keeps what programs wrote to their standard error beside the record of their game.
fn keep_logs(record: &Path, logs: &[(usize, StderrLog)]) -> anyhow::Result<()> {
    let name = record.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".rookery.jsonl").unwrap_or(&name);
    for (seat, log) in logs {
        let all = log.all();
        if !all.is_empty() {
            let path = record.with_file_name(format!("{stem}.seat-{}.stderr", seat + 1));
            std::fs::write(&path, all).with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}

/// Whoever needs not be brought. For a game that is over nobody does.
fn stand_in(player: &SeatSpec) -> Guest {
    match player {
        SeatSpec::BuiltIn(player) => Guest::BuiltIn(player.clone()),
        _ => Guest::Person,
    }
}
