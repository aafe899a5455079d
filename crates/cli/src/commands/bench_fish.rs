//! `rookery bench fish`: what a tournament of Fish is made of.

use std::io::Write;
use std::time::Duration;

use comfy_table::{Table, presets};
use rookery_protocols::fish::Harness;
use serde::Serialize;

use super::bench::{fastest, seconds, write_table};
use super::write_json;

#[derive(Debug, clap::Args)]
pub(super) struct FishArgs {
    /// Seconds for each figure
    #[arg(long, default_value_t = 1.0, value_parser = seconds)]
    seconds: f64,

    /// Print one JSON array
    #[arg(long)]
    json: bool,
}

/// One figure, and what it should be at the most.
#[derive(Serialize)]
struct Row {
    what: &'static str,
    milliseconds: f64,
    goal_milliseconds: f64,
}

/// One game between four house players that look two turns ahead, on the board of the tournaments.
const GAME: &str = r#"{"row":5,"column":5,"fish":2,"players":[["a",2],["b",2],["c",2],["d",2]]}"#;

/// A full board with penguins all over it, so that there are many moves to look at.
const QUESTION: &str = r#"[2,{"players":[{"color":"red","score":0,"places":[[0,0],[1,3],[3,1],[4,4]]},{"color":"white","score":0,"places":[[0,3],[2,0],[3,4],[4,2]]}],"board":[[2,2,2,2,2],[2,2,2,2,2],[2,2,2,2,2],[2,2,2,2,2],[2,2,2,2,2]]}]"#;

pub(super) fn run(args: &FishArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let budget = Duration::from_secs_f64(args.seconds);
    let rows = [
        harness("xref: a game of 4 players, depth 2, 5 x 5", 20.0, Harness::Ref, GAME, budget),
        harness("xstrategy: a move, depth 2, full 5 x 5", 5.0, Harness::Strategy, QUESTION, budget),
    ];
    if args.json {
        return write_json(out, &rows);
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["what", "ms", "goal"]);
    for row in &rows {
        table.add_row([
            row.what.to_owned(),
            format!("{:.2}", row.milliseconds),
            format!("at most {:.0}", row.goal_milliseconds),
        ]);
    }
    write_table(table, out)
}

fn harness(
    what: &'static str,
    goal_milliseconds: f64,
    harness: Harness,
    input: &str,
    budget: Duration,
) -> Row {
    let answer = |n: u64| {
        let outputs = (0..n).map(|_| harness.run(input).expect("the input is right").len() as u64);
        outputs.sum()
    };
    let (n, _, seconds) = fastest(answer, budget);
    Row { what, milliseconds: 1e3 * seconds / n, goal_milliseconds }
}
