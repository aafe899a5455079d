//! `rookery perft`: numbers of move sequences.

use std::io::Write;
use std::time::Instant;

use serde::Serialize;

use super::write_json;
use crate::spec::PositionArgs;

/// Count the move sequences of each length, to check a move generator
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    position: PositionArgs,

    /// The greatest length
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    depth: u32,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery perft hexapawn:rows=3,cols=3 --depth 8
  rookery perft renpaarden --depth 3 --json";

#[derive(Serialize)]
struct Report<'a> {
    game: &'a str,
    perft: Vec<u64>,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let position = args.position.position()?;
    if args.json {
        let perft = (1..=args.depth).map(|depth| position.perft(depth)).collect();
        return write_json(out, &Report { game: &args.position.spec.text, perft });
    }
    for depth in 1..=args.depth {
        let start = Instant::now();
        let count = position.perft(depth);
        let seconds = start.elapsed().as_secs_f64();
        writeln!(out, "depth {depth:2} {count:20} {seconds:10.3} s")?;
        out.flush()?;
    }
    Ok(())
}
