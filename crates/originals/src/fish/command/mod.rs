//! `rookery fish`: what only this game has.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

mod check;
mod harness;
mod notices;
mod observe;
mod xclient;
mod xserver;

use indicatif::MultiProgress;
use rookery_live::Stopping;

use super::Harness;
use crate::ErrorOutput;

/// What the game's own system can do.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    Xserver(xserver::Args),
    #[command(visible_alias = "xclients")]
    Xclient(xclient::Args),
    X1client(xclient::OneArgs),
    Check(check::Args),
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

impl Command {
    /// How long its games may go on when it is to stop; `None` if nothing is lost when it just ends.
    pub fn grace(&self) -> Option<Duration> {
        match self {
            Self::Xserver(args) => Some(args.grace()),
            Self::Check(_) => Some(Duration::ZERO),
            _ => None,
        }
    }
}

/// Carries it out. `screen` is what moving pictures are drawn on, if there is a terminal for them; `go_on` is the command
/// that goes on with the records of what was stopped.
pub fn run(
    command: &Command,
    out: &mut dyn Write,
    err: &ErrorOutput,
    screen: Option<MultiProgress>,
    stop: &Stopping,
    go_on: &str,
) -> anyhow::Result<ExitCode> {
    let done = match command {
        Command::Xserver(args) => return xserver::run(args, out, err, screen, stop, go_on),
        Command::Check(args) => return check::run(args, out, stop),
        Command::Xclient(args) => return xclient::run(args, err),
        Command::X1client(args) => return xclient::run_one(args, err),
        Command::Xboard => harness::run(Harness::Board, out),
        Command::Xstate => harness::run(Harness::State, out),
        Command::Xtree => harness::run(Harness::Tree, out),
        Command::Xstrategy => harness::run(Harness::Strategy, out),
        Command::Xref => harness::run(Harness::Ref, out),
        Command::Observe(args) => observe::run(args, out),
    };
    done.map(|()| ExitCode::SUCCESS)
}
