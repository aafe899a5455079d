//! How a match ends: its record goes to the store, and its table goes when it was at hand for a while.

use std::sync::Arc;
use std::time::Duration;

use rookery_live::{Snapshot, write_record};
use rookery_record::Header;
use rookery_referee::SeatSpec;
use rookery_store::{EntrantId, EntrantKind, GameId, NewGame, StoreError};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::{Hub, Table};
use crate::accounts::Owner;

/// What became of the record of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kept {
    /// The store has it.
    Stored,
    /// The store will never take it: it is gone.
    TooLong,
    /// The store could not take it; it is beside the store.
    NotYet,
}

/// A record, or why there is none to be stored.
enum Ready {
    New(Box<NewGame>),
    Stored,
    TooLong,
}

/// What is said of a match that nobody keeps, and of one that is still to be stored, behind how it ended.
const TOO_LONG: &str =
    " It is too long to be stored: for ten minutes it can be looked at and its record downloaded.";
const NOT_YET: &str = " It is not saved yet: that is tried again every ten minutes.";

impl Hub {
    /// Hands a match that is over to the store.
    pub(super) async fn hand_over(self: &Arc<Self>, table: &Table) -> Kept {
        let seats: Vec<Option<Owner>> = table.holds().into_iter().map(|hold| hold.owner).collect();
        let played = table.match_().map(|live| live.snapshot());
        let kept = self.store_record(table.id(), seats, played).await;
        if kept == Kept::Stored {
            table.set_stored();
        }
        kept
    }

    /// Hands a record to the store: that of its file, or of what was played where the file could not be written to its end.
    pub(super) async fn store_record(
        self: &Arc<Self>,
        id: GameId,
        seats: Vec<Option<Owner>>,
        played: Option<Arc<Snapshot>>,
    ) -> Kept {
        let hub = Arc::clone(self);
        let reading = spawn_blocking(move || hub.record_to_store(id, &seats, played.as_deref()));
        let read = reading.await.map_err(|error| error.to_string()).and_then(|read| read);
        let stored = match read {
            // However long it takes: no thread waits for it.
            Ok(Ready::New(new)) => match self.store.put_game(*new).await {
                Ok(_) => Ok(Kept::Stored),
                Err(error) => Err(error.to_string()),
            },
            Ok(Ready::Stored) => Ok(Kept::Stored),
            Ok(Ready::TooLong) => Ok(Kept::TooLong),
            Err(error) => Err(error),
        };
        if stored.is_ok() {
            self.spool.remove(id);
        }
        match &stored {
            Ok(Kept::Stored) => tracing::info!(%id, "a match is over and stored"),
            Ok(_) => tracing::error!(%id, "a match is over and too long to be stored; its record is removed"),
            Err(error) => {
                tracing::error!(%id, error, "a match is over and cannot be stored; its record is kept");
            }
        }
        stored.unwrap_or(Kept::NotYet)
    }

    fn record_to_store(
        &self,
        id: GameId,
        seats: &[Option<Owner>],
        played: Option<&Snapshot>,
    ) -> Result<Ready, String> {
        let record = match (self.spool.read(id), played) {
            // After a failure nothing more was written to it.
            (_, Some(played)) if played.record_problem.is_some() => write_record(played)?,
            (Ok(record), _) => record,
            // It may have been stored though nobody heard of it.
            (Err(_), _) if self.store.game(id).is_ok() => return Ok(Ready::Stored),
            (Err(error), _) => return Err(error.to_string()),
        };
        let entrants = self.entrants(&record, seats).map_err(|error| error.to_string())?;
        let Some(record) = self.lengths.fitting(record) else { return Ok(Ready::TooLong) };
        Ok(Ready::New(Box::new(NewGame::with_id(id, record).by(entrants))))
    }

