//! `rookery bench tournament`: what scheduling and rating cost beside the games.

use std::collections::VecDeque;
use std::io::Write;
use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use rookery_referee::Cause;
use rookery_report::{Evaluation, RatingOptions, Ratings};
use rookery_rules::{Outcome, Seat, Seed};
use rookery_tournament::{Dispatcher, GameResult, Pairing, Report, Scheduler, TournamentSpec, hold};
use serde::Serialize;
use serde_json::json;

use super::write_json;

#[derive(Debug, clap::Args)]
pub(crate) struct TournamentArgs {
    /// Print one JSON array
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    format: &'static str,
    entrants: usize,
    games: u64,
    /// Processor time for pairing, scheduling, standings and what ratings need of a game.
    scheduling_us_per_game: f64,
    /// The same for the ratings at the end, spread over the games.
    rating_us_per_game: f64,
    /// Both, beside games of a millisecond.
    share_of_1ms_games: f64,
}

/// Formats with as many entrants as they are made for.
const FORMATS: [(&str, usize, &str); 6] = [
    ("series", 2, r#"{"kind":"series","games":100000}"#),
    ("round-robin", 64, r#"{"kind":"round-robin","games":10}"#),
    ("swiss", 200, r#"{"kind":"swiss","rounds":9}"#),
    ("knock-out", 64, r#"{"kind":"knock-out","best_of":20}"#),
    ("gauntlet", 100, r#"{"kind":"gauntlet","games":100}"#),
    ("ladder", 50, r#"{"kind":"ladder","games":10000}"#),
];

pub(crate) fn run(args: &TournamentArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let rows = FORMATS.iter().map(|format| measure(*format)).collect::<anyhow::Result<Vec<_>>>()?;
    if args.json {
        return write_json(out, &rows);
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["format", "players", "games", "scheduling", "rating", "of 1 ms games"]);
    for row in &rows {
        table.add_row([
            row.format.to_owned(),
            row.entrants.to_string(),
            row.games.to_string(),
            format!("{:.2} µs", row.scheduling_us_per_game),
            format!("{:.2} µs", row.rating_us_per_game),
            format!("{:.2} %", 100.0 * row.share_of_1ms_games),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    Ok(())
}

/// Games that run at a time.
const ROOM: usize = 8;

/// Plays every game at once, and tells of it as whoever holds a tournament does.
struct AtOnce {
    results: VecDeque<GameResult>,
    evaluation: Evaluation,
    games: u64,
}

impl Dispatcher for AtOnce {
    fn dispatch(&mut self, pairing: Pairing) {
        self.results.push_back(result(&pairing));
    }

    async fn next_report(&mut self) -> Option<Report> {
        let result = self.results.pop_front()?;
        self.evaluation.add(&result);
        self.games += 1;
        Some(Report::Finished(result))
    }
}

/// Holds a tournament whose games take no time at all.
fn measure((name, n_entrants, format): (&'static str, usize, &str)) -> anyhow::Result<Row> {
    let entrants: Vec<_> =
        (1..=n_entrants).map(|n| json!({"name": format!("player-{n}"), "player": "random"})).collect();
    let spec = json!({
        "name": name, "games": ["hexapawn"], "format": serde_json::from_str::<serde_json::Value>(format)?,
        "entrants": entrants,
    });
    let spec: TournamentSpec = serde_json::from_value(spec)?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let begin = processor_time();
    let mut scheduler = Scheduler::new(spec.format()?, ROOM);
    let mut played = AtOnce { results: VecDeque::new(), evaluation: Evaluation::new(&spec), games: 0 };
    runtime.block_on(hold(&mut scheduler, &mut played, &mut ()))?;
    let scheduling = processor_time().saturating_sub(begin);
    let AtOnce { evaluation, games, .. } = played;
    let begin = processor_time();
    Ratings::fit(&evaluation, &RatingOptions::default()).map_err(|error| anyhow::anyhow!("{error}"))?;
    let rating = processor_time().saturating_sub(begin);
    let us = |time: Duration| time.as_secs_f64() * 1e6 / games as f64;
    let (scheduling_us_per_game, rating_us_per_game) = (us(scheduling), us(rating));
    Ok(Row {
        format: name,
        entrants: n_entrants,
        games,
        scheduling_us_per_game,
        rating_us_per_game,
        share_of_1ms_games: (scheduling_us_per_game + rating_us_per_game) / 1000.0,
    })
}

/// What this thread has used. Unlike the time on the wall it does not grow with other work of the machine.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or(0), nanos.unwrap_or(0))
}

/// Who has the lower number is the stronger one, and wins three games of four.
fn result(pairing: &Pairing) -> GameResult {
    let best = usize::from(pairing.entrants[1] < pairing.entrants[0]);
    let upset = Seed(pairing.id).derive(1).0.is_multiple_of(4);
    let winner = if upset { 1 - best } else { best };
    GameResult::new(pairing, Some(Outcome::win(2, Seat::new(winner as u8))), Cause::Normal)
}
