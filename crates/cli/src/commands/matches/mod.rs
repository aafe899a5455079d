//! `rookery match`: a series of games between the same players.

mod json;
mod progress;
mod report;
mod series;

use std::io::{self, IsTerminal, Write, stderr};
use std::path::PathBuf;
use std::process::ExitCode;

use rookery_live::drawn_seed;
use rookery_originals::StopArgs;
use rookery_referee::{Conduct, Entry, Limits, TimeControl, parse_duration, write_duration};
use rookery_rules::Seed;
use rookery_tournament::Seating;

use crate::cores::CoreArgs;
use crate::programs::ProgramArgs;
use crate::spec::{CheckedSpec, UsageError};
use crate::stop::{this_command_with, watch};
use report::Report;
pub(crate) use report::width;
pub(crate) use series::Series;
use series::kept_seed;
pub(crate) use series::whole;

/// Play a series of games and say who is stronger
///
/// Games come in blocks: a block has one start and puts every player equally often on every seat. Two players swap their
/// seats; with more, everybody goes once around the table in each direction. The first game seats the players in the order given. The same command
/// with the same seed plays the same games, at any concurrency, if no time control is set.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "they are flags of a command line")]
pub(crate) struct Args {
    /// The game and its setup, for example `hexapawn:rows=4,cols=5`
    #[arg(value_name = "GAME-SPEC")]
    spec: CheckedSpec,

    /// One player for each seat, with a name or without: hard, mine=hard, mine="cmd:./bot" (`rookery players` lists ours)
    #[arg(value_name = "PLAYER", required = true, num_args = 1..=8)]
    players: Vec<Entry>,

    /// How many games, rounded up to whole blocks; by default one block
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    pub(crate) games: Option<u64>,

    /// Time for each move, for example 500ms or 2s
    #[arg(long, value_name = "TIME", value_parser = per_move, conflicts_with = "tc")]
    time: Option<TimeControl>,

    /// Time control: 10s+0.1s (for the game, and added after each move), 1s/30s (a move, and a bank) or 500ms (a move)
    #[arg(long, value_name = "TC")]
    tc: Option<TimeControl>,

    /// Positions that built-in players may search for each answer
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Random games that built-in players may play for each answer
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "nodes")]
    playouts: Option<u64>,

    /// Moves that built-in players may look ahead
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    depth: Option<u32>,

    /// Where all randomness comes from [default: 0; drawn where a program plays]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,

    #[command(flatten)]
    cores: CoreArgs,

    /// Keep a record of every game in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) record: Option<PathBuf>,

    /// With --record: keep the finished games of an earlier run, and go on where it was interrupted
    #[arg(long, requires = "record")]
    resume: bool,

    /// What misconduct costs instead of the game's own rule: forfeit (= remove), abort, retry=N
    #[arg(long, value_name = "RULE")]
    conduct: Option<Conduct>,

    /// Call a game a draw after so many moves
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_turns: Option<u64>,

    /// End a game once a solver knows its result
    #[arg(long, value_name = "WHEN")]
    adjudicate: Option<Adjudicate>,

    #[command(flatten)]
    programs: ProgramArgs,

    #[command(flatten)]
    pub(crate) stop: StopArgs,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// With --json: also the processor time of each program in each game, which differs from run to run
    #[arg(long, requires = "json")]
    pub(crate) cpu_time: bool,

    /// No progress bar
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// When a game ends before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Adjudicate {
    /// Once a solver knows its result.
    Proved,
}

const EXAMPLES: &str = "\
Examples:
  rookery match hexapawn:rows=8,cols=8 playouts random --games 100
  rookery match fish:players=3 random weak=random playouts:games=300 --games 30 --json
  rookery match stones playouts random --time 100ms --record games

Ctrl-C: no new game begins, running ones have --grace to end; the result so far is shown, and how to go on.
Exit codes: 0 done, 1 failed, 2 the command line is wrong, 3 some games were aborted, 75 another program writes into
the folder of the records, 130 or 143 interrupted.";

