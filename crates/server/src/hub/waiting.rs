//! Tables at which somebody is still to come, kept beside the store: an invitation holds after a restart too.

use std::sync::{Arc, PoisonError};

use rookery_rules::GameSpec;
use rookery_store::GameId;

use super::length::{MOST_TURNS, bounded};
use super::{Hold, Hub, Table, Waiting, before};
use crate::accounts::now_ms;
use crate::http::ApiError;

/// The most tables that wait at the same time, so that there is always room for matches that begin.
const MAX_WAITING: usize = 1024;
/// How long an invitation holds at the most: a week.
const OPEN_MS: i64 = 7 * 24 * 60 * 60 * 1000;

impl Hub {
    /// Whether one more table may wait.
    pub(super) fn expect_room_to_wait(&self) -> Result<(), ApiError> {
        if self.tables().iter().filter(|table| table.is_waiting()).count() >= MAX_WAITING {
            return Err(ApiError::unavailable("too many tables wait for players; try again in some minutes"));
        }
        Ok(())
    }

    /// Writes down how a table waits. One whose match has begun is in the records.
    pub(super) fn keep_waiting(&self, table: &Table) {
        let _in_order = self.keeping.lock().unwrap_or_else(PoisonError::into_inner);
        if !table.is_waiting() {
            return;
        }
        let seats = table.holds().into_iter().map(|hold| (hold.owner, hold.code)).collect();
        let spec = rookery_referee::MatchSpec::clone(&table.spec());
        let waiting = Waiting { spec, maker: table.maker(), made_ms: table.made_ms(), seats };
        if let Err(error) = self.spool.keep_waiting(table.id(), &waiting) {
            tracing::warn!(id = %table.id(), %error, "an invitation cannot be kept: a restart ends it");
        }
    }

    /// The match of a table has begun, or never will.
    pub(super) fn forget_waiting(&self, id: GameId) {
        let _in_order = self.keeping.lock().unwrap_or_else(PoisonError::into_inner);
        self.spool.remove_waiting(id);
    }

    /// Whether a table has waited too long.
    pub(super) fn is_too_old(table: &Table) -> bool {
        table.is_waiting() && is_over(table.made_ms())
    }

    /// Sets up the tables that waited when an earlier run ended; how many.
    pub(super) fn resume_waiting(&self) -> usize {
        let left = self.spool.left_waiting().unwrap_or_else(|error| {
            tracing::error!(%error, "invitations of an earlier run cannot be listed");
            vec![]
        });
        let mut n = 0;
        for (id, waiting) in left {
            let table = waiting.filter(|waiting| n < MAX_WAITING && !is_over(waiting.made_ms));
            let table = table
                .filter(|_| !self.spool.has_record(id))
                .and_then(|waiting| self.waits_again(id, waiting));
            match table {
                Some(table) => {
                    self.insert(&Arc::new(table));
                    n += 1;
                }
                None => self.forget_waiting(id),
            }
        }
        n
    }

    fn waits_again(&self, id: GameId, waiting: Waiting) -> Option<Table> {
        let Waiting { mut spec, maker, made_ms, seats } = waiting;
        // An earlier version may have let it go on for longer.
        if let Ok(game) = GameSpec::parse(&spec.game) {
            spec.max_turns = bounded(&game, spec.max_turns, MOST_TURNS);
        }
        let is_open = seats.len() == spec.n_seats() && seats.iter().any(|(_, code)| code.is_some());
        let snapshot = is_open.then(|| before(&spec)).transpose();
        let snapshot =
            snapshot.map_err(|error| tracing::error!(%id, error = error.message, "a table cannot wait on"));
        let seats = seats.into_iter().map(|(owner, code)| Hold::new(owner, code)).collect();
        let table = Table::waiting(id, maker, self.first_version, Arc::new(snapshot.ok()??), seats);
        Some(table.made_at(made_ms))
    }
}

fn is_over(made_ms: i64) -> bool {
    now_ms().saturating_sub(made_ms) >= OPEN_MS
}
