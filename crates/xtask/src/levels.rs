//! `cargo xtask levels`: how much stronger each level is than the one below, by games that the released program plays.

use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};

/// The boards on which levels are measured, by the names of their games. Any other game spec is a board, too.
const BOARDS: [(&str, &str); 5] = [
    ("fish", "fish"),
    ("hexapawn", "hexapawn:rows=6,cols=6"),
    ("renpaarden", "renpaarden:width=5,height=5"),
    ("stones", "stones"),
    ("four", "four"),
];

/// Games of a step, unless somebody says otherwise; even, so that both sit at both seats equally often.
const GAMES: u64 = 400;
/// What a step should be, in percent.
const WANTED: std::ops::RangeInclusive<f64> = 60.0..=80.0;

/// What is to be measured, and how it is printed.
#[derive(Debug, PartialEq, Eq)]
struct Order {
    boards: Vec<String>,
    games: u64,
    json: bool,
}

impl Order {
    fn parse(args: &[&str]) -> anyhow::Result<Self> {
        let mut order = Self { boards: vec![], games: GAMES, json: false };
        let mut args = args.iter();
        while let Some(&arg) = args.next() {
            match arg {
                "--json" => order.json = true,
                "--games" => {
                    let number = args.next().and_then(|text| text.parse().ok());
                    order.games = number
                        .filter(|n| (2..=1_000_000).contains(n) && n % 2 == 0)
                        .context("--games takes an even number from 2 to 1000000")?;
                }
                _ if arg.starts_with('-') => {
                    bail!("there is no flag {arg}; expected game specs, --games N or --json")
                }
                // Whether there is such a game is for the program to say.
                _ => {
                    let board =
                        BOARDS.into_iter().find(|&(name, _)| name == arg).map_or(arg, |(_, board)| board);
                    order.boards.push(board.to_owned());
                }
            }
        }
        if order.boards.is_empty() {
            order.boards = BOARDS.map(|(_, board)| board.to_owned()).into();
        }
        Ok(order)
    }
}

/// One level against the one below.
struct Step {
    board: String,
    level: u32,
    games: u64,
    /// The share of the points, and half of its 95 % interval, in percent.
    score: f64,
    error: Option<f64>,
    /// How much stronger, and half of its 95 % interval.
    elo: Option<(f64, f64)>,
    moves_per_second: f64,
}

/// Plays what is asked for and gives the table, or its rows as JSON.
pub(crate) fn run(args: &[&str]) -> anyhow::Result<String> {
    let order = Order::parse(args)?;
    let mut build = super::cargo("build --release --quiet --locked --package rookery");
    ensure!(build.status().context("cargo could not be started")?.success(), "the program cannot be built");
    let mut steps = vec![];
    for board in &order.boards {
        for level in 2..=8 {
            let step = play(board, level, order.games)?;
            super::say(&row(&step));
            steps.push(step);
        }
    }
    if order.json {
        let rows = steps.iter().map(|step| {
            json!({
                "game": step.board, "level": step.level, "games": step.games, "score": step.score,
                "error": step.error, "elo": step.elo.map(|(elo, _)| elo),
                "elo_error": step.elo.map(|(_, error)| error), "moves_per_second": step.moves_per_second,
            })
        });
        return Ok(serde_json::to_string_pretty(&rows.collect::<Vec<_>>())?);
    }
    let rows = steps.iter().map(row).collect::<Vec<_>>().join("\n");
    Ok(format!("| game | step | games | score | Elo | moves/s | |\n|---|---|---|---|---|---|---|\n{rows}"))
}

fn play(board: &str, level: u32, games: u64) -> anyhow::Result<Step> {
    let players = [format!("level:{level}"), format!("level:{}", level - 1)];
    let start = Instant::now();
    let output = Command::new("target/release/rookery")
        .args(["match", board, &players[0], &players[1], "--games", &games.to_string(), "--json", "--quiet"])
        .stderr(Stdio::inherit())
        .output()
        .context("target/release/rookery could not be started")?;
    let seconds = start.elapsed().as_secs_f64();
    if !output.status.success() {
        bail!("{board}: {} against {} failed", players[0], players[1]);
    }
    read(board, level, games, &serde_json::from_slice(&output.stdout)?, seconds)
        .with_context(|| format!("{board}: the report of the match lacks what is measured"))
}

/// What a report of `rookery match --json` says about the first player.
fn read(board: &str, level: u32, games: u64, report: &Value, seconds: f64) -> Option<Step> {
    let points = &report["summary"]["players"][0]["points"];
    let elo = &report["summary"]["elo"];
    let plies: u64 = report["games"].as_array()?.iter().filter_map(|game| game["plies"].as_u64()).sum();
    Some(Step {
        board: board.to_owned(),
        level,
        games,
        score: 100.0 * points["mean"].as_f64()?,
        error: points["error"].as_f64().map(|error| 100.0 * error),
        elo: elo["difference"]
            .as_f64()
            .zip(elo["high"].as_f64().zip(elo["low"].as_f64()))
            .map(|(difference, (high, low))| (difference, (high - low) / 2.0)),
        moves_per_second: plies as f64 / seconds,
    })
}

fn row(step: &Step) -> String {
    let mut text = format!("| {} | {} over {} | {} ", step.board, step.level, step.level - 1, step.games);
    let error = step.error.map(|error| format!(" ± {error:.1}")).unwrap_or_default();
    let elo = step.elo.map_or("all won".to_owned(), |(elo, error)| format!("{elo:+.0} ± {error:.0}"));
    let note = if WANTED.contains(&step.score) { "" } else { "outside" };
    // Writing to a text does not fail.
    let _ = write!(text, "| {:.1} %{error} | {elo} | {:.0} | {note} |", step.score, step.moves_per_second);
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

    use super::*;

    #[test]
    fn orders_are_read_and_mistakes_named() {
        let all = Order::parse(&[]).unwrap();
        assert_eq!((all.boards.len(), all.games, all.json), (5, 400, false));
        let one = Order::parse(&["stones", "--games", "20", "--json"]).unwrap();
        assert_eq!((one.boards, one.games, one.json), (vec!["stones".to_owned()], 20, true));
        let others = Order::parse(&["hexapawn", "hexapawn:rows=5,cols=5", "new-game"]).unwrap();
        assert_eq!(others.boards, ["hexapawn:rows=6,cols=6", "hexapawn:rows=5,cols=5", "new-game"]);
        for (args, expected) in [
            (vec!["--game"], "there is no flag --game; expected game specs, --games N or --json"),
            (vec!["--games", "7"], "--games takes an even number from 2 to 1000000"),
            (vec!["--games"], "--games takes an even number from 2 to 1000000"),
        ] {
            assert_eq!(Order::parse(&args).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn a_report_becomes_a_row_that_says_when_a_step_is_outside() {
        let report = |mean: f64| {
            json!({
                "games": [{"plies": 30}, {"plies": 50}],
                "summary": {
                    "players": [{"points": {"mean": mean, "error": 0.03}}],
                    "elo": {"difference": 100.0, "low": 80.0, "high": 121.0},
                },
            })
        };
        let text = |mean| row(&read("fish", 3, 2, &report(mean), 4.0).unwrap());
        assert_eq!(text(0.64), "| fish | 3 over 2 | 2 | 64.0 % ± 3.0 | +100 ± 20 | 20 |  |");
        assert!(text(0.81).ends_with("| outside |"));
        assert!(read("fish", 3, 2, &json!({}), 4.0).is_none());
    }
}
