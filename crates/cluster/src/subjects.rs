//! What is said where on the broker.

use std::fmt::Display;

use crate::PROTOCOL;
use crate::broker::STREAM;

/// The subjects of one version of the protocol. The version is a word of each of them, so that several can share a broker and
/// nobody gets a message that it cannot read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subjects {
    /// Which version; none for a pattern that fits all of them.
    protocol: Option<u32>,
}

impl Subjects {
    /// Those of the version that this program speaks.
    pub const OWN: Self = Self::of(PROTOCOL);
    /// Patterns for those of all versions.
    #[cfg(unix)]
    pub(crate) const ANY: Self = Self { protocol: None };

    /// Those of a version.
    pub const fn of(protocol: u32) -> Self {
        Self { protocol: Some(protocol) }
    }

    fn subject(self, rest: impl Display) -> String {
        match self.protocol {
            Some(protocol) => format!("rookery.{protocol}.{rest}"),
            None => format!("rookery.*.{rest}"),
        }
    }

    /// Where workers ask: each at a subject of its own.
    pub fn ask(self, worker: &str) -> String {
        self.subject(format_args!("ask.{worker}"))
    }

    /// Where workers send records.
    pub fn record(self, worker: &str) -> String {
        self.subject(format_args!("record.{worker}"))
    }

    /// Where a worker is answered.
    pub fn tell(self, worker: &str) -> String {
        self.subject(format_args!("tell.{worker}"))
    }

    /// Where spectators ask a worker for a game that it plays.
    pub fn look(self, worker: &str) -> String {
        self.subject(format_args!("look.{worker}"))
    }

    /// Where a worker shows a game to spectators.
    pub fn show(self, worker: &str, game: &str) -> String {
        self.subject(format_args!("show.{worker}.{game}"))
    }

    /// Where a worker asks for the bots of a game that it plays.
    pub fn bundle(self, worker: &str) -> String {
        self.subject(format_args!("bundle.{worker}"))
    }

    /// Where operators ask the coordinator.
    pub fn operator(self, what: &str) -> String {
        self.subject(format_args!("operator.{what}"))
    }

    /// Where notifications for this version of the rules are published.
    pub fn jobs(self, rules: &str) -> String {
        self.subject(format_args!("jobs.{}", word(rules)))
    }

    /// The consumer of the notifications for this version of the rules.
    pub fn consumer(self, rules: &str) -> String {
        format!("workers-{}-{}", self.protocol.unwrap_or_default(), word(rules))
    }

    /// Where the next notifications are requested.
    pub fn next(self, rules: &str) -> String {
        format!("$JS.API.CONSUMER.MSG.NEXT.{STREAM}.{}", self.consumer(rules))
    }
}

/// A version as one word of a subject.
fn word(rules: &str) -> String {
    rules.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
