//! What a coordinator has decided.

use super::{Answer, Claim, Job, Lost, Name};

/// What is to be done, in this order, once the rows are committed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect<K> {
    /// The row of a job is this now.
    Write(K, Job),
    /// The job needs no row any more.
    Delete(K),
    /// An attempt came to nothing: keep who tried, and why.
    Ended {
        /// The attempt and its lease.
        claim: Claim<K>,
        /// Who tried.
        worker: Name,
        /// Why.
        lost: Lost,
    },
    /// The record that came with this goes into the store with the rows.
    Store(Claim<K>),
    /// Tell workers that there is a job.
    Notify {
        /// The job.
        key: K,
        /// Which attempt.
        attempt: u32,
        /// How many notifications of it this coordinator has sent, with this one.
        number: u32,
    },
    /// Tell a worker.
    Answer(Name, Answer<K>),
    /// Whoever waits for the game hears of it.
    Finished(K, Done),
    /// The operator should know.
    Alarm {
        /// About whom.
        worker: Name,
        /// About what.
        claim: Claim<K>,
        /// What happened.
        what: String,
    },
}

/// How a job ended, for whoever waits for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Done {
    /// The game of this attempt is stored.
    Stored(u32),
    /// It failed too often.
    Parked,
}
