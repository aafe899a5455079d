//! `rookery players`: who can be seated.

use std::io::Write;

use rookery_catalog::PLAYERS;

/// List the built-in players and their options
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    for player in PLAYERS {
        writeln!(out, "{:12} {}", player.name, player.summary)?;
        for key in player.keys {
            writeln!(out, "  {:10} {}", key.name, key.help)?;
            writeln!(out, "  {:10} {}; default {}", "", key.kind, key.default)?;
        }
    }
    Ok(())
}
