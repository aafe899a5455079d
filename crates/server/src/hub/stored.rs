//! Matches that are over, read from the store and kept for a while.

use std::sync::{Arc, Mutex, PoisonError};

use rookery_live::{Snapshot, read_story};
use rookery_rules::{Scene, Seat};
use rookery_store::{GameId, Store};

use crate::accounts::blocking;
use crate::data::{Around, MatchState, SceneData, Sight, scenes};
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
}

impl StoredMatch {
    /// How it ended, for somebody.
    pub fn look(&self, sight: Sight) -> MatchState {
        let scene = self.scenes.last().map(SceneData::from);
        let scene = scene.unwrap_or_else(|| SceneData::from(&self.snapshot.position.scene()));
        let around = Around { id: self.id.as_str(), version: 0, online: &[], viewers: 0, waiting: &[] };
        MatchState::new(&self.snapshot, scene, &around, sight)
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

impl Shelf {
    /// A match of the store.
    pub async fn get(&self, store: &Store, id: GameId) -> Result<Arc<StoredMatch>, ApiError> {
        if let Some(found) = self.find(id) {
            return Ok(found);
        }
        let store = store.clone();
        let read = blocking(move || {
            let entrants = store.game(id)?.entrants;
            Ok((store.record(id)?, entrants))
        });
        let (record, entrants) = read.await?;
        let reading = tokio::task::spawn_blocking(move || {
            let snapshot = read_story(&record[..]).map_err(|error| error.to_string())?.snapshot();
            let scenes = scenes(&snapshot);
            Ok::<_, String>(StoredMatch { id, snapshot, scenes, entrants })
        });
        let found = reading.await.map_err(|error| ApiError::ours(&error))?;
        let found = Arc::new(found.map_err(|error| ApiError::ours(&error))?);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.truncate(KEPT - 1);
        kept.insert(0, Arc::clone(&found));
        Ok(found)
    }

    fn find(&self, id: GameId) -> Option<Arc<StoredMatch>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let idx = kept.iter().position(|stored| stored.id == id)?;
        let found = kept.remove(idx);
        kept.insert(0, Arc::clone(&found));
        Some(found)
    }
}
