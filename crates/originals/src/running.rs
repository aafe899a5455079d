//! What the subcommands that play a match have in common: how it is stopped, and when its record counts.

use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use rookery_live::{GRACE, Match, Played};
use rookery_referee::{parse_duration_or_zero, write_duration};

/// The flag of every command that plays games.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct StopArgs {
    /// How long running games may go on after the first Ctrl-C; 0s stops them at once
    #[arg(long, value_name = "TIME", default_value_t = Grace(GRACE), value_parser = grace)]
    grace: Grace,
}

#[derive(Clone, Copy, Debug)]
struct Grace(Duration);

impl std::fmt::Display for Grace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&write_duration(self.0))
    }
}

fn grace(text: &str) -> Result<Grace, rookery_rules::ParseDurationError> {
    parse_duration_or_zero(text).map(Grace)
}

impl StopArgs {
    /// How long running games may go on after the first request to stop.
    pub fn grace(self) -> Duration {
        self.grace.0
    }
}

/// Plays a match, and suspends it when it is to stop, whoever thinks then. Its record is on the disk when it comes back.
pub(crate) async fn run_until(ready: Match, stop: impl Future<Output = ()>) -> anyhow::Result<Arc<Played>> {
    // Live, so that nobody thinks on this thread: it has to hear of the stop.
    let played = ready.start().played_until(stop).await;
    if let (Some(problem), Some(path)) = (&played.problem, &played.path) {
        bail!("{}: the record is not whole: {problem}", path.display());
    }
    Ok(played)
}
