//! How the machines do, for operators.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::broker::{Access, operator_subject};
use crate::{ClusterError, JobId, message};

/// How long a coordinator may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// How everything stands.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Status {
    /// The version of what is said.
    pub protocol: u32,
    /// The version of the rules.
    pub rules: String,
    /// How long this coordinator has been one, in seconds.
    pub up_seconds: u64,
    /// Games stored since then.
    pub stored: u64,
    /// Records that were refused since then.
    pub refused: u64,
    /// Games a second, over the last minute.
    pub games_a_second: f64,
    /// The workers that were heard of.
    pub workers: Vec<WorkerStatus>,
    /// The tournaments that are played.
    pub tournaments: Vec<TournamentStatus>,
    /// Jobs that failed too often.
    pub parked: Vec<ParkedJob>,
}

/// A worker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WorkerStatus {
    /// What it is called.
    pub name: String,
    /// How many games it can play at a time.
    pub slots: u32,
    /// How many it plays.
    pub playing: u32,
    /// How many of its games count, since this coordinator began.
    pub games: u64,
    /// How many attempts it lost.
    pub lost: u64,
    /// How long ago it was heard of, in milliseconds.
    pub silent_ms: u64,
    /// Why it plays fewer games than it could, if it does.
    pub idle: Option<String>,
}

/// A tournament.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TournamentStatus {
    /// Which.
    pub id: String,
    /// Jobs that wait.
    pub queued: usize,
    /// Jobs that are played.
    pub leased: usize,
    /// Jobs that are done.
    pub done: usize,
    /// Jobs that failed too often.
    pub parked: usize,
}

/// A job that failed too often.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ParkedJob {
    /// Which.
    pub job: JobId,
    /// Which attempt would be the next.
    pub attempt: u32,
    /// Who has lost the last one.
    pub last: Option<String>,
}

/// Asks the coordinator how everything stands.
pub async fn status(access: &Access) -> Result<Status, ClusterError> {
    let answer = ask(access, "status", vec![]).await?;
    message::read(&answer)
        .ok_or_else(|| ClusterError::Broker("the coordinator's answer cannot be read".to_owned()))
}

/// Has parked jobs tried again: those that are named, or all. How many there were.
pub async fn retry(access: &Access, jobs: &[JobId]) -> Result<u64, ClusterError> {
    let answer = ask(access, "retry", message::write(jobs)).await?;
    message::read(&answer)
        .ok_or_else(|| ClusterError::Broker("the coordinator's answer cannot be read".to_owned()))
}

async fn ask(access: &Access, what: &str, body: Vec<u8>) -> Result<Vec<u8>, ClusterError> {
    let client = access.connect("operator", false).await?;
    let asked = client.request(operator_subject(what), body.into());
    let failed = |why: &str| {
        ClusterError::Broker(format!(
            "no coordinator answers: {why}; is a `rookery serve --dispatch` or `tournament run --dispatch` running?"
        ))
    };
    let answer = tokio::time::timeout(PATIENCE, asked).await.map_err(|_| failed("it takes too long"))?;
    Ok(answer.map_err(|error| failed(&error.to_string()))?.payload.to_vec())
}
