//! `rookery accuracy`: a recorded match against best play.

use std::io::Write;
use std::path::PathBuf;

use anyhow::anyhow;
use comfy_table::{CellAlignment, Table, presets};
use rookery_catalog::{AnyGame, AnyPosition, game};
use rookery_players::{SolveOrder, Value};
use rookery_rules::{GameSpec, Status};
use rookery_search::Want;
use rookery_terminal::clean;
use serde::Serialize;

use super::solve::{memory, solve, winner};
use super::write_json;
use crate::story::story;

/// Compare every move of a recorded match with best play
///
/// Solves every position, so it is for games and boards that `rookery solve` can do quickly.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The record, usually NAME.rookery.jsonl
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Threads that search
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,

    /// Memory for the table of positions, for example 500MiB or 4GiB
    #[arg(long, value_name = "SIZE", default_value = "2GiB", value_parser = memory)]
    memory: usize,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery accuracy games/game-0001.rookery.jsonl
  rookery accuracy game.rookery.jsonl --json";

#[derive(Serialize)]
struct Report {
    game: String,
    players: Vec<PlayerRow>,
    moves: Vec<MoveRow>,
}

#[derive(Serialize)]
struct PlayerRow {
    name: String,
    moves: usize,
    /// Moves that could not be better.
    best: usize,
    /// Moves that kept the result, best ones included.
    kept: usize,
}

#[derive(Serialize)]
struct MoveRow {
    /// From 1.
    ply: usize,
    /// From 0.
    seat: usize,
    #[serde(rename = "move")]
    mv: String,
    before: ValueRow,
    after: ValueRow,
    best: bool,
    kept: bool,
}

#[derive(Serialize)]
struct ValueRow {
    winner: &'static str,
    /// Moves until then with best play.
    plies: Option<u32>,
}

impl ValueRow {
    fn new(value: Value) -> Self {
        Self { winner: winner(value), plies: value.plies }
    }

    fn text(&self) -> String {
        match (self.winner, self.plies) {
            (winner, Some(plies)) if winner != "draw" => format!("{winner} wins in {plies}"),
            (winner, _) => winner.to_owned(),
        }
    }
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let story = story(&args.file)?;
    let spec = story.spec.game.clone();
    let game = game(&GameSpec::parse(&spec)?.game)?;
    let order = || SolveOrder {
        want: Want::Length,
        threads: args.threads.into(),
        memory: args.memory,
        ..SolveOrder::default()
    };
    let mut moves = vec![];
    for (idx, turn) in story.turns().enumerate() {
        let before = worth(game, turn.before, &order())?;
        let after = worth(game, turn.after, &order())?;
        let kept = before.winner == after.winner;
        let same_length = before.plies == after.plies.map(|plies| plies + 1);
        moves.push(MoveRow {
            ply: idx + 1,
            seat: turn.seat.index(),
            mv: turn.mv.to_owned(),
            before: ValueRow::new(before),
            after: ValueRow::new(after),
            best: kept && same_length,
            kept,
        });
    }
    let count = |seat: usize, fits: fn(&MoveRow) -> bool| {
        moves.iter().filter(|row| row.seat == seat && fits(row)).count()
    };
    let names = story.spec.seats.iter().map(|entry| entry.name.clone());
    let players = names.enumerate().map(|(seat, name)| PlayerRow {
        name,
        moves: count(seat, |_| true),
        best: count(seat, |row| row.best),
        kept: count(seat, |row| row.kept),
    });
    let report = Report { game: spec, players: players.collect(), moves };
    if args.json { write_json(out, &report) } else { report.write(out) }
}

/// What a position is worth, also if the game is over.
fn worth(game: &dyn AnyGame, position: &dyn AnyPosition, order: &SolveOrder) -> anyhow::Result<Value> {
    match position.status() {
        Status::Over(outcome) if outcome.winners.len() == 1 => {
            Ok(Value { winner: outcome.winners.iter().next(), plies: Some(0) })
        }
        Status::Over(_) => Ok(Value { winner: None, plies: None }),
        Status::ToMove(_) => {
            let text = position.text();
            let solved = solve(game.name(), &text, order).map_err(|error| anyhow!("{text}: {error}"))?;
            Ok(solved.value)
        }
    }
}

impl Report {
    fn write(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        writeln!(out, "{}: {} moves", clean(&self.game), self.moves.len())?;
        let mut table = Table::new();
        table.load_preset(presets::NOTHING);
        table.set_header(["player", "moves", "best", "kept the result", "gave it away"]);
        for row in &self.players {
            table.add_row([
                clean(&row.name),
                row.moves.to_string(),
                row.best.to_string(),
                row.kept.to_string(),
                (row.moves - row.kept).to_string(),
            ]);
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        writeln!(out, "{table}")?;
        for row in self.moves.iter().filter(|row| !row.kept) {
            let name = clean(&self.players[row.seat].name);
            let (before, after) = (row.before.text(), row.after.text());
            writeln!(out, "move {}, {} by {name}: {before}, then {after}", row.ply, row.mv)?;
        }
        Ok(())
    }
}
