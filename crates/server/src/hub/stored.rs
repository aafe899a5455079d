//! Matches that are over, read from the store and kept for a while.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rookery_live::{Deed, Entry, Snapshot, read_story};
use rookery_referee::MatchSpec;
use rookery_rules::Seat;
use rookery_store::{EntrantId, GameId, Store, is_given_up};
use tokio::sync::Semaphore;

use super::private::{bundle_owners, owns_program};
use crate::accounts::{Identity, blocking};
use crate::data::{Around, Can, MatchState, SceneData, Sight, Trail};
use crate::http::ApiError;

/// How many are kept, and about how many bytes of them.
const KEPT: usize = 64;
const KEPT_BYTES: usize = 64 << 20;
/// About what a move of a match takes, with the position after it.
const ENTRY_BYTES: usize = 1 << 10;

/// A match that is over.
#[derive(Debug)]
pub struct StoredMatch {
    /// Its id.
    pub id: GameId,
    /// How it stood at its end.
    pub snapshot: Arc<Snapshot>,
    /// The scene at its end.
    pub last: SceneData,
    /// From which the others are made.
    pub trail: Trail,
    /// Who played, by seat, if they had a name.
    pub entrants: Vec<Option<rookery_store::EntrantId>>,
    /// Whose the uploaded bots are, by seat.
    pub bundle_owners: Vec<Option<rookery_store::EntrantId>>,
    /// Whether somebody who played has given up the name since, so that the record is shown with another.
    pub is_renamed: bool,
    /// The tournament it belongs to.
    pub cup: Option<rookery_store::TournamentId>,
    /// Its record, if it comes from a file and is not in the store.
    pub file: Option<Vec<u8>>,
}

impl StoredMatch {
    /// How it ended, for somebody.
    pub fn look(&self, sight: Sight) -> MatchState {
        let around =
            Around { id: self.id.as_str(), version: 0, online: &[], back_ms: &[], viewers: 0, waiting: &[] };
        let tournament = self.cup.map(|id| id.to_string());
        let state = MatchState::new(&self.snapshot, self.last.clone(), &around, sight);
        let guest = self.entrants.iter().any(Option::is_none).then_some("a guest played");
        let unrated = match (&self.file, self.cup) {
            (Some(_), _) => Some("it comes from a file"),
            (None, Some(_)) => None,
            (None, None) => state.unrated.or(guest),
        };
        // Whoever played is asked for another one while they are still at the table.
        MatchState { unrated, tournament, can: Can::default(), ..state }
    }

    /// Whether somebody may read what the program at a seat wrote to its standard error.
    pub fn owns_program(&self, who: Option<&Identity>, seat: Option<Seat>) -> bool {
        owns_program(&self.bundle_owners, who, seat)
    }

    /// The same for the program because of which the match ended.
    pub fn may_read_stderr(&self, who: Option<&Identity>) -> bool {
        let verdict = self.snapshot.verdict.as_ref();
        self.owns_program(who, verdict.and_then(|verdict| verdict.ending.seat))
    }

    /// About how many bytes it takes.
    fn bytes(&self) -> usize {
        let file = self.file.as_ref().map_or(0, Vec::len);
        let said = |entry: &Arc<Entry>| match &entry.deed {
            Deed::Moved { info: Some(info), .. } => info.bytes(),
            _ => 0,
        };
        let entries = &self.snapshot.entries;
        let entries = entries.len() * ENTRY_BYTES + entries.iter().map(said).sum::<usize>();
        file + entries + self.trail.bytes()
    }

    /// The seat of somebody with a name.
    pub fn seat_of(&self, person: rookery_store::EntrantId) -> Option<Seat> {
        Seat::all(self.entrants.len())
            .zip(&self.entrants)
            .find(|(_, id)| **id == Some(person))
            .map(|(seat, _)| seat)
    }
}

/// The last matches of some kind that were asked for, the newest first.
#[derive(Debug, Default)]
struct Last(Mutex<Vec<Arc<StoredMatch>>>);

impl Last {
    fn kept(&self) -> MutexGuard<'_, Vec<Arc<StoredMatch>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One more. Of the others those stay that were asked for last, no more than so many and so many bytes.
    fn put(&self, found: Arc<StoredMatch>, most: usize, most_bytes: usize) {
        let mut kept = self.kept();
        let mut bytes = found.bytes();
        // Two may have read the same one.
        kept.retain(|one| one.id != found.id);
        kept.insert(0, found);
        kept.truncate(most);
        let enough = kept.iter().skip(1).position(|one| {
            bytes += one.bytes();
            bytes > most_bytes
        });
        if let Some(enough) = enough {
            kept.truncate(1 + enough);
        }
    }
}

/// How many are read from the store at the same time.
const READ_AT_ONCE: usize = 4;

/// The last ones that were asked for.
#[derive(Debug)]
pub struct Shelf {
    last: Last,
    reading: Semaphore,
}

impl Default for Shelf {
    fn default() -> Self {
        Self { last: Last::default(), reading: Semaphore::new(READ_AT_ONCE) }
    }
}

/// How many matches from files are kept, and about how many bytes of them.
const LOOSE: usize = 32;
const LOOSE_BYTES: usize = 64 << 20;

