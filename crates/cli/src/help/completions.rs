//! `rookery completions`: what a shell must know to complete commands.

use std::ffi::OsStr;
use std::io::Write;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};
use clap_complete::Shell;
use rookery_catalog::CATALOG;

/// Write a script that lets a shell complete commands, games and players
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  rookery completions bash > ~/.local/share/bash-completion/completions/rookery
  rookery completions zsh > ~/.zfunc/_rookery
  rookery completions fish > ~/.config/fish/completions/rookery.fish
  rookery completions elvish >> ~/.config/elvish/rc.elv
  rookery completions powershell >> $PROFILE";

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    // Into memory first: the generator panics if its output fails, and a closed pipe is no reason to.
    let mut script = vec![];
    clap_complete::generate(
        args.shell,
        &mut with_names(crate::command(), args.shell),
        "rookery",
        &mut script,
    );
    Ok(out.write_all(&script)?)
}

/// The command, with the names of games and players where they are asked for. Only for completions: a spec has more to
/// it than a name, so help and errors do not list them as if they were all.
fn with_names(command: Command, shell: Shell) -> Command {
    let plays = command.get_name() == "play";
    command
        .mut_args(|arg| match offered(&arg, plays, shell) {
            Some(names) => arg.value_parser(Offers(names)),
            None => arg,
        })
        .mut_subcommands(|sub| with_names(sub, shell))
}

/// What is offered for an argument, which its placeholder tells.
fn offered(arg: &Arg, plays: bool, shell: Shell) -> Option<Vec<&'static str>> {
    match arg.get_value_names()?.first()?.as_str() {
        "GAME" | "GAME-SPEC" => Some(games()),
        // zsh offers no files beside names, and records are files.
        "RECORD|GAME-SPEC" if shell != Shell::Zsh => Some(games()),
        "PLAYER" if plays => Some(["human"].into_iter().chain(players()).collect()),
        "PLAYER" => Some(players()),
        _ => None,
    }
}

fn games() -> Vec<&'static str> {
    CATALOG.iter().map(|game| game.name()).collect()
}

/// Every built-in player that some game has, each once.
fn players() -> Vec<&'static str> {
    let mut names: Vec<&str> = vec![];
    for info in CATALOG.iter().flat_map(|game| game.players()) {
        if !names.contains(&info.name) {
            names.push(info.name);
        }
    }
    names
}

/// Takes any text, and offers some.
#[derive(Clone)]
struct Offers(Vec<&'static str>);

impl TypedValueParser for Offers {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(PossibleValue::new)))
    }
}
