//! Tournaments of other coordinators: two of them may use one broker, each with a store of its own, and what is the other one's is
//! not ours to answer. Also what the store says of games that nobody waits for any more.

use std::collections::HashMap;
use std::sync::Arc;

use rookery_store::{Hash, JobRow, JobState, StoreError, TournamentId};
use tokio::sync::Semaphore;

use crate::core::{Answer, Claim, Name, Refusal};
use crate::judging::Packed;
use crate::server::{Event, Server};
use crate::{JobId, message};

/// How many tournaments are kept in mind.
const MOST: usize = 4096;
/// How many are looked up at a time.
const LOOKUPS: usize = 4;

/// Which tournaments were looked up, and whether they are in our store.
#[derive(Debug)]
pub(crate) struct Ownership {
    known: HashMap<TournamentId, bool>,
    lookups: Arc<Semaphore>,
}

impl Default for Ownership {
    fn default() -> Self {
        Self { known: HashMap::new(), lookups: Arc::new(Semaphore::new(LOOKUPS)) }
    }
}

impl Ownership {
    pub(crate) fn note(&mut self, tournament: TournamentId, is_ours: bool) {
        if self.known.len() >= MOST {
            self.known.clear();
        }
        self.known.insert(tournament, is_ours);
    }
}

impl Server {
    /// Whether a tournament is in our store. One that has to be looked up first is not answered now: whoever asks asks again.
    pub(crate) fn is_ours(&self, tournament: TournamentId) -> bool {
        if self.core.loads().contains_key(&tournament) || self.watchers.contains_key(&tournament) {
            return true;
        }
        if let Some(&is_ours) = self.ownership.known.get(&tournament) {
            return is_ours;
        }
        let Ok(permit) = Arc::clone(&self.ownership.lookups).try_acquire_owned() else { return false };
        let (store, events) = (self.config.store.clone(), self.events.clone());
        tokio::spawn(async move {
            let looked = tokio::task::spawn_blocking(move || match store.tournament(tournament) {
                Ok(_) => Some(true),
                Err(StoreError::Unknown { .. }) => Some(false),
                Err(_) => None,
            });
            let looked = looked.await;
            drop(permit);
            // Where the store is in trouble it is looked up again.
            if let Ok(Some(is_ours)) = looked {
                let _ = events.send(Event::LookedUp(tournament, is_ours)).await;
            }
        });
        false
    }
    /// A record of a job that is not in memory: its tournament is over, or the job was taken back. The answer to its first delivery
    /// may have been lost with the coordinator of that time, so the row decides whether it counts.
    pub(crate) fn answer_from_store(&self, worker: Name, claim: Claim<JobId>, packed: Packed) {
        let Ok(permit) = Arc::clone(&self.ownership.lookups).try_acquire_owned() else { return };
        let (store, events) = (self.config.store.clone(), self.events.clone());
        tokio::spawn(async move {
            let looked = tokio::task::spawn_blocking(move || {
                // Where the store is in trouble there is no answer: the record comes again.
                let row = store.job(claim.key.tournament, claim.key.pairing).ok()?;
                let is_stored = row.is_some_and(|row| is_record_of(&row, &claim, packed.bytes()));
                let dropped = |claim| Answer::Dropped { claim, why: Refusal::Unknown };
                Some(if is_stored { Answer::Stored(claim) } else { dropped(claim) })
            });
            let looked = looked.await;
            drop(permit);
            if let Ok(Some(answer)) = looked {
                let _ = events.send(Event::Answered(worker, answer)).await;
            }
        });
    }
}

/// Whether this packed record of this claim is the one that is stored.
fn is_record_of(row: &JobRow, claim: &Claim<JobId>, packed: &[u8]) -> bool {
    row.state == JobState::Done
        && (row.attempt, row.fence) == (claim.attempt, claim.fence)
        && message::unpack(packed).is_some_and(|record| row.sha256 == Some(Hash::of(&record)))
}
