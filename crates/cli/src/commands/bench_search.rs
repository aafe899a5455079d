//! `rookery bench search`: how fast the programs that play search.

use std::io::Write;
use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use rookery_catalog::start;
use rookery_rules::Seed;
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
    let rows: Vec<Row> = args.specs().map(|spec| measure(spec, args.budget())).collect();
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
fn measure(spec: String, budget: Duration) -> Row {
    let position = start(&spec).expect("the catalog's own specs are right");
    let rate = |search: &dyn Fn(u64) -> u64| {
        let (_, done, seconds) = fastest(search, budget);
        done / seconds
    };
    Row {
        mcts_playouts_per_second: rate(&|work| position.mcts_playouts(work, Seed(1))),
        alphabeta_nodes_per_second: rate(&|work| position.alphabeta_nodes(work)),
        game: spec,
    }
}
