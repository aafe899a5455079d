//! `rookery rules`: how a game is played.

use std::io::Write;

use rookery_catalog::{AnyGame, game};

/// Print the rules of a game
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The game's name, for example `hexapawn`
    #[arg(value_parser = game)]
    game: &'static dyn AnyGame,
}

const EXAMPLES: &str = "\
Examples:
  rookery rules hexapawn
  rookery rules fish | less";

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    Ok(write!(out, "{}", args.game.rules())?)
}
