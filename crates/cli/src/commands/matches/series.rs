//! A series: its games, who plays them where, and what came of each.

use std::path::PathBuf;

use anyhow::Context as _;
use rookery_live::{Programs, Stopping};
use rookery_record::{Cut, Folder, Key, SYNCER_FILES};
use rookery_referee::{Blame, MatchSpec, SeatEntry, Verdict, words};
use rookery_rules::text::clean;
use rookery_tournament::{GameResult, Pairing, Scheduler, hold};
use rookery_wire::{Protocols, raise_file_limit};

use super::dispatch::Threads;
use super::worker::Running;
use crate::spec::CheckedSpec;

/// Everything that is decided before a series.
pub(super) struct Series {
    spec: CheckedSpec,
    /// The first game; the others differ in seats, start and seed.
    agreed: MatchSpec,
    format: rookery_tournament::Series,
    concurrency: usize,
    record: Option<PathBuf>,
    resume: bool,
    /// Those who have to be brought, if there are any.
    programs: Option<Programs>,
    protocols: Protocols,
}

/// Whether all games were played.
pub(super) struct Held {
    pub(super) complete: bool,
}

/// A game that was played, now or in an earlier run.
pub(super) struct Game {
    pub(super) pairing: Pairing,
    pub(super) spec: MatchSpec,
    pub(super) verdict: Verdict,
    pub(super) record: Option<PathBuf>,
    /// What an earlier run had left of the record that could not be read.
    pub(super) cut: Option<Cut>,
}

/// Descriptors of a program: three pipes, and what starting it needs.
const FILES_OF_A_PROGRAM: usize = 8;
/// Standard streams, the runtimes' own, the lock, and some to spare.
const OTHER_FILES: usize = 24;
/// Of a runtime: its queue of events, its wakers.
const FILES_OF_A_THREAD: usize = 5;

impl Series {
    pub(super) fn new(
        spec: CheckedSpec,
        agreed: MatchSpec,
        games: u64,
        concurrency: usize,
        record: Option<PathBuf>,
        resume: bool,
        programs: Option<Programs>,
    ) -> Self {
        let format = rookery_tournament::Series::new(agreed.n_seats(), games);
        let protocols = Protocols::default();
        Self { spec, agreed, format, concurrency, record, resume, programs, protocols }
    }

    pub(super) fn agreed(&self) -> &MatchSpec {
        &self.agreed
    }

    pub(super) fn games(&self) -> u64 {
        self.format.games()
    }

    /// By how much the number of games was rounded up.
    pub(super) fn rounded(&self) -> u64 {
        self.format.rounded()
    }

    /// How many players there are, which is how many games a block has.
    pub(super) fn players(&self) -> usize {
        self.agreed.n_seats()
    }

    pub(super) fn protocols(&self) -> &Protocols {
        self.programs.as_ref().map_or(&self.protocols, |programs| &programs.protocols)
    }

    /// Those who have to be brought, if there are any.
    pub(super) fn programs(&self) -> Option<&Programs> {
        self.programs.as_ref()
    }

    /// The same series with no more games at a time than there are files for, and what to say if that is fewer.
    pub(super) fn fit_files(mut self) -> (Self, Option<String>) {
        let programs = self.agreed.seats.iter().filter(|entry| entry.player.is_program()).count();
        let of_records = if self.record.is_some() { SYNCER_FILES } else { 0 };
        let each = 1 + FILES_OF_A_THREAD + programs * FILES_OF_A_PROGRAM;
        let files = raise_file_limit();
        let room = (files.saturating_sub(OTHER_FILES + of_records) / each).max(1);
        if room >= self.concurrency {
            return (self, None);
        }
        let said = format!(
            "{room} games at a time instead of {}: this process may open {files} files (`ulimit -n` changes it)",
            self.concurrency
        );
        self.concurrency = room;
        (self, Some(said))
    }

