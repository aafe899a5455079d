//! `rookery rules`: how a game is played.

use std::io::{self, IsTerminal, Write};

use rookery_catalog::{AnyGame, game};
use rookery_terminal::{Palette, markdown, run};

/// Print the rules of a game
///
/// As wide as the terminal; into a pipe or a file 80 columns wide.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The game's name, for example `hexapawn`
    #[arg(value_parser = game)]
    game: &'static dyn AnyGame,

    /// As they are written, in Markdown
    #[arg(long)]
    markdown: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery rules hexapawn
  rookery rules fish | less
  rookery rules stones --markdown > stones.md";

/// The width where there is no terminal, and the widest that is easily read.
const COLUMNS: (usize, usize) = (80, 100);

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let rules = args.game.rules();
    if args.markdown {
        return Ok(write!(out, "{rules}")?);
    }
    let is_terminal = io::stdout().is_terminal();
    let columns = if is_terminal { run::columns() } else { None };
    let width = columns.map_or(COLUMNS.0, |columns| columns.min(COLUMNS.1));
    let has_bold = is_terminal && super::play::palette() != Palette::Mono;
    for line in markdown::render(rules, width) {
        writeln!(out, "{}", if has_bold { line.ansi() } else { line.text() })?;
    }
    Ok(())
}
