//! `rookery fish play`: one game on the board of the tournaments.

use std::io::Write;
use std::process::ExitCode;

use rookery_referee::Entry;

use crate::commands::play;
use crate::spec::UsageError;

/// Play a game on the board of the tournaments, against computers or people at this terminal
///
/// The same as `rookery play fish:rows=5,cols=5,fish=2`, which has more options and other boards.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rookery fish play
  rookery fish play human minimax:depth=2 hard --plain")]
pub(super) struct Args {
    /// Two to four players in turn order, `human` for a person; by default you and `medium`
    #[arg(value_name = "PLAYER", num_args = 0..=4)]
    players: Vec<Entry>,

    /// Line by line instead of a full screen: for pipes and screen readers
    #[arg(long)]
    plain: bool,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let n_players = args.players.len().max(2);
    let spec = format!("fish:rows=5,cols=5,fish=2,players={n_players}");
    let spec = spec.parse().map_err(|error| UsageError(format!("{error}")))?;
    play::run(&play::Args::new(spec, args.players.clone(), args.plain), out)
}
