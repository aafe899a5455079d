//! Whoever takes no further part in a tournament.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use rookery_arena::{ArenaError, Tournament};
use rookery_store::{TournamentEntrant, TournamentId, TournamentState};
use rookery_tournament::Entrant;
use tokio::sync::{mpsc, oneshot};

use super::floor::Leave;
use super::{Held, Tournaments};
use crate::accounts::{Identity, Owner};
use crate::http::ApiError;

/// How long a request waits until bots have been tried; it may take minutes.
const PATIENCE: Duration = Duration::from_secs(2);

/// Waits a moment while the bots of a tournament are tried.
fn expect_tried(held: &Held) -> Result<(), ApiError> {
    let begun = Instant::now();
    while held.is_trying.load(Ordering::SeqCst) {
        if begun.elapsed() > PATIENCE {
            return Err(ApiError::unavailable(
                "its bots are tried before the first round at the moment; try again in a minute",
            ));
        }
        thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

impl Tournaments {
    /// Lets an entrant take no further part: by who made it, the operator, or who brought it. Blocks while the store is asked.
    pub fn withdraw(self: &Arc<Self>, id: TournamentId, name: &str, who: &Identity) -> Result<(), ApiError> {
        let note = self.expect_bringer(id, name, who)?;
        self.expect_unfinished(id)?;
        if note.sign_up.is_some() && self.store.tournament(id)?.state == TournamentState::Open {
            return self.sign_off(id, name);
        }
        let held = self.held().get(&id).cloned();
        // Their numbers hold from then on.
        held.as_ref().map_or(Ok(()), expect_tried)?;
        let entrants = self.store.tournament_entrants(id)?;
        let entrant = entrants.iter().find(|entrant| entrant.name == name);
        let entrant = entrant.ok_or_else(|| ApiError::field("entrant", "nobody of this name takes part"))?;
        if !entrant.present {
            return Err(ApiError::conflict("it has left already"));
        }
        let left = match held.and_then(|held| held.leaving) {
            Some(leaving) => self.leave_meanwhile(id, entrant, &leaving)?,
            None => self.leave_stopped(id, entrant.number, note.paused)?,
        };
        self.forget_view(id);
        if left {
            Ok(())
        } else {
            Err(ApiError::conflict("nobody can leave this kind of tournament; pause or remove it instead"))
        }
    }

    /// The others play on; a game of whoever leaves is given up.
    fn leave_meanwhile(
        &self,
        id: TournamentId,
        entrant: &TournamentEntrant,
        leaving: &mpsc::Sender<Leave>,
    ) -> Result<bool, ApiError> {
        let gone = || ApiError::unavailable("it has just stopped; look again");
        let (done, answer) = oneshot::channel();
        leaving.blocking_send((entrant.number, done)).map_err(|_| gone())?;
        let left = answer.blocking_recv().map_err(|_| gone())?.map_err(|error| ApiError::ours(&error))?;
        if left {
            self.hub.resign_from_cup(id, &Owner::Named(entrant.id.0));
        }
        Ok(left)
    }

    /// Stops it for a moment, if it is played.
    fn leave_stopped(
        self: &Arc<Self>,
        id: TournamentId,
        number: Entrant,
        paused: bool,
    ) -> Result<bool, ApiError> {
        let was_held = self.is_held(id);
        self.stop_one(id)?;
        let failed = |error: ArenaError| ApiError::ours(&error);
        let tournament = Tournament::open(&self.store, id).map_err(failed)?;
        let mut format = tournament.format().map_err(failed)?;
        let before = format.changes().len();
        format.leave(number);
        let changes = format.changes();
        let left = changes.len() > before;
        if left {
            self.store.put_changes(id, &changes)?;
            self.store.set_present(id, number, false)?;
        }
        if was_held && !paused && !self.stopping.is_requested() {
            self.hold(tournament);
        }
        Ok(left)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use rookery_live::Stopping;

    use super::*;

    #[test]
    fn whoever_leaves_while_bots_are_tried_hears_so_soon() {
        let is_trying = Arc::new(AtomicBool::new(true));
        let stopping = Stopping::new(Duration::ZERO);
        let held = Held { stopping, leaving: None, is_trying: Arc::clone(&is_trying) };
        let error = expect_tried(&held).expect_err("they are tried for longer than anybody waits");
        assert!(error.message.contains("try again in a minute"), "{}", error.message);
        is_trying.store(false, Ordering::SeqCst);
        assert!(expect_tried(&held).is_ok());
    }
}
