//! One way to stop for every command: Ctrl-C, SIGTERM and SIGHUP become requests of a [`Stopping`].

use std::io::{Write, stderr};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use rookery_live::{GRACE, Signal, Stopping};
use rookery_referee::write_duration;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// Watches signals for a command that stops where it is, and says so itself: at a terminal when the screen was given back.
/// `stop` is called at every signal.
pub(crate) fn watch_quietly(stop: impl Fn() + Send + 'static) -> anyhow::Result<Stopping> {
    watch_signals(Duration::ZERO, Some(Box::new(stop)))
}

/// A third request ends the program at once, whatever it does.
const PATIENCE: u32 = 2;

/// Watches signals from now on; the first says on standard error what happens now. Without a grace nothing is lost, and a
/// signal just ends the program.
pub(crate) fn watch(grace: Option<Duration>) -> anyhow::Result<Stopping> {
    match grace {
        Some(grace) => watch_signals(grace, None),
        None => Ok(Stopping::new(GRACE)),
    }
}

/// Tells whoever looks at standard error, unless the command does so itself.
fn watch_signals(grace: Duration, quiet: Option<Box<dyn Fn() + Send>>) -> anyhow::Result<Stopping> {
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
            if let Some(stop) = &quiet {
                stop();
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

/// The command line of this program, quoted for a shell.
pub(crate) fn this_command() -> String {
    quoted(&own_args())
}

/// The same with one more flag.
pub(crate) fn this_command_with(flag: &str) -> String {
    command_with(own_args(), flag)
}

fn own_args() -> Vec<String> {
    std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect()
}

fn command_with(mut args: Vec<String>, flag: &str) -> String {
    if !args.iter().any(|arg| arg == flag) {
        args.push(flag.to_owned());
    }
    quoted(&args)
}

fn quoted(args: &[String]) -> String {
    let args = args.iter().map(|arg| rookery_rules::text::shell_quoted(arg));
    std::iter::once("rookery".to_owned()).chain(args).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_that_goes_on_is_quoted_for_a_shell() {
        let args = ["match", "fish", "cmd:./my bot", "it's=hard", "--record", "a b"].map(str::to_owned);
        assert_eq!(
            command_with(args.to_vec(), "--resume"),
            r"rookery match fish 'cmd:./my bot' 'it'\''s=hard' --record 'a b' --resume"
        );
        let again = [args.as_slice(), &["--resume".to_owned()]].concat();
        assert_eq!(command_with(again.clone(), "--resume"), quoted(&again), "it is not said twice");
    }
}
