//! `rookery show`: a board.

use std::io::Write;

use crate::spec::PositionArgs;

/// Print the board
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    position: PositionArgs,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let position = args.position.position()?;
    writeln!(out, "{}", args.position.spec.text)?;
    writeln!(out, "{}", position.board())?;
    Ok(writeln!(out, "position: {}", position.text())?)
}
