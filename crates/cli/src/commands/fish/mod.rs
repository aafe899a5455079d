//! `rookery fish`: the game's own system, and the general commands that it has names for.

mod play;

use std::io::{self, IsTerminal as _, Write};
use std::process::ExitCode;

use indicatif::MultiProgress;
use rookery_originals::{ErrorOutput, fish};

use crate::stop;

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
  rookery fish check 'python3 client.py {port}'
  echo '{\"position\":[0,0],\"board\":[[1,2],[3,4]]}' | rookery fish xboard
  rookery fish observe hard minimax --delay 500ms
  rookery fish play";

#[derive(Debug, clap::Subcommand)]
enum What {
    #[command(flatten)]
    Original(Box<fish::command::Command>),
    Play(play::Args),
}

pub(crate) fn run(args: &Args, out: &mut dyn Write, err: &ErrorOutput) -> anyhow::Result<ExitCode> {
    match &args.what {
        What::Original(command) => {
            let screen = io::stderr().is_terminal().then(MultiProgress::new);
            let stop = stop::watch(command.grace())?;
            fish::command::run(command, out, err, screen, &stop, &stop::this_command_with("--resume"))
        }
        What::Play(args) => play::run(args, out),
    }
}
