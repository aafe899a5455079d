//! `rookery bench search`: how fast the programs that play search.

use std::io::Write;
use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use rookery_catalog::{Game, Visit};
use rookery_rules::{GameSpec, Position, PositionOf, Seat, Seed, Setup};
use rookery_search::{AlphaBeta, Budget, Mcts};
use serde::Serialize;

use super::bench::{Measure, fastest};
use super::write_json;

#[derive(Serialize)]
struct Row {
    game: String,
    mcts_playouts_per_second: f64,
    alphabeta_nodes_per_second: f64,
}

pub(super) fn run(args: &Measure, out: &mut dyn Write) -> anyhow::Result<()> {
    let measured = args.measured(|spec| Search { spec: spec.clone(), budget: args.budget() });
    let rows: Vec<Row> = measured
        .map(|(game, (mcts_playouts_per_second, alphabeta_nodes_per_second))| Row {
            game,
            mcts_playouts_per_second,
            alphabeta_nodes_per_second,
        })
        .collect();
    if args.json {
        return write_json(out, &rows);
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["game", "mcts playouts/s", "alpha-beta nodes/s"]);
    for row in &rows {
        table.add_row([
            row.game.clone(),
            format!("{:.0}", row.mcts_playouts_per_second),
            format!("{:.0}", row.alphabeta_nodes_per_second),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    Ok(writeln!(out, "{table}")?)
}

/// Searches of the first position, each from nothing, on this thread.
struct Search {
    spec: GameSpec,
    budget: Duration,
}

impl Visit for Search {
    type Out = (f64, f64);

    fn visit<G: Game>(self) -> (f64, f64) {
        let position = G::Setup::from_spec(&self.spec).expect("the catalog's own specs are right").start();
        let rate = |search: &dyn Fn(u64) -> u64| {
            let (_, done, seconds) = fastest(search, self.budget);
            done / seconds
        };
        let playouts = |work| {
            let budget = Budget { work: Some(work), seed: Seed(1), ..Budget::default() };
            Mcts::new(work).search(&position, &budget).1
        };
        (rate(&playouts), rate(&|work| alphabeta_nodes::<G>(&position, work)))
    }
}

/// Searches so many positions with alpha-beta, by a count of moves, and says how many it took.
fn alphabeta_nodes<G: Game>(position: &PositionOf<G>, n_nodes: u64) -> u64 {
    const TABLE_BYTES: usize = 1 << 20;
    let moves = |position: &PositionOf<G>, seat: Seat| {
        let count = position.count_moves() as i32;
        if position.to_move() == Some(seat) { count } else { -count }
    };
    let budget = Budget { work: Some(n_nodes), ..Budget::default() };
    AlphaBeta::new(moves, 1, TABLE_BYTES).search(position, &budget).nodes
}
