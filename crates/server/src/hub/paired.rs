//! Games of tournaments: watched like any other match. Where people play, all of them come to the table first, and the game
//! goes on after a pause or a restart.

use std::sync::Arc;
use std::time::Duration;

use rookery_arena::bots::InUse;
use rookery_live::{Closing, Guest, LiveMatch, Played, Stopping, Terms, prepare, read_story};
use rookery_record::{Header, Receipt, Sink, Slot};
use rookery_referee::{Command, End, Fault, MatchSpec, Offence, SeatSpec, Verdict};
use rookery_store::{GameId, GameKey, NewGame, TournamentId};
use rookery_wire::Protocols;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::ending::Kept;
use super::{AT_HAND, COMING_BACK, Hold, Hub, Table, before, bundle_owners};
use crate::accounts::Owner;

/// How long people may take to come to their game.
const TO_COME: Duration = Duration::from_mins(3);
/// A game without people that is over sooner is not shown: nobody would see it.
const SHOWN_AFTER: Duration = Duration::from_millis(300);
/// How long a game without people stays at hand.
pub(super) const KEPT: Duration = Duration::from_secs(15);

/// A game of a tournament.
#[derive(Clone, Debug)]
pub(crate) struct Paired {
    /// Its place in the tournament.
    pub(crate) key: GameKey,
    /// What was agreed.
    pub(crate) spec: MatchSpec,
    /// Whose the seats of people are.
    pub(crate) owners: Vec<Option<Owner>>,
    /// Who has left the tournament, by seat: nobody waits for them.
    pub(crate) left: Vec<bool>,
}

/// A game of a tournament that has ended, and is stored.
#[derive(Debug)]
pub(crate) struct Ended {
    /// How.
    pub(crate) verdict: Verdict,
}

/// How the program of a bundle ends after its match.
type Leaving = (Closing, InUse);

/// The record of a game: a file beside the store, or bytes that come with its end.
enum Recorded {
    Spooled,
    InMemory(oneshot::Receiver<Vec<u8>>),
}

impl Hub {
    /// Plays a game of a tournament, and stores it; `None` if it was stopped on the way.
    pub(crate) async fn play_paired(
        self: &Arc<Self>,
        game: &Paired,
        stopping: &Stopping,
    ) -> Result<Option<Ended>, String> {
        let id = game.key.id();
        let has_people = game.spec.seats.iter().any(|seat| seat.player.is_person());
        let table = if has_people {
            let table = self.gathering(game)?;
            tokio::select! {
                // Who is not there in time has lost, and the others play on.
                _ = timeout(TO_COME, table.gathered(&game.left)) => {}
                () = stopping.requested() => return Ok(None),
            }
            Some(table)
        } else {
            None
        };
        let has_bundles = game.spec.seats.iter().any(|seat| matches!(seat.player, SeatSpec::Bundle { .. }));
        let _room = match self.bundles.get().filter(|_| has_bundles) {
            Some(door) => tokio::select! {
                room = door.room() => room,
                () = stopping.requested() => return Ok(None),
            },
            None => None,
        };
        let Some((guests, leaving)) = self.guests(game, table.as_deref(), stopping).await else {
            return Ok(None);
        };
        let (slot, kept) =
            if has_people { (self.own_slot(id, &game.spec)?, Recorded::Spooled) } else { in_memory() };
        if let Slot::Finished(lines) = &slot {
            // It ended in an earlier run that could not store it any more.
            let verdict = read_story(&lines[..]).map_err(|error| error.to_string())?.verdict;
            self.store_paired(game.key, lines.clone()).await?;
            if let Some(table) = table {
                self.leave_at_hand(table, AT_HAND);
            }
            return Ok(verdict.map(|verdict| Ended { verdict: Verdict::clone(&verdict) }));
        }
        let protocols = self.bundles.get().map_or_else(Protocols::default, |door| door.protocols());
        let ready = prepare(game.spec.clone(), guests, &protocols, Some(slot));
        let ready = ready.map_err(|error| error.to_string())?;
        let live = ready.with_terms(Terms { threads: 1, ..Terms::default() }).start();
        if let Some(table) = &table {
            table.go_on(live.clone()).await;
        }
        let (table, played) = self.watch_paired(game, table, &live, stopping).await;
        for (closing, in_use) in leaving {
            // They may take a moment to end.
            tokio::spawn(async move {
                closing.done().await;
                drop(in_use);
            });
        }
        let End::Verdict(verdict) = &played.end else {
            if let Some(table) = table {
                table.release();
                if !has_people {
                    self.forget(table.id());
                }
            }
            return Ok(None);
        };
        let stored = async {
            let record = match kept {
                Recorded::InMemory(record) => record.await.map_err(|_| "a game has no record".to_owned())?,
                Recorded::Spooled => self.spool.read(id).map_err(|error| error.to_string())?,
            };
            self.store_paired(game.key, record).await
        };
        let stored = stored.await;
        if let Some(table) = table {
            // Nobody is told of an end that is not stored: the game is played once more, or stored later.
            match &stored {
                Ok(()) => self.leave_at_hand(table, if has_people { AT_HAND } else { KEPT }),
                Err(_) if has_people => {}
                Err(_) => self.forget(table.id()),
            }
        }
        stored?;
        Ok(Some(Ended { verdict: verdict.clone() }))
    }

