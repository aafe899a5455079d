//! Games played on other machines.
//!
//! The store is the truth and the broker (NATS `JetStream`) only a bell: a coordinator keeps the rows of jobs and rings, workers
//! claim, play and send whole records back, and every record is judged again by the rules before it is stored. [`core`] is the
//! protocol without I/O; [`Remote`] runs its one side on a store, [`worker`] the other one on a machine that plays. `docs/cluster.md`
//! has the roles, what can fail, and figures.

pub mod broker;
pub mod core;
pub mod doctor;
mod error;
mod judge;
mod key;
mod message;
mod overview;
mod player;
mod remote;
mod rows;
mod server;
mod spool;
pub mod status;
#[cfg(unix)]
pub mod users;
pub mod worker;

pub use broker::Address;
pub use error::ClusterError;
pub use judge::judge;
pub use key::JobId;
pub use remote::{Remote, RemoteConfig};

/// The version of what coordinator and workers say to each other: part of every subject, so that two versions can share a broker.
pub const PROTOCOL: u32 = 1;

/// The version of rules and players: the same seed gives the same record only within one. Part of the subject of jobs, so that
/// nobody hears of a job that it would play differently.
pub const RULES: &str = env!("CARGO_PKG_VERSION");
