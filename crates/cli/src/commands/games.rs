//! `rookery games`: what can be played, and the keys of the setups.

use std::io::Write;

use rookery_catalog::{AnyGame, CATALOG};
use serde::Serialize;

use super::{KeyRow, write_json};

/// List the games and the keys of their setups
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Print one JSON array
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery games
  rookery games --json";

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    if args.json {
        return write_json(out, &CATALOG.iter().map(|game| GameRow::new(*game)).collect::<Vec<_>>());
    }
    for (idx, game) in CATALOG.iter().enumerate() {
        let gap = if idx == 0 { "" } else { "\n" };
        writeln!(
            out,
            "{gap}{} ({}, {} players): {}",
            game.name(),
            game.title(),
            game.seats(),
            game.summary()
        )?;
        for key in game.keys() {
            writeln!(out, "  {:12} {}", key.name, key.help)?;
            writeln!(out, "  {:12} {}; default {}", "", key.kind, key.default)?;
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct GameRow {
    game: &'static str,
    title: &'static str,
    summary: &'static str,
    seats: &'static str,
    keys: Vec<KeyRow>,
}

impl GameRow {
    fn new(game: &dyn AnyGame) -> Self {
        let keys = game.keys().iter().map(KeyRow::new);
        Self {
            game: game.name(),
            title: game.title(),
            summary: game.summary(),
            seats: game.seats(),
            keys: keys.collect(),
        }
    }
}
