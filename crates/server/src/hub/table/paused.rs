//! The table of a match that goes on after a restart, while its bots are still to come back.

use std::sync::Arc;
use std::time::Instant;

use rookery_live::Snapshot;
use rookery_referee::SeatSpec;
use rookery_store::GameId;

use super::{Hold, Stage, State, Table};
use crate::accounts::Owner;

impl Table {
    /// A table at which everybody sees how the match stands, and for whom it waits.
    pub(crate) fn paused(
        id: GameId,
        maker: Owner,
        first: u64,
        snapshot: Snapshot,
        seats: Vec<Hold>,
        note: String,
    ) -> Self {
        let snapshot = Arc::new(snapshot);
        let stage = Stage::Paused(Arc::clone(&snapshot));
        let table = Self::new(id, maker, first, stage, |trail| trail.newest(&snapshot), seats);
        {
            let mut now = table.state();
            now.note = Some(note);
            let State { seats, stage, .. } = &mut *now;
            for (hold, entry) in seats.iter_mut().zip(&stage.snapshot().spec.seats) {
                if matches!(entry.player, SeatSpec::Remote(_)) {
                    hold.away = Some(Instant::now());
                }
            }
        }
        table
    }

    /// Whether its bots are still to come back.
    pub(crate) fn is_paused(&self) -> bool {
        matches!(self.state().stage, Stage::Paused(_))
    }

    /// Its bots are not waited for any longer.
    pub(crate) fn give_up_bots(&self) {
        self.given_up.notify_one();
    }

    /// Waits until that is so.
    pub(crate) async fn bots_given_up(&self) {
        self.given_up.notified().await;
    }
}
