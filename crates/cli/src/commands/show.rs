//! `rookery show`: a board.

use std::io::Write;

use rookery_picture::{LastMove, Options, svg};
use rookery_terminal::clean;

use super::moves::Report;
use super::write_json;
use crate::spec::PositionArgs;
use crate::svg_file::SvgFile;

/// Print the board, or draw it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    position: PositionArgs,

    /// Draw the board into this file instead of printing it; a file that exists is overwritten, and - is the output
    #[arg(long, value_name = "OUT.svg", value_parser = SvgFile::parser())]
    svg: Option<SvgFile>,

    /// Print one JSON object
    #[arg(long, conflicts_with = "svg")]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery show hexapawn:rows=3,cols=3 --moves \"b2 axb2\"
  rookery show fish:players=4 --svg fish.svg
  rookery show stones --json

Keys of --json: game (the spec), position (one line, as --position reads it), board (as it is printed), to_move (the seat,
from 0; null when the game is over), moves (all legal ones); and when it is over outcome with winners and scores.";

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let (position, last) = args.position.position_and_last()?;
    if let Some(file) = &args.svg {
        let options = Options { last: last.as_ref().map(LastMove::from), ..Options::default() };
        if let Some(path) = file.write(&svg(&position.scene(), &options), out)? {
            writeln!(out, "wrote {}", clean(&path.display().to_string()))?;
        }
        return Ok(());
    }
    let game = &args.position.spec.text;
    if args.json {
        let mut report = Report::new(game, &*position);
        report.board = Some(position.board());
        return write_json(out, &report);
    }
    writeln!(out, "{game}")?;
    writeln!(out, "{}", position.board())?;
    Ok(writeln!(out, "position: {}", position.text())?)
}
