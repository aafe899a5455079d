//! Other machines that play games for this server, as the operator sees them.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use serde::Serialize;

use crate::http::shape;

/// An answer that may take a while, or why there is none.
pub type Answering<'a, T> = Pin<Box<dyn Future<Output = Result<T, NoAnswer>> + Send + 'a>>;

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoAnswer {
    /// Nobody answers now; later perhaps.
    Away(String),
    /// What was asked cannot be.
    Wrong(String),
}

/// Whoever knows how other machines do. It may have to ask another server, which may not answer.
pub trait Machines: Send + Sync + fmt::Debug {
    /// How everything stands, or why that cannot be said.
    fn overview(&self) -> Answering<'_, MachinesData>;

    /// Has parked games tried again, those that are named or all, because `actor` wants it: how many there were.
    fn retry(&self, jobs: Vec<String>, actor: String) -> Answering<'_, u64>;
}

/// How other machines do.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct MachinesData {
    /// Whether games are played on other machines at all.
    pub dispatched: bool,
    /// How long the coordinator has been one, in seconds. What is counted begins there.
    pub up_seconds: u64,
    /// Games stored.
    pub stored: u64,
    /// Records that were refused.
    pub refused: u64,
    /// Games a second, over the last minute.
    pub games_a_second: f64,
    /// The workers that were heard of.
    pub workers: Vec<WorkerData>,
    /// What waits, by tournament.
    pub queue: Vec<QueueData>,
    /// Games that failed too often, and wait for the operator.
    pub parked: Vec<ParkedData>,
    /// How games ended that were played again by another worker, in words, if there are any.
    pub played_again: Option<String>,
}

/// A worker.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct WorkerData {
    /// What it is called.
    pub name: String,
    /// How many games it can play at a time.
    pub slots: u64,
    /// How many it plays.
    pub playing: u64,
    /// How many of its games count.
    pub games: u64,
    /// How many games it has lost.
    pub lost: u64,
    /// How long ago it was heard of, in milliseconds.
    pub silent_ms: u64,
    /// How fast its machine is, as it measured at its start.
    pub speed: Option<u64>,
    /// The same beside the worker in the middle of all.
    pub beside_median: Option<f64>,
    /// The share of its processor time that others have taken lately.
    pub steal: Option<f64>,
    /// Why it plays fewer games than it could, if it does.
    pub idle: Option<String>,
    /// In what its games are unlike those of the others, in words.
    pub flags: Vec<String>,
}

/// What of a tournament is where.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct QueueData {
    /// Which.
    pub tournament: String,
    /// Games that wait.
    pub waiting: u64,
    /// Games that are played.
    pub playing: u64,
    /// Games that are done.
    pub done: u64,
    /// Games that failed too often.
    pub parked: u64,
}

/// A game that failed too often.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct ParkedData {
    /// Which: the tournament, and the game in it.
    pub job: String,
    /// Of which tournament.
    pub tournament: String,
    /// Which attempt would be the next.
    pub attempt: u64,
    /// Who has lost the last one.
    pub last: Option<String>,
}

shape!(MachinesData {
    dispatched: bool,
    up_seconds: u64,
    stored: u64,
    refused: u64,
    games_a_second: f64,
    workers: Vec<WorkerData>,
    queue: Vec<QueueData>,
    parked: Vec<ParkedData>,
    played_again: Option<String>,
});
shape!(WorkerData {
    name: String,
    slots: u64,
    playing: u64,
    games: u64,
    lost: u64,
    silent_ms: u64,
    speed: Option<u64>,
    beside_median: Option<f64>,
    steal: Option<f64>,
    idle: Option<String>,
    flags: Vec<String>,
});
shape!(QueueData { tournament: String, waiting: u64, playing: u64, done: u64, parked: u64 });
shape!(ParkedData { job: String, tournament: String, attempt: u64, last: Option<String> });
