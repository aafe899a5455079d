//! `rookery bench records`: how fast match records are verified.

use std::hint::black_box;
use std::io::Write;
use std::time::{Duration, Instant};

use comfy_table::{CellAlignment, Table, presets};
use rookery_live::{random_record, verify};
use rookery_rules::{GameSpec, Seed};
use serde::Serialize;

use super::write_json;

#[derive(Debug, clap::Args)]
pub(crate) struct RecordsArgs {
    /// A game spec to measure; may be given several times
    #[arg(long = "game", value_name = "GAME-SPEC", default_values = ["hexapawn:rows=8,cols=8", "fish:board=classic"])]
    specs: Vec<crate::spec::CheckedSpec>,

    /// Seconds for each figure
    #[arg(long, default_value_t = 1.0, value_parser = super::bench::seconds)]
    seconds: f64,

    /// Print one JSON array
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    game: String,
    records_per_second: f64,
    moves_per_second: f64,
    moves_per_record: f64,
    bytes_per_record: f64,
    written_per_second: f64,
}

pub(crate) fn run(args: &RecordsArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let budget = Duration::from_secs_f64(args.seconds);
    let rows =
        args.specs.iter().map(|spec| measure(&spec.text, budget)).collect::<anyhow::Result<Vec<_>>>()?;
    if args.json {
        return write_json(out, &rows);
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header([
        "game",
        "verified/s",
        "a minute",
        "moves/s",
        "moves/record",
        "bytes/record",
        "played/s",
    ]);
    for row in &rows {
        table.add_row([
            row.game.clone(),
            format!("{:.0}", row.records_per_second),
            format!("{:.0}", row.records_per_second * 60.0),
            format!("{:.2} M", row.moves_per_second / 1e6),
            format!("{:.1}", row.moves_per_record),
            format!("{:.0}", row.bytes_per_record),
            format!("{:.0}", row.written_per_second),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    Ok(writeln!(out, "{table}")?)
}

/// Records of different matches, in memory, verified on this thread over and over. The fastest round counts: what else
/// the machine does slows a round down and never speeds it up.
fn measure(text: &str, budget: Duration) -> anyhow::Result<Row> {
    const RECORDS: u64 = 500;
    let spec = GameSpec::parse(text)?;
    let clock = Instant::now();
    let records = (0..RECORDS).map(|seed| random_record(&spec, Seed(seed))).collect::<Result<Vec<_>, _>>()?;
    let written = RECORDS as f64 / clock.elapsed().as_secs_f64();

    let (clock, mut fastest, mut moves) = (Instant::now(), Duration::MAX, 0);
    while fastest == Duration::MAX || clock.elapsed() < budget {
        let round = Instant::now();
        moves = 0;
        for record in &records {
            moves += black_box(verify(&record[..])?).plies;
        }
        fastest = fastest.min(round.elapsed());
    }
    let (n_records, seconds) = (RECORDS as f64, fastest.as_secs_f64());
    Ok(Row {
        game: text.to_owned(),
        records_per_second: n_records / seconds,
        moves_per_second: moves as f64 / seconds,
        moves_per_record: moves as f64 / n_records,
        bytes_per_record: records.iter().map(Vec::len).sum::<usize>() as f64 / n_records,
        written_per_second: written,
    })
}
