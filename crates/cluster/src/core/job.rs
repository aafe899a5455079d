//! A job as it stands in its row.

use std::fmt::Debug;
use std::sync::Arc;

/// What a worker is called.
pub type Name = Arc<str>;
/// The SHA-256 of a record.
pub type Digest = [u8; 32];

/// Which game it is.
pub trait JobKey: Clone + Ord + Debug {
    /// What shares the workers fairly: a tournament.
    type Group: Clone + Ord + Debug;

    /// The one it belongs to.
    fn group(&self) -> Self::Group;
}

/// How far a job is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// It waits for a worker.
    Queued,
    /// A worker plays it.
    Leased {
        /// Which.
        worker: Name,
        /// Until when, in milliseconds of the database's clock.
        until: u64,
        /// How many beats have moved the deadline.
        beats: u64,
    },
    /// Its game is stored.
    Done {
        /// Who has played it.
        worker: Name,
        /// What the record hashes to.
        digest: Digest,
    },
    /// It failed too often, and waits for the operator.
    Parked,
}

/// A job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// Which attempt counts, from 1.
    pub attempt: u32,
    /// Grows with each lease.
    pub fence: u64,
    /// How many attempts were lost since somebody last looked at it.
    pub failures: u32,
    /// How far it is.
    pub state: State,
    /// Who has lost the attempt before, and should not be the next to try.
    pub last: Option<Name>,
}

impl Job {
    /// One that waits.
    pub fn queued(attempt: u32) -> Self {
        Self { attempt, fence: 0, failures: 0, state: State::Queued, last: None }
    }

    /// Whether this worker holds this lease.
    pub fn is_held_by(&self, name: &str, attempt: u32, fence: u64) -> bool {
        matches!(&self.state, State::Leased { worker, .. } if **worker == *name)
            && (self.attempt, self.fence) == (attempt, fence)
    }
}

/// Why an attempt came to nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lost {
    /// The worker was not heard of in time.
    Expired,
    /// The worker says that it cannot play it.
    Failed(String),
    /// What came is not a game by the rules.
    Refused(String),
    /// It went on for longer than such a game can.
    Endless,
}

/// How long things may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Terms {
    /// How long a lease lasts without a beat, in milliseconds.
    pub lease: u64,
    /// After how many lost attempts a job is parked.
    pub attempts: u32,
    /// How many notifications are out at least while there is work.
    pub window: usize,
}

impl Default for Terms {
    fn default() -> Self {
        Self { lease: 30_000, attempts: 3, window: 64 }
    }
}
