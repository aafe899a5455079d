//! `rookery solve`: who wins with best play.

use std::io::{IsTerminal, Write, stderr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use comfy_table::{CellAlignment, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use rookery_catalog::{Game, Visit, visit};
use rookery_players::{SolveError, SolveOrder, Solved, Value};
use rookery_rules::Seat;
use rookery_search::{Progress, Stop, Want};
use rookery_terminal::clean;
use serde::Serialize;

use super::write_json;
use crate::size;
use crate::spec::PositionArgs;
use crate::stop::{this_command, watch_quietly};

/// Find out who wins when both sides play as well as can be, and in how many moves
///
/// The winner hurries and the loser delays. Works for two players and boards that are not too large: Hexapawn up to
/// about 50 squares, Fish up to about 15 tiles.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    position: PositionArgs,

    /// How much to find out: the winner is found far sooner than the length, and that sooner than all first moves
    #[arg(long, value_name = "WHAT", default_value = "moves")]
    want: WantArg,

    /// Threads that search; what is found does not depend on them
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,

    /// Memory for the table of positions, for example 500MiB or 4GiB
    #[arg(long, value_name = "SIZE", default_value = "2GiB", value_parser = memory)]
    memory: usize,

    /// Keep the table in this folder, and begin with the one found there
    #[arg(long, value_name = "DIR")]
    db: Option<PathBuf>,

    /// Walk through the whole proof afterwards, by the rules alone; that may take half as much memory again
    #[arg(long)]
    verify: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// No progress line
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum WantArg {
    Winner,
    Length,
    Moves,
}

const EXAMPLES: &str = "\
Examples:
  rookery solve hexapawn:rows=5,cols=5 --verify
  rookery solve hexapawn:rows=7,cols=6 --want winner --memory 4GiB --db tables
  rookery solve fish:rows=4,cols=3 --json

Exit codes: 0 done, 1 failed, 2 the command line is wrong, 130 or 143 interrupted.";

/// Reads a size in bytes.
pub(super) fn memory(text: &str) -> Result<usize, String> {
    let expected = || "expected a size such as 500MiB or 4GiB, from 1MiB to 1024GiB".to_owned();
    let bytes = size::parse(text).and_then(|bytes| usize::try_from(bytes).ok()).ok_or_else(expected)?;
    if (1 << 20..=1 << 40).contains(&bytes) { Ok(bytes) } else { Err(expected()) }
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let position = args.position.position()?.text();
    let stop = Stop::default();
    let raised = stop.clone();
    let stopping = watch_quietly(move || raised.set())?;
    let order = SolveOrder {
        want: match args.want {
            WantArg::Winner => Want::Winner,
            WantArg::Length => Want::Length,
            WantArg::Moves => Want::Moves,
        },
        threads: args.threads.into(),
        memory: args.memory,
        nodes: None,
        db: args.db.clone(),
        look_up: false,
        verify: args.verify,
        stop,
        progress: Progress::default(),
        keeper: None,
    };
    let game = args.position.spec.game.name();
    let solved = watched(args, &order, || solve(game, &position, &order));
    match solved {
        Ok(solved) => {
            let report = Report::new(&args.position.spec.text, &position, &solved);
            if args.json {
                write_json(out, &report)?;
            } else {
                report.write(out)?;
            }
            match solved.not_kept {
                None => Ok(ExitCode::SUCCESS),
                Some(problem) => {
                    out.flush()?;
                    Err(anyhow!(clean(&problem)))
                }
            }
        }
        Err(SolveError::Stopped) => {
            let mut err = stderr();
            writeln!(err, "stopped after {} positions", order.progress.nodes())?;
            match &args.db {
                Some(_) => writeln!(err, "The table is saved. This goes on:\n{}", this_command())?,
                None => writeln!(err, "Nothing was kept; with --db DIR it can go on.")?,
            }
            Ok(ExitCode::from(stopping.exit_code().unwrap_or(130)))
        }
        Err(error) => Err(anyhow!(clean(&error.to_string()))),
    }
}

/// Finds out what a position of a game, given as text, is worth with best play.
pub(super) fn solve(game: &str, position: &str, order: &SolveOrder) -> Result<Solved, SolveError> {
    struct Solve<'a>(&'a str, &'a SolveOrder);

    impl Visit for Solve<'_> {
        type Out = Result<Solved, SolveError>;
        fn visit<G: Game>(self) -> Self::Out {
            rookery_players::solve(&G::EXPERTISE, self.0, self.1)
        }
    }

    visit(game, Solve(position, order)).expect("the game is in the catalog")
}

/// How far the present question is, and how long it would still take at this pace.
fn remaining(share: f64, elapsed: Duration) -> String {
    let left = elapsed.as_secs_f64() * (1.0 - share) / share;
    let left = match left {
        ..100.0 => format!("{left:.0} s"),
        100.0..6000.0 => format!("{:.0} min", left / 60.0),
        6000.0..1e6 => format!("{:.0} h", left / 3600.0),
        _ => "days".to_owned(),
    };
    format!(", about {:.1} % of this question, perhaps {left} to go", share * 100.0)
}

/// Does the work while a line on the terminal shows how far it is.
fn watched<T: Send>(args: &Args, order: &SolveOrder, work: impl FnOnce() -> T) -> T {
    if args.quiet || !stderr().is_terminal() {
        return work();
    }
    let style =
        ProgressStyle::with_template("{spinner} {elapsed}: {msg}").expect("the template is well formed");
    let bar = ProgressBar::new_spinner().with_style(style);
    let progress = order.progress.clone();
    let (done, is_done) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let shown = bar.clone();
        scope.spawn(move || {
            let start = Instant::now();
            while is_done.recv_timeout(Duration::from_millis(200)) == Err(mpsc::RecvTimeoutError::Timeout) {
                let nodes = progress.nodes() as f64;
                let rate = nodes / start.elapsed().as_secs_f64();
                let share =
                    progress.share().map(|share| remaining(share, start.elapsed())).unwrap_or_default();
                shown.set_message(format!(
                    "{:.1} M positions, {:.2} M a second{share}",
                    nodes / 1e6,
                    rate / 1e6
                ));
                shown.tick();
            }
        });
        let result = work();
        drop(done);
        bar.finish_and_clear();
        result
    })
}