    /// Who played, by seat: persons by who they are, others by their names.
    fn entrants(
        &self,
        record: &[u8],
        seats: &[Option<Owner>],
    ) -> Result<Vec<Option<EntrantId>>, Box<dyn std::error::Error>> {
        let first = record.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let spec = Header::parse(first).map_err(|problem| problem.to_string())?.spec;
        let mut entrants = vec![];
        for (idx, entry) in spec.seats.iter().enumerate() {
            entrants.push(match (&entry.player, seats.get(idx)) {
                (SeatSpec::Human, Some(Some(Owner::Named(id)))) => Some(EntrantId(*id)),
                (SeatSpec::Human, _) => None,
                (other, _) => {
                    // Two of a kind in one match have a number behind; it is the same player.
                    let name = entry.name.split('#').next().unwrap_or(&entry.name);
                    match self.store.entrant(name, EntrantKind::of_seat(other)) {
                        Ok(entrant) => Some(entrant),
                        // The name is somebody else's, or none that is kept.
                        Err(StoreError::NameTaken { .. } | StoreError::Refused(_)) => None,
                        Err(error) => return Err(error.into()),
                    }
                }
            });
        }
        Ok(entrants)
    }

    /// Lets the table of a match that is over go after a while: from then on it is found in the store. What could not be
    /// stored stays until it can.
    pub(super) async fn put_away(self: &Arc<Self>, table: &Table, mut kept: Kept, time: Duration) {
        self.make_room();
        loop {
            table.say_of_its_end(match kept {
                Kept::Stored => "",
                Kept::TooLong => TOO_LONG,
                Kept::NotYet => NOT_YET,
            });
            sleep(time).await;
            if kept == Kept::NotYet {
                kept = self.hand_over(table).await;
            } else {
                self.forget(table.id());
                return;
            }
        }
    }

