//! `rookery bench cluster`: what many machines cost and bring, in one run: the coordinator is this process, workers are processes
//! of their own.

#![cfg_attr(
    not(feature = "cluster"),
    allow(dead_code, reason = "what a command line says is read only where there are other machines")
)]

#[cfg(feature = "cluster")]
mod figures;
#[cfg(feature = "cluster")]
mod parts;

#[cfg(not(feature = "cluster"))]
use std::io::Write;
use std::path::PathBuf;

use crate::dispatch_args::DispatchArgs;

pub(super) const EXAMPLES: &str = "\
Examples:
  cargo xtask cluster --bench
  rookery bench cluster --dispatch nats://127.0.0.1:4222 --store postgres://rookery@127.0.0.1/empty
  rookery bench cluster --dispatch nats://127.0.0.1:4222 --store bench.db --games 500 --crowd 200 --seconds 2 --lease 3 --json

The broker and the database should do nothing else. Exit codes: 0 done, 1 something failed, 2 the command line is wrong.";

#[derive(Debug, clap::Args)]
pub(crate) struct ClusterArgs {
    #[command(flatten)]
    dispatch: DispatchArgs,

    /// The store of the coordinator: an empty database of PostgreSQL, or a new file; it is not empty afterwards
    #[arg(long, value_name = "FILE|URL", env = "ROOKERY_STORE", hide_env_values = true)]
    store: String,

    /// Trivial games for each figure of the way from the queue to the store
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(20..=1_000_000))]
    games: u64,

    /// Games that take their time, for two workers and for two bare processes
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(2..=100_000))]
    long_games: u64,

    /// Random games for each answer in them
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    playouts: u64,

    /// Simulated workers on one coordinator, beside a hundredth of them
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(100..=100_000))]
    crowd: u64,

    /// Seconds for which beats are sent
    #[arg(long, default_value_t = 20.0, value_parser = super::bench::seconds)]
    seconds: f64,

    /// Seconds of a lease
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(2..=600))]
    lease: u64,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// A process of `rookery bench cluster`. Nobody types this.
#[derive(Debug, clap::Args)]
pub(crate) struct PartArgs {
    #[command(subcommand)]
    what: Part,
}

#[derive(Debug, clap::Subcommand)]
enum Part {
    /// Plays the games of a file, one after the other
    Bare {
        /// What was agreed on each, a JSON object a line
        games: PathBuf,
    },
    /// Workers that play nothing
    Crowd {
        #[command(flatten)]
        dispatch: DispatchArgs,
        #[arg(long)]
        tournament: String,
        #[arg(long)]
        first: u64,
        #[arg(long)]
        workers: usize,
        #[arg(long)]
        pace_ms: u64,
        #[arg(long)]
        seconds: f64,
    },
}

#[cfg(not(feature = "cluster"))]
pub(super) fn run(_: &ClusterArgs, _: &mut dyn Write) -> anyhow::Result<()> {
    Err(crate::dispatch_args::without_cluster())
}

#[cfg(not(feature = "cluster"))]
pub(crate) fn part(_: &PartArgs, _: &mut dyn Write) -> anyhow::Result<()> {
    Err(crate::dispatch_args::without_cluster())
}

#[cfg(feature = "cluster")]
pub(super) use figures::run;
#[cfg(feature = "cluster")]
pub(crate) use parts::part;
