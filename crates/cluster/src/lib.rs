//! Games played on other machines.
//!
//! The store is the truth and the broker (NATS `JetStream`) only wakes workers up: a coordinator keeps the rows of jobs and sends notifications, workers
//! claim, play and send whole records back, and every record is judged again by the rules before it is stored. [`core`] is the
//! protocol without I/O; [`Remote`] runs its one side on a store, [`worker`] the other one on a machine that plays. `docs/cluster.md`
//! has the roles, what can fail, and figures.

pub mod bench;
mod bots;
pub mod broker;
mod bundles;
mod by_clock;
pub mod calibrate;
pub mod core;
mod counted;
pub mod doctor;
mod effects;
mod error;
#[cfg(test)]
mod fingerprint;
mod fitness;
mod gallery;
mod incoming;
mod judge;
mod judging;
mod key;
mod limit;
mod liveness;
pub mod machine;
mod message;
mod names;
mod outage;
pub mod outliers;
mod overview;
mod ownership;
mod player;
pub mod reading;
mod refused;
mod remote;
mod rows;
mod scale;
mod server;
mod spool;
pub mod status;
pub mod subjects;
mod trust;
mod unheard;
#[cfg(unix)]
pub mod users;
mod versions;
mod watching;
pub mod worker;
mod worker_config;

pub use bots::BotRoom;
pub use broker::Address;
pub use error::ClusterError;
pub use gallery::Spectator;
pub use judge::judge;
pub use key::JobId;
pub use remote::{Remote, RemoteConfig};

/// The version of what coordinator and workers say to each other, with the header of records: part of every subject, so that two
/// versions can share a broker. A field more is another version, since whoever does not know it refuses the whole.
pub const PROTOCOL: u32 = 2;

/// By which rules and players this build plays, as its version and a hash over their sources: the same seed gives the same record only
/// within one. Part of the subject of jobs, so that nobody is given a job that it would play differently.
pub const RULES: &str = concat!(env!("CARGO_PKG_VERSION"), "-", env!("ROOKERY_FINGERPRINT"));
