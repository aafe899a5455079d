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
        /// Which attempt the notification was about.
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
    /// Something about myself, for operators.
    About(About),
    /// I cannot play this.
    Fail {
        /// What.
        claim: Claim<K>,
        /// Why.
        why: String,
    },
}

impl<K> Ask<K> {
    /// The lease that it is about, if it is about one.
    pub fn claim(&self) -> Option<&Claim<K>> {
        match self {
            Self::Beat { claim, .. } | Self::Release(claim) | Self::Fail { claim, .. } => Some(claim),
            Self::Hello { .. } | Self::About(_) | Self::Take { .. } => None,
        }
    }

    /// The job that it is about; none if it is about the worker.
    pub fn key(&self) -> Option<&K> {
        match self {
            Self::Take { key, .. } => Some(key),
            _ => self.claim().map(|claim| &claim.key),
        }
    }
}

/// What a worker says of itself.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct About {
    /// Why it does not take games that it hears of, if there are such.
    #[serde(default)]
    pub idle: Option<String>,
    /// How fast its machine is: thousandths of a fixed game that a second of processor time is good for.
    #[serde(default)]
    pub speed: Option<u32>,
    /// The share of its processor time that others have taken lately, in thousandths.
    #[serde(default)]
    pub steal: Option<u32>,
    /// How many finished games it has not delivered yet.
    #[serde(default)]
    pub spooled: u64,
    /// Whether it was told to stop, and takes no new game.
    #[serde(default)]
    pub draining: bool,
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
    /// It is to be played by other rules.
    Rules,
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
