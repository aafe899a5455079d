//! What outlasts a run: matches gone on with after a restart, stopped in order, or given up.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use rookery_live::{Guest, LiveMatch, read_story};
use rookery_record::{Header, Slot};
use rookery_referee::{Fault, MatchSpec, SeatSpec};
use rookery_store::{EntrantId, GameId};
use tokio::task::spawn_blocking;

use super::ending::Kept;
use super::{AT_HAND, Hold, Hub, Left, Owners, Table, play};
use crate::accounts::Owner;

/// How long persons may stay away, all of them, before their match is given up.
const ABANDONED: Duration = Duration::from_hours(24);
/// How often that is looked at.
const SWEEP: Duration = Duration::from_mins(5);
/// The pause before bots are brought once more.
const NEXT_TRY: Duration = Duration::from_millis(200);

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
            // Nobody waits for it: the store may be away for long.
            tokio::spawn(Arc::clone(self).store_left(id, owners.seats));
            return Ok(false);
        }
        if lines.len() > self.lengths.record {
            let (lengths, lines) = (self.lengths, lines.clone());
            let fitting = spawn_blocking(move || lengths.fitting(lines)).await;
            if fitting.is_ok_and(|fitting| fitting.is_none()) {
                self.spool.remove(id);
                return Err("it is too long to be stored; its record is removed".to_owned());
            }
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
        let bots = remote_names(&spec);
        if bots.is_empty() {
            let guests = self.bring(&spec).await.map_err(|error| error.message)?;
            let live = play(spec, guests, slot).map_err(|error| error.message)?;
            self.run(Arc::new(Table::live(id, owners.maker, self.first_version, live, seats)));
            return Ok(true);
        }
        // People find the match where they left it, also if they are back before the bots.
        let snapshot = read_story(&lines[..]).map_err(|error| error.to_string())?.snapshot();
        let note = format!("It goes on when {} is back.", bots.join(" and "));
        let table = Table::paused(id, owners.maker, self.first_version, snapshot, seats, note);
        let table = Arc::new(table);
        self.insert(&table);
        tokio::spawn(Arc::clone(self).go_on(table, spec, slot));
        Ok(true)
    }

    /// Stores a match that an earlier run has left finished, however often it has to be tried.
    async fn store_left(self: Arc<Self>, id: GameId, seats: Vec<Option<Owner>>) {
        while self.store_record(id, seats.clone(), None).await == Kept::NotYet {
            tokio::select! {
                () = tokio::time::sleep(AT_HAND) => {}
                () = self.stopping.requested() => return,
            }
        }
    }

    /// Goes on with a match as soon as its bots are back; without them if they are given up.
    async fn go_on(self: Arc<Self>, table: Arc<Table>, spec: MatchSpec, slot: Slot) {
        let bots = remote_names(&spec);
        let coming = async {
            loop {
                self.bots.free(&bots).await;
                match self.bring(&spec).await {
                    Ok(guests) => return guests,
                    // One of them has just left, or was faster elsewhere.
                    Err(_) => tokio::time::sleep(NEXT_TRY).await,
                }
            }
        };
        let guests = tokio::select! {
            guests = coming => guests,
            () = table.bots_given_up() => without_bots(&spec),
            () = self.stopping.requested() => return,
        };
        match play(spec, guests, slot) {
            Ok(live) => {
                table.go_on(live).await;
                self.run(table);
            }
            Err(error) => {
                tracing::error!(id = %table.id(), error = error.message, "a match cannot go on");
                self.forget(table.id());
            }
        }
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
    pub fn forget_player(&self, player: EntrantId) {
        self.shelf.forget(player);
        for table in self.tables().iter().filter(|table| table.is_stored()) {
            if table.holds().iter().any(|hold| hold.owner == Some(Owner::Named(player.0))) {
                self.forget(table.id());
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

/// The names of the bots that play in a match.
fn remote_names(spec: &MatchSpec) -> Vec<String> {
    let name = |player: &SeatSpec| match player {
        SeatSpec::Remote(name) => Some(name.clone()),
        _ => None,
    };
    spec.seats.iter().filter_map(|entry| name(&entry.player)).collect()
}

/// Whoever plays in a match whose bots did not come back after a stop of ours, which is not their fault.
fn without_bots(spec: &MatchSpec) -> Vec<Guest> {
    let guest = |player: &SeatSpec| match player {
        SeatSpec::Human => Guest::Person,
        SeatSpec::BuiltIn(player) => Guest::BuiltIn(player.clone()),
        _ => Guest::Absent(Fault::ours("the server was stopped, and the bot did not come back after that")),
    };
    spec.seats.iter().map(|entry| guest(&entry.player)).collect()
}
