//! `rookery tournament`: many players, many games, one table; kept in a store, stopped and gone on with at any time.

mod agreed;
mod bots;
mod details;
mod entry;
mod hand_back;
mod held;
mod openings;
mod run;
mod show;
mod sign_up;
mod started;
mod trials;

use std::io::Write;
use std::process::ExitCode;

pub(crate) use show::{evaluate, rate};

/// Hold a tournament and keep everything in a store
///
/// Formats: series, round-robin, swiss, knock-out, fish-knock-out, gauntlet, ladder, sprt (docs/formats.md). A finished game is on
/// the disk before its result counts: whatever happens, `rookery tournament resume` goes on where it stopped.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Run(Box<run::Args>),
    Resume(run::ResumeArgs),
    Enter(entry::EnterArgs),
    Withdraw(entry::WithdrawArgs),
    Status(show::StatusArgs),
    Show(show::Args),
    Export(hand_back::Args),
}

const EXAMPLES: &str = "\
Examples:
  rookery tournament run --format round-robin hexapawn easy medium hard
  rookery tournament run --format swiss --rounds 9 --bots bots/ --tc 1s+50ms fish:players=2
  rookery tournament run evening.toml --dry-run
  rookery tournament resume
  rookery tournament show --format html > report.html

Exit codes: 0 done, 1 failed, 2 the command line is wrong, 3 some games failed because of us, 65 the store is damaged, 74
the disk fails or is full, 75 another program writes into the store, 98 a port is taken, 130 or 143 interrupted.";

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match &args.command {
        Command::Run(args) => run::run(args, out),
        Command::Resume(args) => run::resume(args, out),
        Command::Enter(args) => entry::enter(args, out),
        Command::Withdraw(args) => entry::withdraw(args, out),
        Command::Status(args) => show::status(args, out),
        Command::Show(args) => show::run(args, out),
        Command::Export(args) => hand_back::run(args, out),
    }
}
