//! `rookery drill`: a player in positions that are won for it.

use std::io::Write;
use std::time::Duration;

use anyhow::bail;
use indicatif::ProgressBar;
use rookery_catalog::{DrillCase, DrillOrder, PlayerSpec, Stop};
use rookery_referee::parse_duration;
use rookery_rules::Seed;
use serde::Serialize;

use super::write_json;
use crate::spec::CheckedSpec;

/// Put a player into positions that are won for it, and see whether it wins them
///
/// The positions are taken from random games and solved, so it is for games and boards that `rookery solve` can do
/// quickly. After each move of the player the position is solved again, so the move that lets the win go is named.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rookery drill hexapawn:rows=5,cols=5 hard --time 100ms
  rookery drill hexapawn:rows=4,cols=4 medium --positions 100 --json")]
pub(crate) struct Args {
    /// The game and its setup
    #[arg(value_name = "GAME-SPEC")]
    spec: CheckedSpec,

    /// Who is tried
    player: PlayerSpec,

    /// Who resists
    #[arg(long, value_name = "PLAYER", default_value = "perfect")]
    against: PlayerSpec,

    /// How many positions
    #[arg(long, short = 'n', value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    positions: u64,

    /// How long the player may think about a move
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    time: Option<Duration>,

    /// How many positions or random games the player may look at for a move
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,

    /// Where the positions come from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    game: String,
    player: String,
    positions: u64,
    won: u64,
    /// Positions in which it once gave the win away, whether or not it got it back.
    let_go: u64,
    /// The first of them.
    mistakes: Vec<Mistake>,
}

#[derive(Serialize)]
struct Mistake {
    position: String,
    #[serde(rename = "move")]
    mv: String,
    won: bool,
}

/// Mistakes that are shown.
const MAX_SHOWN: usize = 10;

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let stop = Stop::default();
    let order = DrillOrder {
        spec: args.spec.spec.clone(),
        player: args.player.clone(),
        against: args.against.clone(),
        positions: args.positions,
        time: args.time,
        work: args.nodes,
        seed: Seed(args.seed),
        stop: stop.clone(),
    };
    let _ = ctrlc::set_handler(move || stop.set());
    let bar = ProgressBar::new(args.positions);
    let mut report = Report {
        game: args.spec.text.clone(),
        player: args.player.to_string(),
        positions: 0,
        won: 0,
        let_go: 0,
        mistakes: vec![],
    };
    let done = args.spec.game.drill(&order, &mut |case: &DrillCase| {
        bar.inc(1);
        report.positions += 1;
        report.won += u64::from(case.won);
        let Some((position, mv)) = case.let_go.clone() else { return };
        report.let_go += 1;
        if report.mistakes.len() < MAX_SHOWN {
            report.mistakes.push(Mistake { position, mv, won: case.won });
        }
    });
    bar.finish_and_clear();
    if let Err(error) = done {
        bail!("{}: {error}", report.game);
    }
    if args.json {
        return write_json(out, &report);
    }
    writeln!(
        out,
        "{}: {} of {} won positions won; the win was let go in {}",
        report.player, report.won, report.positions, report.let_go
    )?;
    for mistake in &report.mistakes {
        writeln!(out, "  {} in {}", mistake.mv, mistake.position)?;
    }
    Ok(())
}
