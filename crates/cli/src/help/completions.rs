//! `rookery completions`: what a shell must know to complete commands.

use std::io::Write;

use clap_complete::Shell;

/// Write a script that lets a shell complete commands
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
    clap_complete::generate(args.shell, &mut crate::command(), "rookery", &mut script);
    Ok(out.write_all(&script)?)
}