#[derive(Serialize)]
struct Report<'a> {
    game: &'a str,
    position: &'a str,
    /// `first`, `second` or `draw`.
    winner: &'static str,
    /// Moves that the game lasts with best play; null for a draw, and if only the winner was asked for.
    plies: Option<u32>,
    line: &'a [String],
    first_moves: Vec<MoveRow<'a>>,
    nodes: u64,
    seconds: f64,
    /// Whether the proof was walked through.
    verified: bool,
    /// Positions of that proof.
    verified_positions: Option<u64>,
    /// Positions remembered, and the bytes they took.
    entries: u64,
    bytes: usize,
    /// Bits compared to find a position again; null if nothing is left to chance.
    compared_bits: Option<u32>,
}

#[derive(Serialize)]
struct MoveRow<'a> {
    #[serde(rename = "move")]
    mv: &'a str,
    winner: &'static str,
    plies: Option<u32>,
}

/// A winner in one word.
pub(super) fn winner(value: Value) -> &'static str {
    match value.winner.map(Seat::index) {
        None => "draw",
        Some(0) => "first",
        Some(_) => "second",
    }
}

impl<'a> Report<'a> {
    fn new(game: &'a str, position: &'a str, solved: &'a Solved) -> Self {
        let moves = solved.first_moves.iter();
        Self {
            game,
            position,
            winner: winner(solved.value),
            plies: solved.value.plies,
            line: &solved.line,
            first_moves: moves
                .map(|(mv, value)| MoveRow { mv, winner: winner(*value), plies: value.plies })
                .collect(),
            nodes: solved.nodes,
            seconds: solved.elapsed.as_secs_f64(),
            verified: solved.verified.is_some(),
            verified_positions: solved.verified,
            entries: solved.entries,
            bytes: solved.bytes,
            compared_bits: solved.compared_bits,
        }
    }

    fn write(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        writeln!(out, "{}: {}", self.game, sentence(self.winner, self.plies))?;
        if !self.line.is_empty() {
            writeln!(out, "best play: {}", self.line.join(" "))?;
        }
        if !self.first_moves.is_empty() {
            let mut table = Table::new();
            table.load_preset(presets::NOTHING);
            table.set_header(["first move", "winner", "plies"]);
            for row in &self.first_moves {
                let plies = row.plies.map_or("-".to_owned(), |plies| plies.to_string());
                table.add_row([row.mv, row.winner, &plies]);
            }
            if let Some(column) = table.column_mut(2) {
                column.set_cell_alignment(CellAlignment::Right);
            }
            writeln!(out, "{table}")?;
        }
        let rate = self.nodes as f64 / self.seconds.max(1e-9) / 1e6;
        writeln!(out, "{} positions in {:.3} s, {rate:.2} M a second", self.nodes, self.seconds)?;
        writeln!(out, "{} remembered in {} MiB", self.entries, self.bytes.div_ceil(1 << 20))?;
        if let Some(positions) = self.verified_positions {
            writeln!(out, "verified: the proof holds in all of its {positions} positions")?;
        }
        if let Some(bits) = self.compared_bits {
            let odds = (self.entries as f64).powi(2) / 2f64.powi(bits as i32 + 1);
            writeln!(
                out,
                "positions were told apart by {bits} bits; the odds of a mistake are about {odds:.0e}"
            )?;
        }
        Ok(())
    }
}

fn sentence(winner: &str, plies: Option<u32>) -> String {
    let length = plies.map(|plies| format!(" in {plies} plies")).unwrap_or_default();
    match winner {
        "draw" => "a draw with best play".to_owned(),
        winner => format!("the {winner} player wins{length} with best play"),
    }
}

#[cfg(test)]
mod tests {
    use super::memory;

    #[test]
    fn sizes() {
        assert_eq!(memory("4GiB"), Ok(4 << 30));
        assert_eq!(memory("500MiB"), Ok(500 << 20));
        for bad in
            ["", "4", "GiB", "4KiB", "0GiB", "99999999999999999999GiB", "18446744073709551615GiB", "-1GiB"]
        {
            assert!(memory(bad).is_err(), "{bad}");
        }
    }
}