pub(crate) fn per_move(text: &str) -> Result<TimeControl, rookery_referee::ParseTimeError> {
    Ok(TimeControl::PerMove(parse_duration(text)?))
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let series = args.series()?;
    let say = |text: String| if args.quiet { Ok(()) } else { writeln!(stderr(), "{text}") };
    if series.rounded() > 0 {
        let (games, block) = (series.games(), series.block_games());
        say(format!("{games} games: rounded up to whole blocks of {block}, so that all sit on every seat"))?;
    }
    let series = match series.fit_files() {
        (series, None) => series,
        (series, Some(said)) => {
            say(said)?;
            series
        }
    };
    let stopping = watch(Some(args.stop.grace()))?;
    let (json, table) = if args.json { (Some(out), None) } else { (None, Some(out)) };
    let mut report = Report::new(&series, json, args.cpu_time);
    let progress = progress::Progress::new(&series, !args.quiet && stderr().is_terminal());
    let held = series.hold(&stopping, &mut |game| {
        for problem in game.problems() {
            progress.say(&problem);
        }
        report.add(game)?;
        progress.update(report.summary());
        Ok(())
    });
    progress.finish();
    // What was played is shown, also if something else has gone wrong.
    let summary = report.finish()?;
    let complete = held?;
    if let Some(out) = table {
        report::write_table(&series, &summary, report::width(), out)?;
    }
    if let (false, Some(code)) = (complete, stopping.exit_code()) {
        go_on(args, &series, summary.games() + summary.left_over().games)?;
        return Ok(ExitCode::from(code));
    }
    Ok(if summary.aborted() > 0 { ExitCode::from(3) } else { ExitCode::SUCCESS })
}

/// How to go on with a series that was stopped.
fn go_on(args: &Args, series: &Series, played: u64) -> anyhow::Result<()> {
    let mut err = stderr();
    writeln!(err, "stopped after {played} of {} games", series.games())?;
    if args.record.is_some() {
        writeln!(err, "This goes on:\n{}", this_command_with("--resume"))?;
    } else {
        writeln!(err, "Nothing was kept; with --record DIR such a series can go on.")?;
    }
    Ok(())
}

/// Tells whoever runs the command, and nobody who plays, how to play the same again.
pub(crate) fn say_drawn(seed: Seed) -> io::Result<Seed> {
    writeln!(
        stderr(),
        "a seed was drawn, so that no program can guess it: --seed {} plays the same again",
        seed.0
    )?;
    Ok(seed)
}

impl Args {
    /// The seed that was given, or that of the series that goes on, or one that no program can guess.
    fn seed(&self) -> io::Result<Seed> {
        if let Some(seed) = self.seed {
            return Ok(Seed(seed));
        }
        if !self.players.iter().any(|entry| entry.seat.is_program()) {
            return Ok(Seed(0));
        }
        match self.record.as_deref().filter(|_| self.resume).and_then(kept_seed) {
            Some(seed) => Ok(seed),
            None => say_drawn(drawn_seed()),
        }
    }

    pub(crate) fn series(&self) -> anyhow::Result<Series> {
        if let Some(person) = self.players.iter().find(|entry| entry.seat.is_person()) {
            let game = &self.spec.text;
            return Err(UsageError(format!(
                "{person}: `match` is for programs only; play a game with `rookery play {game} {}`",
                self.players.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
            ))
            .into());
        }
        let mut agreed = rookery_catalog::agree(&self.spec.spec, &self.players, self.seed()?)
            .map_err(|error| UsageError(error.to_string()))?;
        agreed.time = self.programs.time(self.time.or(self.tc));
        agreed.limits = Limits { nodes: self.nodes, playouts: self.playouts, depth: self.depth, think: None };
        agreed.conduct = self.conduct.unwrap_or(agreed.conduct);
        agreed.max_turns = self.max_turns;
        let programs = self.players.iter().any(|entry| entry.seat.is_program());
        let awaited = self.players.iter().any(|entry| entry.seat.is_awaited());
        let concurrency = self.cores.games_at_a_time(agreed.time != TimeControl::Untimed || awaited);
        if awaited && self.cores.concurrency.is_some_and(|given| given > 1) {
            return Err(UsageError(
                "players of tcp:PORT play one game after the other; leave out --concurrency".to_owned(),
            )
            .into());
        }
        if let (true, TimeControl::Untimed) = (programs, agreed.time) {
            let cap = write_duration(rookery_live::Terms::default().answer_cap);
            writeln!(stderr(), "no time control is set: a program may think for {cap} about each answer")?;
        }
        let programs = if programs { Some(self.programs.programs(&agreed)?) } else { None };
        Ok(Series::new(
            self.spec.clone(),
            agreed,
            self.games.unwrap_or_else(|| Seating::block_games(self.players.len())),
            concurrency,
            self.record.clone(),
            self.resume,
            programs,
        )
        .until_proved(self.adjudicate.is_some())
        .with_affinity(self.cores.affinity()))
    }
}
