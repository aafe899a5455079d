//! How many games run at a time, and on which cores: the same flags for every command that plays many.

use std::thread::available_parallelism;

#[derive(Debug, clap::Args)]
pub(crate) struct CoreArgs {
    /// Games at the same time; by default all cores, or one with a time control
    #[arg(long, short = 'c', value_name = "C", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) concurrency: Option<u16>,

    /// Let the system move games from core to core; else games at the same time have cores of their own (Linux)
    #[arg(long)]
    no_affinity: bool,
}

impl CoreArgs {
    /// How many games run at a time. Games that think at the same time take each other's processor away, so where that
    /// counts it is one unless somebody says otherwise.
    pub(crate) fn games_at_a_time(&self, one_by_one: bool) -> usize {
        let usual = if one_by_one { 1 } else { available_parallelism().map_or(1, usize::from) };
        self.concurrency.map_or(usual, usize::from)
    }

    /// Whether games at the same time have cores of their own.
    pub(crate) fn affinity(&self) -> bool {
        !self.no_affinity
    }
}
