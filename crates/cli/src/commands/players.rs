//! `rookery players`: who can be seated.

use std::io::Write;

use rookery_catalog::{AnyGame, CATALOG, GENERAL, PlayerInfo};
use serde::Serialize;

use super::{KeyRow, write_json};

/// List the built-in players and their options
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only the players of this game
    #[arg(value_parser = rookery_catalog::game)]
    game: Option<&'static dyn AnyGame>,

    /// Print one JSON array
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery players
  rookery players fish
  rookery players --json";

#[derive(Serialize)]
struct Row {
    player: &'static str,
    /// The only game it plays; null if it plays any.
    game: Option<&'static str>,
    summary: &'static str,
    keys: Vec<KeyRow>,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let general = GENERAL.iter().map(|info| (None, info));
    let games = CATALOG.iter().filter(|game| args.game.is_none_or(|only| only.name() == game.name()));
    let own = games.flat_map(|game| game.players().into_iter().map(|info| (Some(game.name()), info)));
    let own = own.filter(|(_, info)| !GENERAL.iter().any(|general| general.name == info.name));
    let players: Vec<(Option<&str>, &PlayerInfo)> = general.chain(own).collect();
    if args.json {
        return write_json(
            out,
            &players.iter().map(|&(game, info)| Row::new(game, info)).collect::<Vec<_>>(),
        );
    }
    for (idx, &(game, player)) in players.iter().enumerate() {
        let same = |other: &&(Option<&str>, &PlayerInfo)| other.1.name == player.name;
        if players[..idx].iter().any(|other| same(&other)) {
            continue;
        }
        let games: Vec<&str> = players.iter().filter(same).filter_map(|&(game, _)| game).collect();
        let only = game.map(|_| format!(" ({} only)", games.join(" and "))).unwrap_or_default();
        writeln!(out, "{:12} {}{only}", player.name, player.summary)?;
        for key in player.keys {
            writeln!(out, "  {:10} {}", key.name, key.help)?;
            writeln!(out, "  {:10} {}; default {}", "", key.kind, key.default)?;
        }
    }
    Ok(())
}

impl Row {
    fn new(game: Option<&'static str>, info: &PlayerInfo) -> Self {
        let keys = info.keys.iter().map(KeyRow::new);
        Self { player: info.name, game, summary: info.summary, keys: keys.collect() }
    }
}
