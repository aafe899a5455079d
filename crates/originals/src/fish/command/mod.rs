//! `rookery fish`: what only this game has.

use std::io::Write;
use std::process::ExitCode;

mod harness;
mod notices;
mod observe;
mod xclient;
mod xserver;

use indicatif::MultiProgress;

use super::Harness;
use crate::ErrorOutput;

/// What the game's own system can do.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
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
}

/// Carries it out. `screen` is what moving pictures are drawn on, if there is a terminal for them.
pub fn run(
    command: &Command,
    out: &mut dyn Write,
    err: &ErrorOutput,
    screen: Option<MultiProgress>,
) -> anyhow::Result<ExitCode> {
    let done = match command {
        Command::Xserver(args) => return xserver::run(args, out, err, screen),
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
