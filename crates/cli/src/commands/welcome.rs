//! What `rookery` does without a subcommand: it plays a small match, and says where to go from here.

use std::io::Write;

use rookery_catalog::CATALOG;

use super::matches;

pub(crate) fn run(out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(out, "Rookery: one referee for board games between programs and people.\n")?;
    for game in CATALOG {
        writeln!(out, "  {:12} {} ({} players)", game.name(), game.summary(), game.seats())?;
    }
    writeln!(out, "\nA match, played just now: a player that thinks a little against one that does not.\n")?;
    matches::demonstrate(out)?;
    let game = CATALOG[0].name();
    writeln!(out, "\nTry next (in this folder: cargo run --release -- COMMAND):")?;
    for (command, what) in [
        (format!("play {game}"), "play it yourself"),
        (format!("match {game} mcts random"), "a match of another game"),
        (format!("rules {game}"), "how it is played"),
        (format!("show {game} --svg board.svg"), "a board as a picture"),
        ("games".to_owned(), "the games and the keys of their setups"),
        ("players".to_owned(), "who can be seated"),
        ("--help".to_owned(), "everything else"),
    ] {
        writeln!(out, "  {command:28} {what}")?;
    }
    Ok(())
}