/// Matches from files: found by whoever knows the id, in no list, and gone when others come.
#[derive(Debug, Default)]
pub struct Loose(Last);

impl Loose {
    /// Keeps one for a while.
    pub fn put(&self, found: StoredMatch) -> Arc<StoredMatch> {
        let found = Arc::new(found);
        self.0.put(Arc::clone(&found), LOOSE, LOOSE_BYTES);
        found
    }

    /// One that was kept.
    pub fn get(&self, id: GameId) -> Option<Arc<StoredMatch>> {
        self.0.kept().iter().find(|one| one.id == id).cloned()
    }
}

impl Shelf {
    /// A match of the store.
    pub async fn get(&self, store: &Store, id: GameId) -> Result<Arc<StoredMatch>, ApiError> {
        if let Some(found) = self.find(id) {
            return Ok(found);
        }
        // It is closed by nobody.
        let _turn = self.reading.acquire().await;
        if let Some(found) = self.find(id) {
            return Ok(found);
        }
        let (store, asked) = (store.clone(), store.clone());
        let read = blocking(move || {
            let game = store.game(id)?;
            let mut given_up = vec![None; game.entrants.len()];
            for (name, id) in given_up.iter_mut().zip(&game.entrants) {
                if let Some(id) = id {
                    *name = Some(store.entrant_by_id(*id)?.name).filter(|name| is_given_up(name));
                }
            }
            Ok((store.record(id)?, game.entrants, given_up, game.key.map(|key| key.tournament)))
        });
        let (record, entrants, given_up, cup) = read.await?;
        let reading = tokio::task::spawn_blocking(move || {
            let mut snapshot = read_story(&record[..]).map_err(|error| error.to_string())?.snapshot();
            drop(record);
            let bundle_owners = bundle_owners(&asked, &snapshot.spec);
            let is_renamed = given_up.iter().any(Option::is_some);
            if is_renamed {
                let mut spec = MatchSpec::clone(&snapshot.spec);
                for (seat, name) in spec.seats.iter_mut().zip(given_up) {
                    seat.name = name.unwrap_or_else(|| std::mem::take(&mut seat.name));
                }
                snapshot.spec = Arc::new(spec);
            }
            let (snapshot, trail, file) = (Arc::new(snapshot), Trail::default(), None);
            let last = SceneData::from(&trail.newest(&snapshot));
            Ok::<_, String>(StoredMatch {
                id,
                snapshot,
                last,
                trail,
                entrants,
                bundle_owners,
                is_renamed,
                cup,
                file,
            })
        });
        let found = reading.await.map_err(|error| ApiError::ours(&error))?;
        let found = Arc::new(found.map_err(|error| ApiError::ours(&error))?);
        self.last.put(Arc::clone(&found), KEPT, KEPT_BYTES);
        Ok(found)
    }

    /// What is kept of somebody's matches is read anew.
    pub fn forget(&self, player: EntrantId) {
        self.last.kept().retain(|stored| !stored.entrants.contains(&Some(player)));
    }

    fn find(&self, id: GameId) -> Option<Arc<StoredMatch>> {
        let mut kept = self.last.kept();
        let idx = kept.iter().position(|stored| stored.id == id)?;
        let found = kept.remove(idx);
        kept.insert(0, Arc::clone(&found));
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use rookery_live::random_record;
    use rookery_rules::{GameSpec, Seed};

    use super::*;

    #[test]
    fn no_more_are_kept_than_there_is_room_for() {
        let record = random_record(&GameSpec::parse("hexapawn").unwrap(), Seed(3)).unwrap();
        let snapshot = Arc::new(read_story(&record[..]).unwrap().snapshot());
        let new = || {
            let trail = Trail::default();
            let last = SceneData::from(&trail.newest(&snapshot));
            Arc::new(StoredMatch {
                id: GameId::random(),
                snapshot: Arc::clone(&snapshot),
                last,
                trail,
                entrants: vec![],
                bundle_owners: vec![],
                is_renamed: false,
                cup: None,
                file: None,
            })
        };
        let (kept, each) = (Last::default(), new().bytes());
        assert!(each >= snapshot.entries.len() * ENTRY_BYTES && each > 0);
        let all: Vec<_> = (0..5).map(|_| new()).collect();
        let ids = |some: &[Arc<StoredMatch>]| some.iter().map(|one| one.id).collect::<Vec<_>>();
        for one in &all {
            kept.put(Arc::clone(one), 3, usize::MAX);
        }
        assert_eq!(ids(&kept.kept()), [all[4].id, all[3].id, all[2].id], "three, the newest first");
        kept.put(Arc::clone(&all[0]), 3, 2 * each);
        assert_eq!(ids(&kept.kept()), [all[0].id, all[4].id], "two are as many bytes as there may be");
        kept.put(Arc::clone(&all[1]), 3, 1);
        assert_eq!(ids(&kept.kept()), [all[1].id], "the newest is always kept");
        kept.put(Arc::clone(&all[1]), 3, usize::MAX);
        assert_eq!(ids(&kept.kept()), [all[1].id], "and once");
    }
}
