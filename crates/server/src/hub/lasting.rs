//! What outlasts a run: matches gone on with after a restart, stopped in order, or given up.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use rookery_live::LiveMatch;
use rookery_record::{Header, Slot};
use rookery_store::{EntrantId, GameId};

use super::{Hold, Hub, Left, Owners, Table};
use crate::accounts::Owner;

/// How long persons may stay away, all of them, before their match is given up.
const ABANDONED: Duration = Duration::from_hours(24);
/// How often that is looked at.
const SWEEP: Duration = Duration::from_mins(5);

impl Hub {
    /// Goes on with what an earlier run has left; how many matches.
    pub async fn resume(self: &Arc<Self>) -> usize {
        let waiting = self.resume_waiting();
        if waiting > 0 {
            tracing::info!(waiting, "tables wait for players as before");
        }
        let left = match self.spool.left() {
            Ok(left) => left,
            Err(error) => {
                tracing::error!(%error, "matches of an earlier run cannot be listed");
                return 0;
            }
        };
        let mut n = 0;
        // Those of a tournament go on with it.
        let is_free = |left: &Left| !left.owners.as_ref().is_some_and(|owners| owners.of_cup);
        for Left { id, owners } in left.into_iter().filter(is_free) {
            match self.resume_one(id, owners).await {
                Ok(true) => n += 1,
                Ok(false) => {}
                Err(error) => tracing::error!(%id, error, "a match of an earlier run cannot go on"),
            }
        }
        n
    }

    async fn resume_one(self: &Arc<Self>, id: GameId, owners: Option<Owners>) -> Result<bool, String> {
        let slot = self.spool.slot(id).map_err(|error| error.to_string())?;
        let lines = match &slot {
            Slot::Unfinished { lines, .. } | Slot::Finished(lines) => lines.clone(),
            Slot::New(_) => vec![],
        };
        let owners = owners.unwrap_or(Owners { maker: Owner::Guest(0), seats: vec![], of_cup: false });
        if let Slot::Finished(_) = slot {
            self.store_record(id, owners.seats).await;
            return Ok(false);
        }
        let first = lines.split(|&byte| byte == b'\n').next().unwrap_or_default();
        if first.is_empty() {
            // Nothing had happened yet, not even its beginning.
            self.spool.remove(id);
            return Ok(false);
        }
        let spec = Header::parse(first).map_err(|problem| problem.to_string())?.spec;
        let mut seats: Vec<Hold> = owners.seats.into_iter().map(|owner| Hold::new(owner, None)).collect();
        seats.resize_with(spec.n_seats(), Hold::default);
        // Whoever needs a bot to come back waits by itself.
        let (hub, maker) = (Arc::clone(self), owners.maker);
        let going_on = async move {
            match hub.start(id, spec, Some(slot)).await {
                Ok(live) => {
                    hub.run(Arc::new(Table::live(id, maker, hub.first_version, live, seats)));
                }
                Err(error) => tracing::error!(%id, error = error.message, "a match cannot go on"),
            }
        };
        let needs_bots = lines.windows(7).any(|part| part == b"remote:");
        if needs_bots {
            tokio::spawn(going_on);
        } else {
            going_on.await;
        }
        Ok(true)
    }

    /// Waits until all running matches have ended or are stopped, and their records are on the disk.
    pub async fn settle(&self) {
        for live in self.tables().iter().filter_map(|table| table.match_()) {
            live.played_until(self.time_to_stop(&live)).await;
        }
    }

    /// Gives up matches that everybody has left, for ever.
    pub async fn sweep(&self) {
        loop {
            tokio::time::sleep(SWEEP).await;
            for table in self.tables().iter().filter(|table| table.over_since().is_none()) {
                if table.idle_for() >= ABANDONED || Self::is_too_old(table) {
                    self.give_up(table);
                }
            }
        }
    }

    /// Whether somebody sits in a match that goes on.
    pub fn is_playing(&self, who: &Owner) -> bool {
        let sits = |table: &Arc<Table>| table.holds().iter().any(|hold| hold.owner.as_ref() == Some(who));
        self.tables().iter().any(|table| table.over_since().is_none() && sits(table))
    }

    /// What the guest of a session is called, at the newest of its tables.
    pub fn guest_name(&self, session: u64) -> Option<String> {
        let seat_of = |table: &Arc<Table>| {
            let seat = table.holds().iter().position(|hold| hold.owner == Some(Owner::Guest(session)))?;
            Some(table.spec().seats.get(seat)?.name.clone())
        };
        self.tables().iter().rev().find_map(seat_of)
    }

    /// Somebody is called otherwise now: their matches are read anew from the store.
    pub async fn forget_player(&self, player: EntrantId) {
        self.shelf.forget(player);
        for table in self.tables().iter().filter(|table| table.over_since().is_some()) {
            if table.holds().iter().any(|hold| hold.owner == Some(Owner::Named(player.0))) {
                self.put_away(table).await;
            }
        }
    }

    fn give_up(&self, table: &Table) {
        tracing::info!(id = %table.id(), "a match is given up, because nobody came back");
        if self.cancel(table, "nobody came back within a day").is_err() {
            // It had not begun.
            self.forget_waiting(table.id());
            self.tables.write().unwrap_or_else(PoisonError::into_inner).remove(&table.id());
        }
    }

    /// When a running match stops: computers and bots get the grace, persons go on after the restart.
    pub(super) async fn time_to_stop(&self, live: &LiveMatch) {
        if live.spec().seats.iter().any(|seat| seat.player.is_person()) {
            self.stopping.requested().await;
        } else {
            self.stopping.urgent().await;
        }
    }
}
