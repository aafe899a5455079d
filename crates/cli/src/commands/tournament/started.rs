//! How a tournament was started, kept in its store so that `resume` needs no flags.

use std::path::PathBuf;

use clap::Parser as _;
use rookery_rules::text::clean;
use serde::{Deserialize, Serialize};

use super::run::Args;
use crate::spec::UsageError;

/// How a tournament was started. No secrets: whoever may read a store reads this.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Started {
    pub(super) folder: PathBuf,
    args: Vec<String>,
    /// The level of the sandbox that its file demands. What is agreed may also have that of its bundles alone.
    #[serde(default)]
    pub(super) sandbox: Option<String>,
    /// Whether the games before the first round are over.
    #[serde(default = "yes")]
    pub(super) tried: bool,
    /// The broker, without its password, if its address has one and so is not among `args`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    broker: Option<String>,
}

/// Those that were kept before this was were tried before they were kept.
const fn yes() -> bool {
    true
}

/// A command line that was kept.
#[derive(Debug, clap::Parser)]
struct KeptLine {
    #[command(flatten)]
    args: Args,
}

impl Started {
    /// By the command line of this process.
    pub(super) fn now(folder: PathBuf, sandbox: Option<String>, tried: bool) -> Self {
        let words = std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned());
        let (args, broker) = without_secrets(words.skip_while(|arg| arg != "run").skip(1));
        Self { folder, args, sandbox, tried, broker }
    }

    /// The same once the games before the first round are over.
    pub(super) fn with_all_tried(self) -> Self {
        Self { tried: true, ..self }
    }

    /// What was said then.
    pub(super) fn first_args(&self) -> Result<Args, UsageError> {
        let line = std::iter::once("run".to_owned()).chain(self.args.iter().cloned());
        let KeptLine { args } = KeptLine::try_parse_from(line).map_err(|error| {
            UsageError(format!("the command that started the tournament cannot be read: {error}"))
        })?;
        match &self.broker {
            Some(broker) if args.how.dispatch.dispatch.is_none() => Err(UsageError(format!(
                "the games are played through {}, and the password for it is not kept; set ROOKERY_DISPATCH to the whole URL",
                clean(broker)
            ))),
            _ => Ok(args),
        }
    }
}

/// The words without the store, which `resume` is told anew, and without a broker's address that has a password; that
/// address as it may be shown.
fn without_secrets(words: impl Iterator<Item = String>) -> (Vec<String>, Option<String>) {
    let (mut kept, mut broker) = (vec![], None);
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        let (flag, joined) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        match flag {
            "--store" => {
                if joined.is_none() {
                    words.next();
                }
            }
            "--dispatch" => {
                let value = joined.clone().or_else(|| words.peek().cloned()).unwrap_or_default();
                match value.split_once("://").zip(value.rsplit_once('@')) {
                    Some(((scheme, _), (_, host))) => {
                        broker = Some(format!("{scheme}://{host}"));
                        if joined.is_none() {
                            words.next();
                        }
                    }
                    None => kept.push(word),
                }
            }
            _ => kept.push(word),
        }
    }
    (kept, broker)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> (Vec<String>, Option<String>) {
        without_secrets(words.iter().map(|word| (*word).to_owned()))
    }

    #[test]
    fn fault_s17_no_password_is_kept() {
        let url = "postgres://ann:swordfish@db/rookery";
        let joined = format!("--store={url}");
        for store in [&["--store", url][..], &[&joined]] {
            let words = [&["hexapawn", "a=easy"], store, &["hard", "--json"]].concat();
            assert_eq!(
                of(&words),
                (["hexapawn", "a=easy", "hard", "--json"].map(str::to_owned).to_vec(), None)
            );
        }
        let broker = "nats://ann:sword@fish@host:4222";
        let joined = format!("--dispatch={broker}");
        for dispatch in [&["--dispatch", broker][..], &[&joined]] {
            let (words, shown) = of(&[dispatch, &["hexapawn"]].concat());
            assert_eq!((words, shown.as_deref()), (vec!["hexapawn".to_owned()], Some("nats://host:4222")));
        }
        let plain = ["--dispatch", "nats://host:4222", "hexapawn"];
        assert_eq!(of(&plain), (plain.map(str::to_owned).to_vec(), None));
    }

    #[test]
    fn a_broker_whose_password_is_not_kept_is_asked_for() {
        let words = ["--dispatch", "nats://ann:swordfish@host:4222", "hexapawn", "random", "first"];
        let (args, broker) = of(&words);
        let started = Started { folder: PathBuf::new(), args, sandbox: None, tried: true, broker };
        let said = started.first_args().unwrap_err().to_string();
        assert!(said.contains("nats://host:4222") && said.contains("ROOKERY_DISPATCH"), "{said}");
    }
}
