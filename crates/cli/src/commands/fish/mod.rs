//! `rookery fish`: what only this game has.

use std::io::Write;
use std::process::ExitCode;

mod notices;
mod xserver;

/// What only Fish has: a server of its tournaments
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Xserver(xserver::Args),
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match &args.what {
        What::Xserver(args) => xserver::run(args, out),
    }
}
