//! Playing the games of a series, several at a time.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use anyhow::Context;
use rookery_catalog::{MatchOrder, PlayerSpec, RecordTarget};
use rookery_record::Limits;
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
}

impl GameReport {
    /// What people should know at once: a line for each player that was removed, and one if the game was stopped.
    pub(super) fn problems(&self) -> Vec<String> {
        let ending = &self.verdict.ending;
        let stopped = self.verdict.outcome.is_none().then_some(ending);
        let offences = self.verdict.removed.iter().filter(|removal| removal.blame().is_some());
        let line =
            |ending: &Ending| format!("game {}: {} ({})", self.game + 1, ending.sentence, ending.cause);
        offences.chain(stopped).map(line).collect()
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
    /// Plays all games. `seen` is told of each when it is over, in the order they end.
    pub(super) fn play(&self, mut seen: impl FnMut(&GameReport)) -> anyhow::Result<Done> {
        if let Some(dir) = &self.record {
            fs::create_dir_all(dir).with_context(|| format!("{}: cannot be made", dir.display()))?;
        }
        let stop = stop_on_interrupt()?;
        let next = AtomicU64::new(0);
        let (sender, reports) = mpsc::channel();
        let mut games = thread::scope(|scope| {
            for _ in 0..self.concurrency.min(usize::try_from(self.games).unwrap_or(usize::MAX)) {
                let (sender, next, stop) = (sender.clone(), &next, &stop);
                scope.spawn(move || self.work(next, stop, &sender));
            }
            drop(sender);
            let mut games = vec![];
            for report in reports {
                let report = report?;
                seen(&report);
                games.push(report);
            }
            anyhow::Ok(games)
        })?;
        games.sort_by_key(|report| report.game);
        Ok(Done { interrupted: (games.len() as u64) < self.games, games })
    }

    /// One worker: takes the next game until there is none, or until it is told to stop.
    fn work(&self, next: &AtomicU64, stop: &AtomicU64, reports: &mpsc::Sender<anyhow::Result<GameReport>>) {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_time().build() {
            Ok(runtime) => runtime,
            Err(error) => {
                // The receiver is gone only when another worker has failed already.
                let _ = reports.send(Err(error.into()));
                return;
            }
        };
        while stop.load(Ordering::Relaxed) == 0 {
            let game = next.fetch_add(1, Ordering::Relaxed);
            if game >= self.games || reports.send(self.play_one(game, &runtime)).is_err() {
                return;
            }
        }
    }

    fn play_one(&self, game: u64, runtime: &tokio::runtime::Runtime) -> anyhow::Result<GameReport> {
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
        let verdict = self.spec.game.play(&order, runtime, target.as_ref())?;
        Ok(GameReport { game, seating, verdict, record: target.map(|target| target.path) })
    }

    /// The record of a game; the names of a series have the same length, so that they sort as the games do.
    fn file_name(&self, game: u64) -> String {
        let digits = self.games.to_string().len().max(4);
        format!("game-{:0digits$}.rookery.jsonl", game + 1)
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
