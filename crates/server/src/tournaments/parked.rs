//! Games that failed too often on other machines: once the operator has them tried again, their tournament goes on by itself.

use std::sync::Weak;
use std::thread;
use std::time::Duration;

use rookery_arena::Tournament;
use rookery_store::{JobState, StoreError, TournamentId};

use super::Tournaments;

/// How often it is looked whether they are tried again.
const LOOK: Duration = Duration::from_secs(2);

/// Waits until games of a tournament that has stopped are tried again, and then goes on with it. Blocks; it ends when somebody
/// else goes on with the tournament or ends it, and with the server.
pub(super) fn go_on_after_retry(
    all: &Weak<Tournaments>,
    id: TournamentId,
    runtime: &tokio::runtime::Handle,
) -> Option<()> {
    let mut before = all.upgrade()?.n_parked(id).ok()?;
    while before > 0 {
        // Whoever is no coordinator any more must not be kept by us.
        thread::sleep(LOOK);
        let all = all.upgrade()?;
        if !all.waits_for_retry(id) {
            return None;
        }
        // A database that is away comes back.
        let Ok(now) = all.n_parked(id) else { continue };
        if now < before {
            let tournament = Tournament::open(&all.store, id);
            let tournament = tournament.inspect_err(|error| tracing::error!(%id, %error, "it cannot go on"));
            let _guard = runtime.enter();
            all.hold(tournament.ok()?);
            return Some(());
        }
        before = now;
    }
    None
}

impl Tournaments {
    fn n_parked(&self, id: TournamentId) -> Result<usize, StoreError> {
        let jobs = self.store.jobs_of(id)?;
        Ok(jobs.iter().filter(|job| job.state == JobState::Parked).count())
    }

    /// Whether nobody has gone on with it, paused it or ended it, and the server does not stop.
    fn waits_for_retry(&self, id: TournamentId) -> bool {
        let is_over = || self.store.tournament(id).is_ok_and(|stored| stored.state.is_over());
        let is_paused = || self.read(id).is_some_and(|note| note.paused);
        !self.stopping.is_requested() && !self.is_held(id) && !is_over() && !is_paused()
    }
}
