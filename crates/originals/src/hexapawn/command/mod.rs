//! `rookery hexapawn`: what only this game has.

mod human;
mod learn;
mod player;
mod printer;
mod referee;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use clap::ValueEnum;
use rookery_live::Stopping;

use crate::ErrorOutput;
use crate::hexapawn::records;

/// Hexapawn's own system: a referee, players, a machine that learns by losing
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rookery hexapawn referee --p1 first --p2 hard --log classic
  rookery hexapawn player --connect 127.0.0.1:4000 --player hard
  rookery hexapawn learn")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Referee(referee::Args),
    Player(player::Args),
    Learn(learn::Args),
}

impl Args {
    /// How long a running game may go on after the first request to stop; `None` where a signal just ends the program.
    pub fn grace(&self) -> Option<Duration> {
        match &self.what {
            What::Referee(args) => Some(args.stop.grace()),
            What::Player(_) | What::Learn(_) => None,
        }
    }
}

/// Carries it out. A match ends early when it is to stop; `go_on` is the command that goes on with its record.
pub fn run(
    args: &Args,
    out: &mut dyn Write,
    err: &ErrorOutput,
    stop: &Stopping,
    go_on: &str,
) -> anyhow::Result<ExitCode> {
    match &args.what {
        What::Referee(args) => referee::run(args, out, err, stop, go_on),
        What::Player(args) => player::run(args, out, err).map(|()| ExitCode::SUCCESS),
        What::Learn(args) => learn::run(args, out).map(|()| ExitCode::SUCCESS),
    }
}

/// Which spelling of the original is spoken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Dialect {
    /// As the original's description has it: move(..)
    Readme,
    /// As the original's program has it: mv(..)
    Code,
}

impl From<Dialect> for records::Dialect {
    fn from(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Readme => Self::Readme,
            Dialect::Code => Self::Code,
        }
    }
}