    /// Of the matches that are over and stored the earliest go, if all together have too many moves: each of them is in
    /// memory.
    fn make_room(&self) {
        let mut over: Vec<_> = self.tables().into_iter().filter(|table| table.is_stored()).collect();
        over.sort_by_key(|table| std::cmp::Reverse(table.over_since()));
        let mut plies = 0;
        for table in over {
            plies += table.snapshot().plies();
            if plies > self.lengths.at_hand {
                self.forget(table.id());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rookery_live::random_record;
    use rookery_record::SUFFIX;
    use rookery_referee::Cause;
    use rookery_rules::{GameSpec, Seed};
    use rookery_testkit::TempFolder;

    use super::super::length::Lengths;
    use super::super::{Found, NewMatch};
    use super::*;
    use crate::accounts::Identity;

    const COMPUTERS: &str = r#""random","random""#;

    /// A hub in a folder, for matches of such lengths.
    fn hub(folder: &TempFolder, lengths: Lengths) -> Arc<Hub> {
        let mut hub = Hub::for_tests(folder);
        hub.lengths = lengths;
        Arc::new(hub)
    }

    /// A match, as somebody has asked for it.
    async fn begin(hub: &Arc<Hub>, seats: &str) -> Arc<Table> {
        let owner = Owner::Guest(1);
        let who =
            Identity { name: "guest-1".to_owned(), owner, is_operator: false, token: 1, is_program: false };
        let json = format!(r#"{{"game":"hexapawn","seats":[{seats}],"seed":"7"}}"#);
        let new: NewMatch = serde_json::from_str(&json).expect("it has the form of one");
        let wanted = new.read(&who.name).expect("it can be played");
        hub.make(wanted, &who).await.expect("it begins").table
    }

    /// Waits until something holds, however slow the machine is.
    async fn wait(what: &str, holds: impl Fn() -> bool) {
        for _ in 0..6000 {
            if holds() {
                return;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("it never came: {what}");
    }

    fn sentence(table: &Table) -> String {
        let over = table.look(crate::data::Sight::default()).over;
        over.map(|over| over.sentence).unwrap_or_default()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn fault_w05_a_match_that_is_too_long_to_be_stored_is_over_for_good() {
        let folder = TempFolder::new("hub-too-long");
        let hub = hub(&folder, Lengths { record: 100, ..Lengths::default() });
        let table = begin(&hub, COMPUTERS).await;
        wait("its end", || sentence(&table).contains("too long to be stored")).await;
        assert!(!hub.spool.has_record(table.id()), "its record is not tried again at every start");
        assert!(hub.table(table.id()).is_some(), "whoever looks sees how it ended");
        hub.put_away(&table, Kept::TooLong, Duration::ZERO).await;
        assert!(hub.find(table.id().as_str()).await.is_err(), "and then it is gone");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_an_earlier_run_has_left_and_nobody_can_store_is_tried_once() {
        let folder = TempFolder::new("hub-left");
        let record = random_record(&GameSpec::parse("hexapawn").unwrap(), Seed(3)).unwrap();
        // One that is over, and one that had not ended.
        let lines: Vec<&[u8]> = record.split_inclusive(|&byte| byte == b'\n').collect();
        for n_lines in [lines.len(), lines.len() - 2] {
            let live = folder.join("hub.db.live");
            std::fs::create_dir_all(&live).unwrap();
            let id = GameId::random();
            std::fs::write(live.join(format!("{id}{SUFFIX}")), lines[..n_lines].concat()).unwrap();
            let hub = hub(&folder, Lengths { record: 100, ..Lengths::default() });
            assert_eq!(hub.resume().await, 0);
            wait("its end", || !hub.spool.has_record(id)).await;
            assert!(hub.spool.left().unwrap().is_empty(), "{n_lines} lines");
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn fault_s03_a_match_whose_file_could_not_be_written_to_its_end_is_stored_from_what_was_played() {
        let folder = TempFolder::new("hub-cut");
        let hub = hub(&folder, Lengths::default());
        let record = random_record(&GameSpec::parse("hexapawn").unwrap(), Seed(3)).unwrap();
        let mut played = rookery_live::read_story(&record[..]).unwrap().snapshot();
        let id = GameId::random();
        let file = folder.join("hub.db.live").join(format!("{id}{SUFFIX}"));
        std::fs::write(&file, &record[..record.len() / 2]).unwrap();
        let owners = vec![None, None];
        assert_eq!(hub.store_record(id, owners.clone(), None).await, Kept::NotYet, "half of it is no record");
        played.record_problem = Some("the disk was full".to_owned());
        assert_eq!(hub.store_record(id, owners, Some(Arc::new(played))).await, Kept::Stored);
        assert_eq!(hub.store.record(id).unwrap(), record);
        assert!(!file.exists());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn fault_w05_a_match_in_which_too_much_happens_is_ended() {
        let folder = TempFolder::new("hub-news");
        let hub = hub(&folder, Lengths { news: 2, ..Lengths::default() });
        // The computer is asked and moves, the person is asked.
        let table = begin(&hub, r#""random","me""#).await;
        wait("its end", || table.over_since().is_some()).await;
        let verdict = table.snapshot().verdict.clone().expect("it is over");
        assert_eq!(verdict.ending.cause, Cause::Cancelled);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn matches_that_are_over_make_room_and_are_found_in_the_store() {
        let folder = TempFolder::new("hub-room");
        let hub = hub(&folder, Lengths { at_hand: 0, ..Lengths::default() });
        let table = begin(&hub, COMPUTERS).await;
        wait("the store", || hub.table(table.id()).is_none()).await;
        let found = hub.find(table.id().as_str()).await.expect("it is found");
        assert!(matches!(found, Found::Stored(_)));
        assert_eq!(found.snapshot().plies(), table.snapshot().plies());
        assert_eq!(
            found.scenes(0..99),
            Found::Table(Arc::clone(&table)).scenes(0..99),
            "pieces and ids are the same"
        );
        // What was stored though nobody heard of it is known to be stored when it is tried again.
        hub.insert(&table);
        hub.put_away(&table, Kept::NotYet, Duration::ZERO).await;
        assert!(hub.table(table.id()).is_none());
    }
}
