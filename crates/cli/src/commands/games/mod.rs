//! `rookery games`: what can be played; and below it the games that were played and stored.

mod export;
mod filter;
mod import;
mod list;
mod show;

use std::io::Write;

use rookery_catalog::{AnyGame, CATALOG};
use serde::Serialize;

pub(super) use filter::{expect_entrant, stored_games};
pub(super) use import::{Refused, batches, is_refusal, judge};
pub(super) use list::{GameJson, write_games};
pub(crate) use show::write_foul;

use super::{KeyRow, write_json};

/// List the games that can be played; with a subcommand: stored games
///
/// Without a subcommand: the games that can be played, and the keys of their setups. The subcommands are about games that
/// were played and are kept in a store, where `rookery tournament` puts them.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Print one JSON array
    #[arg(long)]
    json: bool,

    #[command(subcommand)]
    stored: Option<Stored>,
}

#[derive(Debug, clap::Subcommand)]
enum Stored {
    List(list::Args),
    Show(show::Args),
    Export(export::Args),
    Import(import::Args),
}

const EXAMPLES: &str = "\
Examples:
  rookery games
  rookery games --json
  rookery games list --game fish --limit 20
  rookery games import records --store club.db";

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    match &args.stored {
        None => known(args.json, out),
        Some(Stored::List(args)) => list::run(args, out),
        Some(Stored::Show(args)) => show::run(args, out),
        Some(Stored::Export(args)) => export::run(args, out),
        Some(Stored::Import(args)) => import::run(args, out),
    }
}

/// What can be played, and the keys of the setups.
fn known(json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    if json {
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
