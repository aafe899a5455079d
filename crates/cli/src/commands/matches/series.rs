//! Playing the games of a series, several at a time.

use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use anyhow::Context;
use rookery_catalog::{MatchOrder, Played, PlayerSpec, RecordTarget};
use rookery_record::{Cut, Limits, Syncer, create_folder};
use rookery_referee::{Blame, Conduct, Ending, TimeControl, Verdict};
use rookery_rules::Seed;
use rookery_tournament::{GameResult, Seating};

use crate::spec::CheckedSpec;

/// What is played.
#[derive(Debug)]
pub(super) struct Series {
    pub(super) spec: CheckedSpec,
    pub(super) players: Vec<PlayerSpec>,
    pub(super) games: u64,
    pub(super) control: TimeControl,
    pub(super) limits: Limits,
    pub(super) seed: Seed,
    pub(super) concurrency: usize,
    pub(super) record: Option<PathBuf>,
    pub(super) resume: bool,
    pub(super) conduct: Conduct,
    pub(super) max_turns: Option<u64>,
}

/// One game that was played.
#[derive(Debug)]
pub(super) struct GameReport {
    pub(super) game: u64,
    pub(super) seating: Seating,
    pub(super) verdict: Verdict,
    pub(super) record: Option<PathBuf>,
    /// What an earlier run had left that could not be read.
    pub(super) cut: Option<Cut>,
}

impl GameReport {
    /// What people should know at once: a line if the record was damaged, for each player that was removed, and if the
    /// game was stopped.
    pub(super) fn problems(&self) -> Vec<String> {
        let ending = &self.verdict.ending;
        let stopped = self.verdict.outcome.is_none().then_some(ending);
        let offences = self.verdict.removed.iter().filter(|removal| removal.blame().is_some());
        let line =
            |ending: &Ending| format!("game {}: {} ({})", self.game + 1, ending.sentence, ending.cause);
        let path = self.record.as_ref().map(|path| path.display());
        let cut = path.zip(self.cut.as_ref()).map(|(path, cut)| format!("{path}: {cut}"));
        cut.into_iter().chain(offences.chain(stopped).map(line)).collect()
    }

    pub(super) fn result(&self) -> GameResult {
        GameResult { seating: self.seating.clone(), outcome: self.verdict.outcome.clone() }
    }

    /// The player who offended or resigned, by number.
    pub(super) fn offender(&self) -> Option<usize> {
        self.verdict.ending.seat.map(|seat| self.seating.players[seat.index()])
    }

    pub(super) fn blame(&self) -> Option<Blame> {
        self.verdict.ending.blame()
    }
}

/// What came of a series.
pub(super) struct Done {
    /// In order; without gaps unless it was interrupted.
    pub(super) games: Vec<GameReport>,
    pub(super) interrupted: bool,
}

impl Series {
    /// Plays all games. `seen` is told of each when it is over, in the order they end. Then all records are on the disk.
    pub(super) fn play(&self, mut seen: impl FnMut(&GameReport)) -> anyhow::Result<Done> {
        if let Some(dir) = &self.record {
            create_folder(dir).context("--record")?;
        }
        let syncer = self.record.as_deref().map(Syncer::new);
        let stop = stop_on_interrupt()?;
        let next = AtomicU64::new(0);
        let (sender, reports) = mpsc::channel();
        let games = thread::scope(|scope| {
            for _ in 0..self.concurrency.min(usize::try_from(self.games).unwrap_or(usize::MAX)) {
                let worker = Worker { series: self, next: &next, stop: &stop, syncer: syncer.as_ref() };
                let sender = sender.clone();
                scope.spawn(move || worker.work(&sender));
            }
            drop(sender);
            let mut games = vec![];
            for report in reports {
                let report = report?;
                seen(&report);
                games.push(report);
            }
            anyhow::Ok(games)
        });
        // What is finished is kept, also if something else has gone wrong.
        let on_disk = syncer.map_or(Ok(()), Syncer::finish);
        let mut games = games?;
        on_disk?;
        games.sort_by_key(|report| report.game);
        Ok(Done { interrupted: (games.len() as u64) < self.games, games })
    }

    /// One game, and the file of its record.
    fn play_one(
        &self,
        game: u64,
        runtime: &tokio::runtime::Runtime,
    ) -> anyhow::Result<(GameReport, Option<File>)> {
        let seating = Seating::of_game(game, self.players.len());
        let order = MatchOrder {
            spec: self.spec.game.vary(&self.spec.spec, self.seed.derive(u64::MAX - seating.block)),
            players: seating.players.iter().map(|&player| self.players[player].clone()).collect(),
            seed: self.seed.derive(game),
            control: self.control,
            limits: self.limits,
            conduct: self.conduct,
            max_turns: self.max_turns,
            number: Some(game + 1),
        };
        let target = self
            .record
            .as_ref()
            .map(|dir| RecordTarget { path: dir.join(self.file_name(game)), resume: self.resume });
        let Played { verdict, record, cut } = self.spec.game.play(&order, runtime, target.as_ref())?;
        Ok((GameReport { game, seating, verdict, record: target.map(|target| target.path), cut }, record))
    }

    /// The record of a game; the names of a series have the same length, so that they sort as the games do.
    fn file_name(&self, game: u64) -> String {
        let digits = self.games.to_string().len().max(4);
        format!("game-{:0digits$}.rookery.jsonl", game + 1)
    }
}

/// Plays one game after the other.
struct Worker<'a> {
    series: &'a Series,
    /// The next game that nobody plays yet.
    next: &'a AtomicU64,
    stop: &'a AtomicU64,
    syncer: Option<&'a Syncer>,
}

impl Worker<'_> {
    /// Takes the next game until there is none, or until it is told to stop.
    fn work(&self, reports: &mpsc::Sender<anyhow::Result<GameReport>>) {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_time().build() {
            Ok(runtime) => runtime,
            Err(error) => {
                // The receiver is gone only when another worker has failed already.
                let _ = reports.send(Err(error.into()));
                return;
            }
        };
        while self.stop.load(Ordering::Relaxed) == 0 {
            let game = self.next.fetch_add(1, Ordering::Relaxed);
            if game >= self.series.games {
                return;
            }
            let played = self.series.play_one(game, &runtime);
            let (report, goes_on) = match played {
                Ok((report, file)) => {
                    let record = self.syncer.zip(report.record.clone()).zip(file);
                    let goes_on = record.is_none_or(|((syncer, path), file)| syncer.add(path, file));
                    (Ok(report), goes_on)
                }
                Err(error) => (Err(error), false),
            };
            // Without a receiver another worker has failed.
            if reports.send(report).is_err() || !goes_on {
                return;
            }
        }
    }
}

/// A counter of Ctrl-C: the first lets the running games end, the second ends the program at once.
fn stop_on_interrupt() -> anyhow::Result<Arc<AtomicU64>> {
    let stop = Arc::new(AtomicU64::new(0));
    let pressed = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if pressed.fetch_add(1, Ordering::Relaxed) > 0 {
            std::process::exit(130);
        }
    })
    .context("Ctrl-C cannot be watched")?;
    Ok(stop)
}
