//! What `rookery` says without a subcommand.

use std::io::Write;

use rookery_catalog::CATALOG;

pub(crate) fn run(out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(out, "Rookery: one referee for board games between programs and people.\n")?;
    for game in CATALOG {
        writeln!(out, "  {:12} {} ({} players)", game.name(), game.summary(), game.seats())?;
    }
    let game = CATALOG[0].name();
    writeln!(out, "\nTry next:")?;
    for (command, what) in [
        (format!("rookery rules {game}"), "how it is played"),
        (format!("rookery show {game}"), "a board"),
        (format!("rookery moves {game}"), "the legal moves"),
        ("rookery games".to_owned(), "the games and the keys of their setups"),
        ("rookery --help".to_owned(), "everything else"),
    ] {
        writeln!(out, "  {command:28} {what}")?;
    }
    Ok(())
}
