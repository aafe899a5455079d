//! Tournaments that have stopped because some of their games are parked, and go on when somebody has these tried again.
//!
//! Whoever does that may have asked any server, or the command line; the rows of the store say what came of it.

use std::collections::HashMap;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rookery_arena::Tournament;
use rookery_live::Stopping;
use rookery_store::{StoreError, TournamentId, TournamentState};

use super::Tournaments;

/// How often it is looked whether one can go on.
const LOOK: Duration = Duration::from_secs(1);
/// How long one that has stopped is left alone: one that stops again and again takes no more than that.
const PAUSE: Duration = Duration::from_secs(2);
/// The same where nobody can have its games tried again: what failed because of us may be mended by then.
const LONG_PAUSE: Duration = Duration::from_hours(1);

/// How it stood when it stopped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stalled {
    n_parked: u64,
    since: Instant,
}

impl Tournaments {
    fn stalled(&self) -> MutexGuard<'_, HashMap<TournamentId, Stalled>> {
        self.stalled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers one that has stopped though nobody has told it to. Blocks while the store is asked.
    pub(super) fn note_stalled(&self, id: TournamentId, own: &Stopping) {
        if own.is_requested() || self.stopping.is_requested() {
            return;
        }
        let state = self.store.tournament(id).map(|tournament| tournament.state);
        if let (Ok(TournamentState::Paused), Ok(n_parked)) = (state, self.store.parked_jobs(id)) {
            self.stalled().insert(id, Stalled { n_parked, since: Instant::now() });
        }
    }

    /// Goes on with those whose parked games are tried again, until the server stops.
    pub async fn go_on_when_retried(self: Arc<Self>) {
        loop {
            tokio::time::sleep(LOOK).await;
            let all = Arc::clone(&self);
            // It panics only by a fault of ours, and then looks again.
            let _ = tokio::task::spawn_blocking(move || all.look_after_stalled()).await;
        }
    }

    fn look_after_stalled(self: &Arc<Self>) {
        let known: Vec<(TournamentId, Stalled)> =
            self.stalled().iter().map(|(id, stalled)| (*id, *stalled)).collect();
        let pause = if self.elsewhere.is_some() { PAUSE } else { LONG_PAUSE };
        for (id, stalled) in known {
            if self.is_held(id) || stalled.since.elapsed() < pause || self.expect_room().is_err() {
                continue;
            }
            // A store that is away comes back.
            if let Err(error) = self.try_stalled(id, stalled.n_parked) {
                tracing::warn!(%id, %error, "a stopped tournament cannot be looked at");
            }
        }
    }

    /// Goes on with one if fewer of its games are parked than before.
    fn try_stalled(self: &Arc<Self>, id: TournamentId, n_parked: u64) -> Result<(), StoreError> {
        let is_paused = self.store.tournament(id)?.state == TournamentState::Paused;
        if !is_paused || self.read(id).is_none_or(|note| note.paused) {
            self.stalled().remove(&id);
            return Ok(());
        }
        let now = self.store.parked_jobs(id)?;
        // All may have been tried again while others were still played.
        if now >= n_parked && now > 0 {
            return Ok(());
        }
        // Before it goes on: it may stop again at once.
        self.stalled().remove(&id);
        match Tournament::open(&self.store, id) {
            Ok(tournament) => {
                tracing::info!(%id, "parked games are tried again: a tournament goes on");
                self.hold(tournament);
            }
            Err(error) => tracing::error!(%id, %error, "a tournament cannot go on"),
        }
        Ok(())
    }
}