    /// Everybody is told how a game ended that is stored now, and may look at it for a while.
    fn leave_at_hand(self: &Arc<Self>, table: Arc<Table>, time: Duration) {
        table.release();
        table.set_stored();
        if table.match_().is_none() {
            // It ended in an earlier run; the store shows it.
            self.forget(table.id());
            return;
        }
        let hub = Arc::clone(self);
        tokio::spawn(async move { hub.put_away(&table, Kept::Stored, time).await });
    }

    /// Waits for the end of a game that runs, with a table for whoever looks on; without people only if it takes a while.
    async fn watch_paired(
        &self,
        game: &Paired,
        table: Option<Arc<Table>>,
        live: &LiveMatch,
        stopping: &Stopping,
    ) -> (Option<Arc<Table>>, Arc<Played>) {
        let mut over = Box::pin(live.played_until(stopping.urgent()));
        let table = if let Some(table) = table {
            table
        } else {
            if let Ok(played) = timeout(SHOWN_AFTER, &mut over).await {
                return (None, played);
            }
            let seats = vec![Hold::default(); game.spec.n_seats()];
            let table = Table::live(game.key.id(), Owner::Guest(0), self.first_version, live.clone(), seats);
            let table = Arc::new(table.of_cup(game.key.tournament));
            self.insert(&table);
            table
        };
        let (store, spec) = (self.store.clone(), game.spec.clone());
        if let Ok(owners) = spawn_blocking(move || bundle_owners(&store, &spec)).await {
            table.set_programs(owners);
        }
        let telling = self.teller(&table, live);
        let played = over.await;
        table.catch_up().await;
        telling.abort();
        (Some(table), played)
    }

    /// The table at which the people of a game come together: the one they look at already, if it was stopped before.
    fn gathering(&self, game: &Paired) -> Result<Arc<Table>, String> {
        let id = game.key.id();
        let owner = |(owner, left): (&Option<Owner>, &bool)| owner.clone().filter(|_| !left);
        let seats: Vec<Hold> =
            game.owners.iter().zip(&game.left).map(owner).map(|owner| Hold::new(owner, None)).collect();
        if let Some(table) = self.table(id) {
            return Ok(table);
        }
        let snapshot = Arc::new(before(&game.spec).map_err(|error| error.message)?);
        let table = Table::waiting(id, Owner::Guest(0), self.first_version, snapshot, seats);
        let table = Arc::new(table.of_cup(game.key.tournament));
        self.insert(&table);
        self.keep_owners(&table);
        Ok(table)
    }

