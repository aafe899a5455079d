//! One way to stop for every command: Ctrl-C, SIGTERM and SIGHUP become requests of a [`Stopping`].

use std::io::{Write, stderr};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use rookery_live::{GRACE, Signal, Stopping};
use rookery_referee::{parse_duration_or_zero, write_duration};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// The flag of every command that plays games.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct StopArgs {
    /// How long running games may go on after the first Ctrl-C; 0s stops them at once
    #[arg(long, value_name = "TIME", default_value_t = Grace(GRACE), value_parser = grace)]
    grace: Grace,
}

#[derive(Clone, Copy, Debug)]
struct Grace(Duration);

impl std::fmt::Display for Grace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&write_duration(self.0))
    }
}

fn grace(text: &str) -> Result<Grace, rookery_rules::ParseDurationError> {
    parse_duration_or_zero(text).map(Grace)
}

impl StopArgs {
    /// Watches signals from now on; the first says on standard error what happens now.
    pub(crate) fn watch(self) -> anyhow::Result<Stopping> {
        watch(Some(self.grace.0))
    }
}

/// Watches signals for whoever plays or watches at this terminal: the match stops where it is, and what is said about it is
/// said when the screen was given back.
pub(crate) fn watch_quietly() -> anyhow::Result<Stopping> {
    watch_signals(Duration::ZERO, false)
}

/// A third request ends the program at once, whatever it does.
const PATIENCE: u32 = 2;

/// The same for a command that has its own flag. Without a grace nothing is lost, and a signal just ends the program.
pub(crate) fn watch(grace: Option<Duration>) -> anyhow::Result<Stopping> {
    match grace {
        Some(grace) => watch_signals(grace, true),
        None => Ok(Stopping::new(GRACE)),
    }
}

fn watch_signals(grace: Duration, tells: bool) -> anyhow::Result<Stopping> {
    let stopping = Stopping::new(grace);
    let watched = [
        SIGINT,
        SIGTERM,
        #[cfg(unix)]
        signal_hook::consts::SIGHUP,
    ];
    let mut signals = Signals::new(watched).context("signals cannot be watched")?;
    let telling = stopping.clone();
    thread::spawn(move || {
        for (n, signal) in (1..).zip(signals.forever()) {
            let signal = if signal == SIGTERM { Signal::Terminate } else { Signal::Interrupt };
            let first = telling.request(signal);
            if n > PATIENCE {
                std::process::exit(telling.exit_code().unwrap_or(130).into());
            }
            if !tells {
                continue;
            }
            // Whoever closed our standard error wants to hear nothing.
            let _ = if !first {
                writeln!(stderr(), "\nstopping at once")
            } else if grace.is_zero() {
                writeln!(stderr(), "\nstopping: running games stop where they are")
            } else {
                let grace = write_duration(grace);
                writeln!(
                    stderr(),
                    "\nstopping: no new game begins, and running ones have {grace} to end; once more stops them at once"
                )
            };
        }
    });
    Ok(stopping)
}

/// The command line of this program with one more flag, quoted for a shell.
pub(crate) fn this_command_with(flag: &str) -> String {
    let args: Vec<String> =
        std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    command_with(&args, flag)
}

fn command_with(args: &[String], flag: &str) -> String {
    let mut words: Vec<String> = std::iter::once("rookery".to_owned())
        .chain(args.iter().map(|arg| rookery_rules::text::shell_quoted(arg)))
        .collect();
    if !args.iter().any(|arg| arg == flag) {
        words.push(flag.to_owned());
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_that_goes_on_is_quoted_for_a_shell() {
        let args = ["match", "fish", "cmd:./my bot", "it's=hard", "--record", "a b"].map(str::to_owned);
        assert_eq!(
            command_with(&args, "--resume"),
            r"rookery match fish 'cmd:./my bot' 'it'\''s=hard' --record 'a b' --resume"
        );
        let again = [args.as_slice(), &["--resume".to_owned()]].concat();
        assert_eq!(command_with(&again, "--resume"), command_with(&args, "--resume"), "it is not said twice");
    }
}