    /// Plays all games that are not played yet. `seen` is told of each when it is over and its record is on the disk, in
    /// the order they end.
    pub(super) fn hold(
        &self,
        stopping: &Stopping,
        seen: &mut dyn FnMut(&Game) -> anyhow::Result<()>,
    ) -> anyhow::Result<Held> {
        let archive = match &self.record {
            Some(folder) => Some(Folder::open(folder, self.games(), self.resume).context("--record")?),
            None => None,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        let waiting_for_the_disk = if archive.is_some() { SYNCER_FILES } else { 0 };
        let mut scheduler = Scheduler::new(self.format.clone(), self.concurrency + waiting_for_the_disk);
        let running = Running::default();
        std::thread::scope(|scope| {
            let mut threads = Threads::new(self, archive.as_ref(), &running, stopping.clone(), seen);
            threads.start(scope, self.concurrency);
            let playing = async {
                let mut nobody = ();
                let first = tokio::select! {
                    held = hold(&mut scheduler, &mut threads, &mut nobody) => Some(held),
                    () = stopping.requested() => None,
                };
                let held = if let Some(held) = first {
                    held
                } else {
                    scheduler.drain();
                    hold(&mut scheduler, &mut threads, &mut nobody).await
                };
                threads.failure()?;
                let complete = held?.complete;
                anyhow::Ok(Held { complete })
            };
            let watching = async {
                stopping.urgent().await;
                running.suspend_all();
                std::future::pending::<std::convert::Infallible>().await
            };
            runtime.block_on(async {
                tokio::select! {
                    held = playing => held,
                    never = watching => match never {},
                }
            })
        })
    }

    /// What is agreed before a game of the series.
    pub(super) fn match_spec(&self, pairing: &Pairing) -> anyhow::Result<MatchSpec> {
        let seed = self.agreed.seed;
        let varied = self.spec.game.vary(&self.spec.spec, seed.derive(u64::MAX - pairing.block));
        let game = if varied == self.spec.spec {
            self.agreed.game.clone()
        } else {
            self.spec.game.canonical(&varied)?
        };
        let seats = self.agreed.seats.iter().zip(&pairing.entrants).map(|(at, entrant)| {
            let sits = &self.agreed.seats[entrant.index()];
            SeatEntry { label: at.label.clone(), name: sits.name.clone(), player: sits.player.clone() }
        });
        Ok(MatchSpec {
            game,
            seats: seats.collect(),
            seed: seed.derive(pairing.id),
            number: Some(pairing.id + 1),
            ..self.agreed.clone()
        })
    }
}

/// Where the record of a pairing is kept.
pub(super) fn key(pairing: &Pairing) -> Key {
    Key::first(pairing.id + 1)
}

impl Game {
    /// What the format and the summary want to know.
    pub(super) fn result(&self) -> GameResult {
        let at_fault = self.verdict.removed.iter().filter(|ending| ending.blame() == Some(Blame::Player));
        let failed = at_fault.filter_map(|ending| self.pairing.entrants.get(ending.seat?.index()).copied());
        GameResult {
            failed: failed.collect(),
            ..GameResult::new(&self.pairing, self.verdict.outcome.clone(), self.verdict.ending.cause)
        }
    }

    /// What people should know at once: that a record was cut off, that players were removed, that a game was stopped.
    pub(super) fn problems(&self) -> Vec<String> {
        let number = self.pairing.id + 1;
        let ending = &self.verdict.ending;
        let stopped = self.verdict.outcome.is_none().then_some(ending);
        let offences = self.verdict.removed.iter().filter(|removal| removal.blame().is_some());
        let who = |seat| self.spec.who(seat);
        let line = |ending| format!("game {number}: {} ({})", words::ending(ending, &who), ending.cause);
        let path = self.record.as_ref().map(|path| clean(&path.display().to_string()));
        let cut = path.zip(self.cut.as_ref()).map(|(path, cut)| format!("{path}: {cut}"));
        cut.into_iter().chain(offences.chain(stopped).map(|ending| clean(&line(ending)))).collect()
    }
}