    /// Whoever is to play; `None` if it was stopped meanwhile.
    async fn guests(
        &self,
        game: &Paired,
        table: Option<&Table>,
        stopping: &Stopping,
    ) -> Option<(Vec<Guest>, Vec<Leaving>)> {
        let absent = |why: &str| Guest::Absent(Fault::new(Offence::NoShow, why.to_owned()));
        let of_game = game.spec.game.split(':').next().unwrap_or_default();
        let (mut guests, mut leaving) = (vec![], vec![]);
        for (idx, entry) in game.spec.seats.iter().enumerate() {
            let has_left = game.left.get(idx).copied().unwrap_or_default();
            guests.push(match &entry.player {
                SeatSpec::BuiltIn(player) => Guest::BuiltIn(player.clone()),
                _ if has_left => absent("it has left the tournament"),
                SeatSpec::Human if table.is_some_and(|table| table.is_there(idx)) => Guest::Person,
                SeatSpec::Human => absent("nobody came within three minutes"),
                SeatSpec::Remote(name) => tokio::select! {
                    guest = self.bring_for_cup(name) => guest,
                    () = stopping.requested() => return None,
                },
                SeatSpec::Bundle { .. } => match self.bundles.get() {
                    Some(door) => {
                        let seated = door.seat(&self.store, of_game, entry).await;
                        leaving.extend(seated.leaving);
                        seated.guest
                    }
                    None => Guest::Absent(Fault::ours("this server has no sandbox for bundles")),
                },
                other => absent(&format!("`{other}` cannot be seated here")),
            });
        }
        Some((guests, leaving))
    }

    /// The bot of this name. One that plays elsewhere is waited for; one that is gone has a minute.
    pub(crate) async fn bring_for_cup(&self, name: &str) -> Guest {
        loop {
            match self.bots.bring(name, Some(COMING_BACK)).await {
                Ok(guest) => return guest,
                Err(_) if self.bots.list().iter().any(|bot| bot.name == name && bot.playing) => {}
                Err(why) => return Guest::Absent(Fault::new(Offence::NoShow, why)),
            }
        }
    }

    /// The place of a record; what an earlier run has left of another game is thrown away.
    fn own_slot(&self, id: GameId, spec: &MatchSpec) -> Result<Slot, String> {
        let open = || self.spool.slot(id).map_err(|error| error.to_string());
        let slot = open()?;
        let (Slot::Unfinished { lines, .. } | Slot::Finished(lines)) = &slot else { return Ok(slot) };
        let first = lines.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let is_it = Header::parse(first).is_ok_and(|header| header.spec == *spec);
        if is_it {
            return Ok(slot);
        }
        drop(slot);
        self.spool.remove_record(id);
        open()
    }

    async fn store_paired(&self, key: GameKey, record: Vec<u8>) -> Result<(), String> {
        let lengths = self.lengths;
        let fitting =
            spawn_blocking(move || lengths.fitting(record)).await.map_err(|error| error.to_string())?;
        let record = fitting.ok_or("the record of a game is too long to be stored")?;
        let new = NewGame::of_pairing(key.tournament, key.key, record);
        self.store.put_game(new).await.map_err(|error| error.to_string())?;
        self.spool.remove(key.id());
        Ok(())
    }

    pub(super) fn forget(&self, id: GameId) {
        self.tables.write().unwrap_or_else(std::sync::PoisonError::into_inner).remove(&id);
    }

    /// Games of a tournament that were stopped will not go on. Blocks while files are removed.
    pub(crate) fn drop_cup(&self, cup: TournamentId) {
        for table in self.of_cup(cup).into_iter().filter(|table| table.over_since().is_none()) {
            self.forget(table.id());
            self.spool.remove(table.id());
        }
    }

    /// Somebody leaves a tournament, and gives up the game it plays there.
    pub(crate) fn resign_from_cup(&self, cup: TournamentId, who: &Owner) {
        for table in self.of_cup(cup) {
            let seat = table.holds().iter().position(|hold| hold.owner.as_ref() == Some(who));
            if let Some(seat) = seat.and_then(|idx| rookery_rules::Seat::all(table.holds().len()).nth(idx)) {
                if table.match_().is_none() {
                    table.vacate(seat);
                }
                // One that is over cannot be given up any more.
                let _ = table.command(seat, &Command::Resign);
            }
        }
    }

    /// The games of a tournament that are at hand.
    pub(crate) fn of_cup(&self, cup: TournamentId) -> Vec<Arc<Table>> {
        self.tables().into_iter().filter(|table| table.cup() == Some(cup)).collect()
    }
}

fn in_memory() -> (Slot, Recorded) {
    let (keep, kept) = oneshot::channel();
    let sink = Sink::in_memory(vec![], move |record| {
        // Whoever does not want it any more has stopped.
        let _ = keep.send(record);
        Receipt::at_once()
    });
    (Slot::New(sink), Recorded::InMemory(kept))
}
