//! What the subcommands that play a match have in common: how it is stopped, and when its record counts.

use std::pin::pin;

use anyhow::bail;
use rookery_live::{Match, Played};

/// Plays a match here, and suspends it when it is to stop. Its record is on the disk then.
pub(crate) async fn run_until(ready: Match, stop: impl Future<Output = ()>) -> anyhow::Result<Played> {
    let controls = ready.controls();
    let mut playing = pin!(ready.run());
    let mut played = tokio::select! {
        played = &mut playing => played,
        () = stop => {
            controls.suspend();
            playing.await
        }
    };
    if let Some(receipt) = played.receipt.take()
        && let Err(error) = receipt.await
    {
        played.problem.get_or_insert(error.to_string());
    }
    if let (Some(problem), Some(path)) = (&played.problem, &played.path) {
        bail!("{}: the record is not whole: {problem}", path.display());
    }
    Ok(played)
}
