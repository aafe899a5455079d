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
    /// The game it knows; null if it plays any.
    game: Option<&'static str>,
    summary: &'static str,
    keys: Vec<KeyRow>,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let games =
        CATALOG.iter().copied().filter(|game| args.game.is_none_or(|only| only.name() == game.name()));
    let sections = sections(&games.collect::<Vec<_>>());
    if args.json {
        let rows =
            sections.iter().flat_map(|(game, players)| players.iter().map(|info| Row::new(*game, info)));
        return write_json(out, &rows.collect::<Vec<_>>());
    }
    for (idx, (game, players)) in sections.iter().enumerate() {
        if idx > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}:", game.unwrap_or("any game"))?;
        for player in players {
            writeln!(out, "  {:12} {}", player.name, player.summary)?;
            for key in player.keys {
                writeln!(out, "    {:10} {}", key.name, key.help)?;
                writeln!(out, "    {:10} {}; default {}", "", key.kind, key.default)?;
            }
        }
    }
    Ok(())
}

/// The players that know any game, then those of each game alone. A general one is left out if each of the games has its
/// own of the same name.
fn sections(games: &[&dyn AnyGame]) -> Vec<(Option<&'static str>, Vec<&'static PlayerInfo>)> {
    let of_games: Vec<_> = games.iter().map(|game| (game.name(), game.players())).collect();
    let is_general = |info: &PlayerInfo| GENERAL.iter().any(|general| std::ptr::eq(general, info));
    let used = |general: &&PlayerInfo| {
        of_games.iter().any(|(_, players)| players.iter().any(|info| std::ptr::eq(*info, *general)))
    };
    let mut sections = vec![(None, GENERAL.iter().filter(used).collect())];
    for (game, mut players) in of_games.iter().cloned() {
        players.retain(|info| !is_general(info));
        if !players.is_empty() {
            sections.push((Some(game), players));
        }
    }
    sections
}

impl Row {
    fn new(game: Option<&'static str>, info: &PlayerInfo) -> Self {
        let keys = info.keys.iter().map(KeyRow::new);
        Self { player: info.name, game, summary: info.summary, keys: keys.collect() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn fault_21_every_game_s_players_are_described_in_its_own_words() {
        for game in CATALOG {
            let mut out = vec![];
            run(&Args { game: Some(*game), json: false }, &mut out).unwrap();
            let text = String::from_utf8(out).unwrap();
            let shown: Vec<&str> = text.lines().filter(|line| line.starts_with("  ")).collect();
            for info in game.players() {
                let line = format!("  {:12} {}", info.name, info.summary);
                assert_eq!(shown.iter().filter(|shown| **shown == line).count(), 1, "{line} in\n{text}");
            }
        }
        let mut out = vec![];
        run(&Args { game: None, json: false }, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        for game in CATALOG {
            let hard = game.players().into_iter().find(|info| info.name == "hard").unwrap();
            assert!(text.contains(hard.summary), "{} in\n{text}", hard.summary);
        }
    }

    #[test]
    fn a_name_is_listed_once_for_a_game() {
        for game in CATALOG {
            let sections = sections(&[*game]);
            let names: Vec<&str> =
                sections.iter().flat_map(|(_, players)| players).map(|info| info.name).collect();
            assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
        }
    }
}
