//! `rookery analyse`: the best moves of a position, and what comes after them.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use rookery_catalog::AnyAnalysis;
use rookery_rules::Seed;
use rookery_search::Budget;
use serde::Serialize;

use super::write_json;
use crate::spec::{PositionArgs, UsageError};

/// Say which moves are best, and how the game would go on
///
/// A tree of random games grows until the time is over. On a terminal the table is drawn anew while it does. A value is
/// the share of a win that the player to move can hope for; one with a ! is certain.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    position: PositionArgs,

    /// How long to think, for example 500ms or 2s; by default 1s, or as long as --playouts takes
    #[arg(long, value_name = "TIME", value_parser = rookery_referee::parse_duration)]
    time: Option<Duration>,

    /// Random games to play
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    playouts: Option<u64>,

    /// How many moves to show
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=100))]
    lines: u16,

    /// Where all randomness comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Print one JSON object a line, each time more is known
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery analyse fish --time 2s
  rookery analyse hexapawn:rows=4,cols=4 --moves \"b2 axb2\" --json";

#[derive(Serialize)]
struct Report<'a> {
    playouts: u64,
    playouts_per_second: f64,
    done: bool,
    lines: Vec<LineReport<'a>>,
}

#[derive(Serialize)]
struct LineReport<'a> {
    value: f32,
    proven: bool,
    visits: u32,
    depth: usize,
    moves: &'a [String],
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let position = args.position.position()?;
    if position.moves().is_empty() {
        return Err(UsageError("the game is over: there is nothing to analyse".to_owned()).into());
    }
    let time = args.time.or(args.playouts.is_none().then_some(Duration::from_secs(1)));
    let budget = Budget {
        deadline: time.map(|time| Instant::now() + time),
        work: args.playouts,
        seed: Seed(args.seed),
        ..Budget::default()
    };
    let live = !args.json && std::io::stdout().is_terminal();
    let (mut written, mut result) = (0, Ok(()));
    position.analyse(&budget, args.lines.into(), &mut |analysis| {
        // After the first failure nobody reads what follows.
        if result.is_ok() {
            result = if args.json {
                write_report(analysis, out)
            } else if live || analysis.done {
                write_table(analysis, &mut written, out)
            } else {
                Ok(())
            };
        }
    });
    result
}

fn rate(analysis: &AnyAnalysis) -> f64 {
    analysis.playouts as f64 / analysis.elapsed.as_secs_f64().max(1e-9)
}

fn write_report(analysis: &AnyAnalysis, out: &mut dyn Write) -> anyhow::Result<()> {
    let lines = analysis.lines.iter().map(|line| LineReport {
        value: line.value,
        proven: line.proven,
        visits: line.visits,
        depth: line.moves.len(),
        moves: &line.moves,
    });
    let report = Report {
        playouts: analysis.playouts,
        playouts_per_second: rate(analysis),
        done: analysis.done,
        lines: lines.collect(),
    };
    write_json(out, &report)?;
    Ok(out.flush()?)
}

/// Writes the table over the last one.
fn write_table(analysis: &AnyAnalysis, written: &mut usize, out: &mut dyn Write) -> anyhow::Result<()> {
    if *written > 0 {
        write!(out, "\x1b[{written}A\x1b[J")?;
    }
    writeln!(out, "{} random games, {:.0} a second", analysis.playouts, rate(analysis))?;
    writeln!(out, "  value   visits  depth  moves")?;
    for line in &analysis.lines {
        // Long lines would wrap, and could not be drawn over.
        let moves = line.moves.iter().take(6).map(String::as_str).collect::<Vec<_>>().join(" ");
        let certain = if line.proven { '!' } else { ' ' };
        let (value, visits, depth) = (100.0 * line.value, line.visits, line.moves.len());
        writeln!(out, "{value:5.1} %{certain} {visits:7}  {depth:5}  {moves}")?;
    }
    *written = analysis.lines.len() + 2;
    Ok(out.flush()?)
}
