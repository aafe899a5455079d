//! How the machines do, for operators.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::broker::Access;
use crate::subjects::Subjects;
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
    /// What was found of workers beside the judgement of each record.
    #[serde(default)]
    pub trust: TrustStatus,
}

/// What was found of workers, since this coordinator began. The audit table has all of it.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct TrustStatus {
    /// Which share of the games that follow from their seeds is played again.
    pub replay_share: f64,
    /// Games that were played again and are the same.
    pub equal: u64,
    /// Games that are not.
    pub differing: u64,
    /// Games that wait to be played again, or are.
    pub open: u64,
    /// Games that could not be played again.
    pub unplayed: u64,
    /// Games that were not played again because there was no other worker, or too much to do.
    pub skipped: u64,
    /// The last games that are not the same.
    pub differences: Vec<Difference>,
    /// Workers whose games end otherwise than those of the others.
    pub flags: Vec<Flag>,
}

impl TrustStatus {
    /// In a few words, if there is anything to say.
    pub fn words(&self) -> Option<String> {
        let Self { equal, differing, open, unplayed, skipped, .. } = self;
        let is_quiet = [equal, differing, open, unplayed, skipped].into_iter().all(|n| *n == 0);
        (!is_quiet).then(|| {
            format!(
                "played again by another worker: {equal} the same, {differing} not the same, {open} open, {unplayed} could not \
                 be replayed, {skipped} skipped"
            )
        })
    }
}

/// A game that is not the same when it is played again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Difference {
    /// Which.
    pub job: JobId,
    /// Who has played it; this record is stored.
    pub first: String,
    /// What that record hashes to.
    pub first_sha256: String,
    /// Who has played it again.
    pub second: String,
    /// What came of that.
    pub second_sha256: String,
}

/// A worker that is unlike the others.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Flag {
    /// Which.
    pub worker: String,
    /// In what: `results`, `time-outs` or `crashes`.
    pub aspect: String,
    /// How many of its games can be compared.
    pub games: u64,
    /// What it has.
    pub observed: f64,
    /// What it would have, were it like the others.
    pub expected: f64,
    /// How likely as much or more is by chance, with all tests together.
    pub p: f64,
    /// The same in a few words.
    pub what: String,
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
    /// How fast its machine is: thousandths of a fixed game that a second of processor time is good for.
    #[serde(default)]
    pub speed: Option<u32>,
    /// The same beside the worker in the middle of all.
    #[serde(default)]
    pub beside_median: Option<f64>,
    /// The share of its processor time that others have taken lately.
    #[serde(default)]
    pub steal: Option<f64>,
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
    message::read_long(&answer)
        .ok_or_else(|| ClusterError::Broker("the coordinator's answer cannot be read".to_owned()))
}

/// Has parked jobs tried again, those that are named or all, because `actor` wants it. How many there were.
pub async fn retry(access: &Access, jobs: &[JobId], actor: &str) -> Result<u64, ClusterError> {
    let answer = ask(access, "retry", message::write(&(jobs, actor))).await?;
    message::read(&answer)
        .ok_or_else(|| ClusterError::Broker("the coordinator's answer cannot be read".to_owned()))
}

/// What stands in the audit table, the latest first: who did what, about what, and when in milliseconds since 1970.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Audited {
    /// When.
    pub at_ms: i64,
    /// Who.
    pub actor: String,
    /// What it did.
    pub act: String,
    /// About what.
    pub subject: String,
}

/// Asks the coordinator for the last entries of the audit table.
pub async fn audit(access: &Access) -> Result<Vec<Audited>, ClusterError> {
    let answer = ask(access, "audit", vec![]).await?;
    message::read(&answer)
        .ok_or_else(|| ClusterError::Broker("the coordinator's answer cannot be read".to_owned()))
}

async fn ask(access: &Access, what: &str, body: Vec<u8>) -> Result<Vec<u8>, ClusterError> {
    let client = access.connect("operator", false).await?;
    let asked = client.request(Subjects::OWN.operator(what), body.into());
    let failed = |why: &str| {
        ClusterError::Broker(format!(
            "no coordinator answers: {why}; is a `rookery serve --dispatch` or `tournament run --dispatch` running?"
        ))
    };
    let answer = tokio::time::timeout(PATIENCE, asked).await.map_err(|_| failed("it takes too long"))?;
    Ok(answer.map_err(|error| failed(&error.to_string()))?.payload.to_vec())
}
