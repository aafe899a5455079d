//! What coordinator and workers say to each other. Every message says what it is about, so that none depends on another.

use serde::{Deserialize, Serialize};

/// One attempt at a job, held by one lease.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Claim<K> {
    /// The job.
    pub key: K,
    /// Which attempt.
    pub attempt: u32,
    /// Which lease.
    pub fence: u64,
}

/// What a worker says. Records travel apart.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ask<K> {
    /// I am here, with room for so many games.
    Hello {
        /// How many games at a time.
        slots: u32,
    },
    /// I want to play this.
    Take {
        /// The job.
        key: K,
        /// Which attempt the bell was about.
        attempt: u32,
    },
    /// The game goes on.
    Beat {
        /// Which.
        claim: Claim<K>,
        /// The number of this beat, from 1.
        beat: u64,
    },
    /// I have not begun, and shall not.
    Release(Claim<K>),
    /// I cannot play this.
    Fail {
        /// What.
        claim: Claim<K>,
        /// Why.
        why: String,
    },
}

/// Why a job is not for the worker that asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// There is no such job.
    Unknown,
    /// It is played already.
    Done,
    /// Another attempt counts.
    Stale,
    /// Another worker has it.
    Taken,
    /// Another worker should try it first.
    Elsewhere,
    /// What came breaks the rules.
    Wrong,
    /// Another record of the same attempt is stored.
    Conflict,
}

/// What the coordinator answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer<K> {
    /// Play it.
    Granted {
        /// What.
        claim: Claim<K>,
        /// How long the lease lasts without a beat, in milliseconds.
        lease: u64,
    },
    /// Do not.
    Refused {
        /// The job.
        key: K,
        /// Which attempt.
        attempt: u32,
        /// Why not.
        why: Refusal,
    },
    /// The lease is over: stop.
    Stop(Claim<K>),
    /// The game is stored; nothing of it need be kept.
    Stored(Claim<K>),
    /// The game does not count; nothing of it need be kept.
    Dropped {
        /// Which.
        claim: Claim<K>,
        /// Why.
        why: Refusal,
    },
}
