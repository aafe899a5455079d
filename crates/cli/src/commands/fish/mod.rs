//! `rookery fish`: what only this game has.

use std::io::Write;
use std::process::ExitCode;

mod harness;
mod observe;
mod xclient;

/// What only Fish has: clients of its tournaments, its test harnesses, a game to watch
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

const EXAMPLES: &str = "\
Examples:
  rookery fish xclients 5 12345
  echo '{\"position\":[0,0],\"board\":[[1,2],[3,4]]}' | rookery fish xboard
  rookery fish observe hard minimax --delay 500ms";

#[derive(Debug, clap::Subcommand)]
enum What {
    #[command(visible_alias = "xclients")]
    Xclient(xclient::Args),
    X1client(xclient::OneArgs),
    /// Say how many tiles a penguin could reach from a place of a board
    #[command(after_help = harness::BOARD)]
    Xboard,
    /// Make the first penguin's first possible step in a state
    #[command(after_help = harness::STATE)]
    Xstate,
    /// Follow a move of the first player with one of the next
    #[command(after_help = harness::TREE)]
    Xtree,
    /// Say what the house player does in a state
    #[command(after_help = harness::STRATEGY)]
    Xstrategy,
    /// Play a game between house players, and name the winners
    #[command(after_help = harness::REF)]
    Xref,
    Observe(observe::Args),
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    use rookery_protocols::fish::Harness;
    let done = match &args.what {
        What::Xclient(args) => return xclient::run(args),
        What::X1client(args) => return xclient::run_one(args),
        What::Xboard => harness::run(Harness::Board, out),
        What::Xstate => harness::run(Harness::State, out),
        What::Xtree => harness::run(Harness::Tree, out),
        What::Xstrategy => harness::run(Harness::Strategy, out),
        What::Xref => harness::run(Harness::Ref, out),
        What::Observe(args) => observe::run(args, out),
    };
    done.map(|()| ExitCode::SUCCESS)
}
