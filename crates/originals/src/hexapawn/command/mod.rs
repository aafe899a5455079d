//! `rookery hexapawn`: what only this game has.

mod human;
mod learn;
mod player;
mod printer;
mod referee;
mod seats;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use clap::ValueEnum;
use rookery_referee::{ParseTimeError, parse_duration};

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

/// Carries it out.
pub fn run(args: &Args, out: &mut dyn Write, err: &ErrorOutput) -> anyhow::Result<ExitCode> {
    match &args.what {
        What::Referee(args) => referee::run(args, out, err),
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

/// A time that may also be nothing.
fn duration_or_zero(text: &str) -> Result<Duration, ParseTimeError> {
    if matches!(text, "0" | "0s" | "0ms") { Ok(Duration::ZERO) } else { parse_duration(text) }
}
