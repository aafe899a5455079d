//! `rookery show`: a board.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use rookery_picture::{LastMove, Options, svg};

use crate::spec::PositionArgs;

/// Print the board, or draw it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    position: PositionArgs,

    /// Draw the board into this file instead of printing it; a file that exists is overwritten
    #[arg(long, value_name = "OUT.svg")]
    svg: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  rookery show hexapawn:rows=3,cols=3 --moves \"b2 axb2\"
  rookery show fish:players=4 --svg fish.svg";

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let (position, last) = args.position.position_and_last()?;
    if let Some(path) = &args.svg {
        let options = Options { last: last.as_ref().map(LastMove::from), ..Options::default() };
        fs::write(path, svg(&position.scene(), &options))
            .with_context(|| format!("the picture could not be written to {}", path.display()))?;
        return Ok(writeln!(out, "wrote {}", path.display())?);
    }
    writeln!(out, "{}", args.position.spec.text)?;
    writeln!(out, "{}", position.board())?;
    Ok(writeln!(out, "position: {}", position.text())?)
}
