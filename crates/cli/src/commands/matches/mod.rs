//! `rookery match`: a series of games between the same players.

mod report;
mod series;

use std::io::{IsTerminal, Write, stderr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread::available_parallelism;

use indicatif::{ProgressBar, ProgressStyle};
use rookery_catalog::PlayerSpec;
use rookery_record::Limits;
use rookery_referee::{Conduct, TimeControl, parse_duration};
use rookery_rules::Seed;

use crate::spec::{CheckedSpec, UsageError};
use series::Series;

/// Play a series of games and say who is stronger
///
/// Games come in blocks of as many games as there are players: a block has one start and puts every player once on
/// every seat (for two players: swapped pairs). The first game seats the players in the order given. The same command
/// with the same seed plays the same games, at any concurrency, if no time control is set.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The game and its setup, for example `hexapawn:rows=4,cols=5`
    #[arg(value_name = "GAME-SPEC")]
    spec: CheckedSpec,

    /// One player for each seat (`rookery players` lists them)
    #[arg(value_name = "PLAYER", required = true, num_args = 1..=8)]
    players: Vec<PlayerSpec>,

    /// How many games; by default one block
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    games: Option<u64>,

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

    /// Where all randomness comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Games at the same time; by default all cores, or one with a time control
    #[arg(long, short = 'c', value_name = "C", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: Option<u16>,

    /// Keep a record of every game in this folder
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,

    /// With --record: keep the finished games of an earlier run, and go on where it was interrupted
    #[arg(long, requires = "record")]
    resume: bool,

    /// What misconduct costs instead of the game's own rule: forfeit (= remove), abort, retry=N
    #[arg(long, value_name = "RULE")]
    conduct: Option<Conduct>,

    /// Call a game a draw after so many moves
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_turns: Option<u64>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// No progress bar
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery match hexapawn:rows=8,cols=8 playouts random --games 100
  rookery match fish:players=3 random random playouts:games=300 --games 30 --json
  rookery match stones playouts random --time 100ms --record games

Exit codes: 0 done, 1 failed, 2 the command line is wrong, 3 some games were aborted, 130 interrupted.";

fn per_move(text: &str) -> Result<TimeControl, rookery_referee::ParseTimeError> {
    Ok(TimeControl::PerMove(parse_duration(text)?))
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let n_seats = args.spec.n_seats();
    if args.players.len() != n_seats {
        let given = args.players.len();
        let spec = &args.spec.text;
        return Err(UsageError(format!(
            "{spec} has {n_seats} seats, and {given} given; name one player for each seat"
        ))
        .into());
    }
    for player in &args.players {
        args.spec.game.check_player(player).map_err(|error| UsageError(format!("{player}: {error}")))?;
    }
    let series = args.series(n_seats);
    let progress = args.progress(series.games);
    let done = series.play(|report| {
        for problem in report.problems() {
            progress.suspend(|| writeln!(stderr(), "{problem}")).ok();
        }
        progress.inc(1);
    })?;
    progress.finish_and_clear();
    let summary = report::Report::new(&series, &done.games);
    if args.json {
        summary.write_json(out)?;
    } else {
        summary.write_table(out)?;
    }
    Ok(if done.interrupted {
        writeln!(stderr(), "interrupted after {} of {} games", done.games.len(), series.games)?;
        if series.record.is_some() && !series.resume {
            writeln!(stderr(), "the same command with --resume goes on")?;
        }
        ExitCode::from(130)
    } else if summary.aborted() > 0 {
        ExitCode::from(3)
    } else {
        ExitCode::SUCCESS
    })
}

impl Args {
    fn series(&self, n_seats: usize) -> Series {
        let control = self.time.or(self.tc).unwrap_or(TimeControl::Untimed);
        let cores = available_parallelism().map_or(1, usize::from);
        // Games that think at the same time take each other's processor away.
        let concurrency = if control == TimeControl::Untimed { cores } else { 1 };
        Series {
            spec: self.spec.clone(),
            players: self.players.clone(),
            games: self.games.unwrap_or(n_seats as u64),
            control,
            limits: Limits { nodes: self.nodes, playouts: self.playouts, depth: self.depth },
            seed: Seed(self.seed),
            concurrency: self.concurrency.map_or(concurrency, usize::from),
            record: self.record.clone(),
            resume: self.resume,
            conduct: self.conduct.unwrap_or(self.spec.game.conduct()),
            max_turns: self.max_turns,
        }
    }

    fn progress(&self, games: u64) -> ProgressBar {
        if self.quiet || !stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template("{bar:30} {pos} of {len} games, {per_sec}, {eta} to go");
        ProgressBar::new(games).with_style(style.expect("the template is well formed"))
    }
}
