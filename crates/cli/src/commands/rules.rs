//! `rookery rules`: how a game is played.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use rookery_catalog::{AnyGame, game};
use rookery_terminal::detect::{Environment, Wanted};
use rookery_terminal::{Leave, Look, RulesScreen, markdown, run};

use super::play::{Here, LookArgs, has_screen};

/// Read the rules of a game, with boards to move on
///
/// On a terminal they are a page to read: Tab goes to the next board, Enter opens it to try moves. With --plain they are
/// printed as wide as the terminal; into a pipe or a file 80 columns wide.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The game's name, for example `hexapawn`
    #[arg(value_parser = game)]
    game: &'static dyn AnyGame,

    /// As they are written, in Markdown
    #[arg(long)]
    markdown: bool,

    /// Print them instead of showing them on the full screen
    #[arg(long)]
    plain: bool,

    #[command(flatten)]
    look: LookArgs,
}

const EXAMPLES: &str = "\
Examples:
  rookery rules hexapawn
  rookery rules fish | less
  rookery rules stones --markdown > stones.md";

/// The width where there is no terminal, and the widest that is easily read.
const COLUMNS: (usize, usize) = (80, 100);

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    if args.markdown {
        write!(out, "{}", args.game.rules())?;
    } else if args.plain || !has_screen() {
        print(args.game.rules(), out)?;
    } else {
        let here = Here::new()?;
        let left = read_on_screen(&here, args.game, args.look.look())?;
        return Ok(here.exit_code(left));
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows the rules until they are left.
pub(crate) fn read_on_screen(here: &Here, game: &'static dyn AnyGame, look: Look) -> anyhow::Result<Leave> {
    let mut screen = RulesScreen::new(game, here.runtime(), look);
    here.show(&mut screen)?;
    Ok(screen.leave().unwrap_or(Leave::Interrupted))
}

fn print(rules: &str, out: &mut dyn Write) -> anyhow::Result<()> {
    let is_terminal = io::stdout().is_terminal();
    let columns = if is_terminal { run::columns() } else { None };
    let width = columns.map_or(COLUMNS.0, |columns| columns.min(COLUMNS.1));
    let has_bold = is_terminal && Environment::here().look(Wanted::default()).has_colours();
    for line in markdown::render(rules, width) {
        writeln!(out, "{}", if has_bold { line.ansi() } else { line.text() })?;
    }
    Ok(())
}
