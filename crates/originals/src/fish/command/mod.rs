//! `rookery fish`: what only this game has.

use std::io::Write;
use std::process::ExitCode;

mod harness;
mod notices;
mod observe;
mod play;
mod xclient;
mod xserver;

/// Fish's own system: tournaments over TCP, clients, test harnesses, a game
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

const EXAMPLES: &str = "\
Examples:
  rookery fish xserver 12345
  rookery fish xclients 5 12345
  echo '{\"position\":[0,0],\"board\":[[1,2],[3,4]]}' | rookery fish xboard
  rookery fish observe hard minimax --delay 500ms
  rookery fish play";

#[derive(Debug, clap::Subcommand)]
enum What {
    Xserver(xserver::Args),
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
    Play(play::Args),
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    use rookery_protocols::fish::Harness;
    let done = match &args.what {
        What::Xserver(args) => return xserver::run(args, out),
        What::Xclient(args) => return xclient::run(args),
        What::X1client(args) => return xclient::run_one(args),
        What::Xboard => harness::run(Harness::Board, out),
        What::Xstate => harness::run(Harness::State, out),
        What::Xtree => harness::run(Harness::Tree, out),
        What::Xstrategy => harness::run(Harness::Strategy, out),
        What::Xref => harness::run(Harness::Ref, out),
        What::Observe(args) => observe::run(args, out),
        What::Play(args) => return play::run(args, out),
    };
    done.map(|()| ExitCode::SUCCESS)
}
