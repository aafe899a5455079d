//! The processes beside the coordinator: workers, bare players, and crowds that play nothing.

use std::io::{BufRead as _, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use rookery_arena::SingleGame;
use rookery_cluster::bench::Crowd;
use rookery_referee::MatchSpec;
use rookery_store::TournamentId;
use serde::{Deserialize, Serialize};

use super::{Part, PartArgs};
use crate::dispatch_args::DispatchArgs;

/// Over how many connections a crowd speaks.
const CONNECTIONS: usize = 100;

pub(crate) fn part(args: &PartArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    match &args.what {
        Part::Bare { games } => bare(games, out),
        Part::Crowd { dispatch, tournament, first, workers, pace_ms, seconds } => {
            let tournament = tournament.parse().map_err(|_| anyhow!("{tournament:?} is no tournament"))?;
            let crowd = Crowd {
                access: dispatch.expect()?,
                tournament,
                first: *first,
                workers: *workers,
                connections: CONNECTIONS,
                pace: Duration::from_millis(*pace_ms),
                time: Duration::from_secs_f64(*seconds),
            };
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let beats = runtime.block_on(crowd.run())?;
            let waits = Waits { waits_ms: beats.waits_ms, unanswered: beats.unanswered };
            Ok(writeln!(out, "{}", serde_json::to_string(&waits)?)?)
        }
    }
}

/// Plays the games of a file; says how many seconds that took.
fn bare(games: &Path, out: &mut dyn Write) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(games).with_context(|| games.display().to_string())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let begun = Instant::now();
    for line in text.lines() {
        let spec: MatchSpec = serde_json::from_str(line)?;
        let game = SingleGame::new(spec, false, Arc::new(AtomicU64::new(0)))?;
        let record = runtime.block_on(game.play())?;
        anyhow::ensure!(record.is_some(), "a game was stopped");
    }
    Ok(writeln!(out, "{}", begun.elapsed().as_secs_f64())?)
}

/// How long beats took.
#[derive(Serialize, Deserialize)]
pub(super) struct Waits {
    pub(super) waits_ms: Vec<f64>,
    pub(super) unanswered: u64,
}

/// A process of ours that ends with this.
pub(super) struct Process {
    pub(super) name: String,
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Process {
    fn start(name: &str, command: &mut Command) -> anyhow::Result<Self> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let output = child.stdout.take().context("its output is a pipe")?;
        Ok(Self { name: name.to_owned(), child, lines: BufReader::new(output).lines() })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends it at once.
    pub(super) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The next line that it prints.
    pub(super) fn line(&mut self) -> anyhow::Result<String> {
        Ok(self.lines.next().context("a process of the benchmark ended early, see above")??)
    }
}

/// Ourselves, with the same broker.
fn again(dispatch: &DispatchArgs, words: &[&str]) -> anyhow::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(words).arg("--dispatch").arg(dispatch.dispatch.as_deref().unwrap_or_default());
    for (flag, file) in [("--dispatch-key", &dispatch.dispatch_key), ("--dispatch-ca", &dispatch.dispatch_ca)]
    {
        if let Some(file) = file {
            command.arg(flag).arg(file);
        }
    }
    Ok(command)
}

/// Workers that have reached the broker.
pub(super) fn workers(
    dispatch: &DispatchArgs,
    n: usize,
    slots: usize,
    folder: &Path,
) -> anyhow::Result<Vec<Process>> {
    let start = |idx: usize| {
        let name = format!("bench-{n}-{idx}");
        let mut command = again(dispatch, &["worker", "--slots", &slots.to_string(), "--name", &name])?;
        command.arg("--spool").arg(folder.join(&name).with_extension("spool"));
        Process::start(&name, &mut command)
    };
    let mut workers = (0..n).map(start).collect::<anyhow::Result<Vec<_>>>()?;
    for worker in &mut workers {
        // It says what it is once it has the broker.
        worker.line()?;
    }
    Ok(workers)
}

/// Two processes that play these games and do nothing else; how many seconds the slower one took.
pub(super) fn two_bare(games: &[MatchSpec], folder: &Path) -> anyhow::Result<f64> {
    let mut both = vec![];
    for half in 0..2 {
        let file = folder.join(format!("half-{half}"));
        let mut text = String::new();
        for spec in games.iter().skip(half).step_by(2) {
            text.push_str(&serde_json::to_string(spec)?);
            text.push('\n');
        }
        std::fs::write(&file, text)?;
        let mut command = Command::new(std::env::current_exe()?);
        both.push(Process::start("bare", command.args(["bench-part", "bare"]).arg(&file))?);
    }
    let mut seconds = 0.0_f64;
    for process in &mut both {
        seconds = seconds.max(process.line()?.parse()?);
    }
    Ok(seconds)
}

/// A crowd that holds games of a tournament.
pub(super) fn crowd(
    dispatch: &DispatchArgs,
    tournament: TournamentId,
    first: u64,
    workers: u64,
    pace: Duration,
    seconds: f64,
) -> anyhow::Result<Process> {
    let mut command = again(dispatch, &["bench-part", "crowd", "--tournament", &tournament.to_string()])?;
    command.args(["--first", &first.to_string(), "--workers", &workers.to_string()]);
    command.args(["--pace-ms", &pace.as_millis().to_string(), "--seconds", &seconds.to_string()]);
    Process::start("crowd", &mut command)
}
