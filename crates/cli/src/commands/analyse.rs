//! `rookery analyse`: the best moves of a position, and what comes after them.

use std::io::{IsTerminal, Write};
use std::iter::once;
use std::time::{Duration, Instant};

use rookery_rules::Seed;
use rookery_search::Budget;
use rookery_study::{Advice, Order, advise, advise_by_playouts};
use serde::Serialize;
use terminal_size::terminal_size;

use super::play::is_dumb;
use super::write_json;
use crate::spec::{PositionArgs, UsageError};
use crate::table_args::TableArgs;

/// Say which moves are best, why, and how the game would go on
///
/// By proof where the game can be solved in time, else by the search of the strongest player. On a terminal the table is
/// drawn anew while more becomes known. A value is the share of a win that the player to move can hope for; one with a ! is
/// certain, any other may be off by so many per cent as stand behind the ±.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    position: PositionArgs,

    #[command(flatten)]
    tables: TableArgs,

    /// How long to think, for example 500ms or 2s; by default 1s, or as long as --playouts takes
    #[arg(long, value_name = "TIME", value_parser = rookery_referee::parse_duration)]
    time: Option<Duration>,

    /// Play so many random games instead: the same answer on any machine
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
  rookery analyse hexapawn:rows=7,cols=6 --db tables
  rookery analyse hexapawn:rows=4,cols=4 --moves \"b2 axb2\" --json";

#[derive(Serialize)]
struct Report<'a> {
    playouts: u64,
    playouts_per_second: f64,
    nodes: u64,
    ply_depth: u32,
    done: bool,
    lines: Vec<LineReport<'a>>,
}

#[derive(Serialize)]
struct LineReport<'a> {
    value: f32,
    error: f32,
    proven: bool,
    /// In how many moves the game is over, if that is certain.
    plies: Option<u32>,
    visits: u32,
    depth: usize,
    moves: &'a [String],
    reason: String,
}

/// How long it thinks unless told otherwise.
const TIME: Duration = Duration::from_secs(1);

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let position = args.position.position()?;
    if position.moves().is_empty() {
        return Err(UsageError("the game is over: there is nothing to analyse".to_owned()).into());
    }
    args.tables.read(args.position.spec.game.name(), &position.text())?;
    // A terminal that cannot move the cursor gets the last word alone.
    let live = !args.json && std::io::stdout().is_terminal() && !is_dumb();
    let (mut written, mut result) = (0, Ok(()));
    let mut report = |advice: &Advice| {
        // After the first failure nobody reads what follows.
        if result.is_ok() {
            result = if args.json {
                write_report(advice, out)
            } else if live || advice.done {
                write_table(advice, &mut written, out)
            } else {
                Ok(())
            };
        }
    };
    let (game, max_lines, seed) = (args.position.spec.game.name(), args.lines.into(), Seed(args.seed));
    if let Some(playouts) = args.playouts {
        let deadline = args.time.map(|time| Instant::now() + time);
        let budget = Budget { deadline, work: Some(playouts), seed, ..Budget::default() };
        advise_by_playouts(game, &*position, &budget, max_lines, &mut report);
    } else {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let order = Order { time: args.time.unwrap_or(TIME), max_lines, threads, seed, ..Order::default() };
        advise(game, &*position, &order, &mut report);
    }
    result
}

fn per_second(count: u64, advice: &Advice) -> f64 {
    count as f64 / advice.elapsed.as_secs_f64().max(1e-9)
}

fn write_report(advice: &Advice, out: &mut dyn Write) -> anyhow::Result<()> {
    let lines = advice.lines.iter().map(|line| LineReport {
        value: line.value,
        error: line.error,
        proven: line.proven,
        plies: line.plies,
        visits: line.visits,
        depth: line.moves.len(),
        moves: &line.moves,
        reason: line.reason(),
    });
    let report = Report {
        playouts: advice.playouts,
        playouts_per_second: per_second(advice.playouts, advice),
        nodes: advice.nodes,
        ply_depth: advice.depth,
        done: advice.done,
        lines: lines.collect(),
    };
    write_json(out, &report)?;
    Ok(out.flush()?)
}

/// Writes the table over the last one.
fn write_table(advice: &Advice, written: &mut usize, out: &mut dyn Write) -> anyhow::Result<()> {
    if *written > 0 {
        write!(out, "\x1b[{written}A\x1b[J")?;
    }
    // A line that wraps could not be drawn over.
    let width = std::io::stdout().is_terminal().then(terminal_size).flatten();
    let width = width.map_or(usize::MAX, |(width, _)| usize::from(width.0).max(20));
    let lines = table(advice);
    for line in &lines {
        writeln!(out, "{}", line.chars().take(width - 1).collect::<String>())?;
    }
    *written = lines.len();
    Ok(out.flush()?)
}

fn table(advice: &Advice) -> Vec<String> {
    let (count, what) =
        if advice.playouts > 0 { (advice.playouts, "random games") } else { (advice.nodes, "positions") };
    let depth = if advice.depth > 0 { format!(", {} moves ahead", advice.depth) } else { String::new() };
    let head = format!("{count} {what}, {:.0} per second{depth}", per_second(count, advice));
    let rows = advice.lines.iter().map(|line| {
        let moves = line.moves.iter().take(6).map(String::as_str).collect::<Vec<_>>().join(" ");
        let sure =
            if line.proven { "!".to_owned() } else { format!(" ± {:.0}", (100.0 * line.error).max(1.0)) };
        format!("{:5.1} %{sure:<6} {moves:<40} {}", 100.0 * line.value, said(line)).trim_end().to_owned()
    });
    once(head).chain(once("  value       moves".to_owned())).chain(rows).collect()
}

/// What is certain, and why the move is good, as far as it fits the line.
fn said(line: &rookery_study::Advised) -> String {
    let certain = if line.proven { line.worth() } else { String::new() };
    let both = [certain, line.reason()].into_iter().filter(|part| !part.is_empty());
    let both: String = both.collect::<Vec<_>>().join("; ");
    both.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use rookery_study::Advised;

    use super::*;

    #[test]
    fn a_value_says_how_far_it_may_be_off_unless_it_is_certain() {
        let line = |value, error, proven| Advised {
            moves: vec!["a".to_owned()],
            value,
            error,
            proven,
            plies: None,
            visits: 0,
            reasons: vec![],
        };
        let advice = Advice {
            lines: vec![line(0.562, 0.034, false), line(1.0, 0.0, true)],
            nodes: 10,
            playouts: 0,
            depth: 2,
            elapsed: Duration::from_secs(1),
            done: true,
        };
        let table = table(&advice);
        assert_eq!(table[0], "10 positions, 10 per second, 2 moves ahead");
        assert_eq!(table[2], " 56.2 % ± 3   a");
        assert!(table[3].starts_with("100.0 %!      a "), "{}", table[3]);
    }
}
