//! How a worker works, and what it has done.

use std::path::PathBuf;

use rookery_live::Stopping;

use crate::bots::BotRoom;
use crate::broker::Access;
use crate::{PROTOCOL, RULES};

/// How a worker works.
#[derive(Clone, Debug)]
pub struct WorkerConfig {
    /// The broker.
    pub access: Access,
    /// What it is called: letters, digits, `_` and `-`.
    pub name: String,
    /// How many games at a time.
    pub slots: usize,
    /// The file for finished games that are not delivered yet.
    pub spool: PathBuf,
    /// When it is to stop: the first request takes no new game, and what is running at the end of the grace is given back.
    pub stopping: Stopping,
    /// Which version of the protocol it speaks.
    pub protocol: u32,
    /// Which rules it plays by.
    pub rules: String,
    /// Where bots of others are kept and confined; without it only built-in players play.
    pub bots: Option<BotRoom>,
    /// How fast this machine is ([`speed`](crate::calibrate::speed)), if it was measured.
    pub speed: Option<u32>,
    /// Whether games with clocks are begun although others use this machine.
    pub clocks_when_busy: bool,
}

impl WorkerConfig {
    /// The usual.
    pub fn new(access: Access, name: &str, slots: usize, spool: PathBuf, stopping: Stopping) -> Self {
        let (name, protocol, rules) = (name.to_owned(), PROTOCOL, RULES.to_owned());
        let (bots, speed, clocks_when_busy) = (None, None, false);
        Self { access, name, slots, spool, stopping, protocol, rules, bots, speed, clocks_when_busy }
    }
}

/// What a worker has done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Worked {
    /// Games that were delivered and count.
    pub stored: u64,
    /// Games that do not count.
    pub dropped: u64,
    /// Games that could not be played, or were given back.
    pub unfinished: u64,
    /// Finished games that wait on the disk for the next start.
    pub undelivered: u64,
}
