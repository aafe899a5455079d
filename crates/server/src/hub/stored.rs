//! Matches that are over, read from the store and kept for a while.

use std::sync::{Arc, Mutex, PoisonError};

use rookery_live::{Snapshot, read_story};
use rookery_referee::MatchSpec;
use rookery_rules::{Scene, Seat};
use rookery_store::{EntrantId, GameId, Store, is_given_up};

use super::private::{bundle_owners, owns_program};
use crate::accounts::{Identity, blocking};
use crate::data::{Around, Can, MatchState, SceneData, Sight, scenes};
use crate::http::ApiError;

/// How many are kept.
const KEPT: usize = 64;

/// A match that is over.
#[derive(Debug)]
pub struct StoredMatch {
    /// Its id.
    pub id: GameId,
    /// How it stood at its end.
    pub snapshot: Snapshot,
    /// One a ply.
    pub scenes: Vec<Scene>,
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
        let scene = self.scenes.last().map(SceneData::from);
        let scene = scene.unwrap_or_else(|| SceneData::from(&self.snapshot.position.scene()));
        let around =
            Around { id: self.id.as_str(), version: 0, online: &[], back_ms: &[], viewers: 0, waiting: &[] };
        let tournament = self.cup.map(|id| id.to_string());
        let state = MatchState::new(&self.snapshot, scene, &around, sight);
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

    /// The seat of somebody with a name.
    pub fn seat_of(&self, person: rookery_store::EntrantId) -> Option<Seat> {
        Seat::all(self.entrants.len())
            .zip(&self.entrants)
            .find(|(_, id)| **id == Some(person))
            .map(|(seat, _)| seat)
    }
}

/// The last ones that were asked for.
#[derive(Debug, Default)]
pub struct Shelf(Mutex<Vec<Arc<StoredMatch>>>);

/// How many matches from files are kept, and how many bytes of them.
const LOOSE: usize = 32;
const LOOSE_BYTES: usize = 32 << 20;

/// Matches from files, the newest first: found by whoever knows the id, in no list, and gone when others come.
#[derive(Debug, Default)]
pub struct Loose(Mutex<Vec<Arc<StoredMatch>>>);

impl Loose {
    /// Keeps one for a while.
    pub fn put(&self, found: StoredMatch) -> Arc<StoredMatch> {
        let found = Arc::new(found);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert(0, Arc::clone(&found));
        kept.truncate(LOOSE);
        let mut bytes = 0;
        kept.retain(|one| {
            bytes += one.file.as_ref().map_or(0, Vec::len);
            bytes <= LOOSE_BYTES || one.id == found.id
        });
        drop(kept);
        found
    }

    /// One that was kept.
    pub fn get(&self, id: GameId) -> Option<Arc<StoredMatch>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|one| one.id == id).cloned()
    }
}

impl Shelf {
    /// A match of the store.
    pub async fn get(&self, store: &Store, id: GameId) -> Result<Arc<StoredMatch>, ApiError> {
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
            let bundle_owners = bundle_owners(&asked, &snapshot.spec);
            let is_renamed = given_up.iter().any(Option::is_some);
            if is_renamed {
                let mut spec = MatchSpec::clone(&snapshot.spec);
                for (seat, name) in spec.seats.iter_mut().zip(given_up) {
                    seat.name = name.unwrap_or_else(|| std::mem::take(&mut seat.name));
                }
                snapshot.spec = Arc::new(spec);
            }
            let scenes = scenes(&snapshot);
            let file = None;
            Ok::<_, String>(StoredMatch {
                id,
                snapshot,
                scenes,
                entrants,
                bundle_owners,
                is_renamed,
                cup,
                file,
            })
        });
        let found = reading.await.map_err(|error| ApiError::ours(&error))?;
        let found = Arc::new(found.map_err(|error| ApiError::ours(&error))?);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.truncate(KEPT - 1);
        kept.insert(0, Arc::clone(&found));
        Ok(found)
    }

    /// What is kept of somebody's matches is read anew.
    pub fn forget(&self, player: EntrantId) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|stored| !stored.entrants.contains(&Some(player)));
    }

    fn find(&self, id: GameId) -> Option<Arc<StoredMatch>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let idx = kept.iter().position(|stored| stored.id == id)?;
        let found = kept.remove(idx);
        kept.insert(0, Arc::clone(&found));
        Some(found)
    }
}
