//! The games of a tournament, kept in a store.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use rookery_record::{Archive, ArchiveError, Key, Problem, Receipt, Sink, Slot, SyncError};
use rookery_store::{NewGame, Store, StoreError, TournamentId};

/// Keeps the games of one tournament. A game is gathered in memory and stored as a whole when it is over; one that was
/// stopped on the way is played again from its start, which gives the same game where nobody has a clock.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) store: Store,
    pub(crate) tournament: TournamentId,
    /// Pairings that failed because of us, with their last attempt.
    pub(crate) aborted: BTreeMap<u64, u32>,
    /// The first thing that the store refused. Archives tell problems as texts, and whoever ends by it wants to know more.
    pub(crate) refused: Arc<OnceLock<StoreError>>,
    /// Whether there was room for a game. A disk that is too small from the start is refused at once, not waited for.
    pub(crate) has_begun: AtomicBool,
}

impl Kept {
    /// The store counts pairings from 0, as formats do; files of records count from 1, as people do.
    fn key(key: &Key) -> Key {
        Key { pairing: key.pairing - 1, attempt: key.attempt }
    }
}

impl Archive for Kept {
    fn open(&self, key: &Key) -> Result<Slot, ArchiveError> {
        let (store, tournament, key) = (self.store.clone(), self.tournament, Self::key(key));
        let refused = self.refused.clone();
        if self.aborted.get(&key.pairing).is_some_and(|&last| key.attempt <= last) {
            let record = store.record_of(tournament, key).map_err(|error| wrong(&refused, error))?;
            return Ok(Slot::Finished(record));
        }
        store.expect_room().map_err(|error| wrong(&refused, error))?;
        self.has_begun.store(true, Ordering::Relaxed);
        Ok(Slot::New(Sink::in_memory(vec![], move |record| {
            if !has_verdict(&record) {
                return Receipt::at_once();
            }
            let stored = store.put_game(NewGame::of_pairing(tournament, key, record));
            Receipt::of(async move { stored.await.map(|_| ()).map_err(|error| unsaved(&refused, error)) })
        })))
    }

    fn is_hindered(&self) -> bool {
        let health = self.store.health();
        let lacks_room = || matches!(self.store.expect_room(), Err(StoreError::Full { .. }));
        health.is_hindered() || (!health.is_final && self.has_begun.load(Ordering::Relaxed) && lacks_room())
    }

    fn path(&self, _: &Key) -> Option<PathBuf> {
        None
    }

    fn keep_log(&self, key: &Key, seat: usize, log: &[u8]) -> Result<(), ArchiveError> {
        // It is stored with what comes next; a game whose log is lost is no less played.
        drop(self.store.put_log(self.tournament, Self::key(key), seat, log));
        Ok(())
    }
}

/// Whether the match is over: its last line says how it ended.
fn has_verdict(record: &[u8]) -> bool {
    let last = record.trim_ascii_end().rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    last.starts_with(b"{\"verdict\":")
}

fn wrong(refused: &OnceLock<StoreError>, error: StoreError) -> ArchiveError {
    let problem = Problem::Wrong(error.to_string());
    refused.get_or_init(|| error);
    ArchiveError::Record(PathBuf::new(), problem)
}

fn unsaved(refused: &OnceLock<StoreError>, error: StoreError) -> SyncError {
    let problem = error.to_string();
    refused.get_or_init(|| error);
    SyncError { path: PathBuf::new(), error: problem }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that fails here should fail")]
mod tests {
    use rookery_store::{Options, Reserve};
    use rookery_testkit::TempFolder;
    use rookery_tournament::TournamentSpec;

    use super::*;
    use crate::Tournament;

    const SPEC: &str = r#"{"name": "evening", "games": ["hexapawn"], "format": {"kind": "round-robin"},
        "entrants": [{"name": "Ann", "player": "random"}, {"name": "Ben", "player": "first"}]}"#;

    #[test]
    fn fault_s03_a_disk_that_becomes_too_full_is_waited_for_and_one_that_always_was_is_refused() {
        let folder = TempFolder::new("kept");
        let reserve = Reserve { bytes: u64::MAX, percent: 0 };
        let options = Options { ballast: 1 << 20, reserve, ..Options::default() };
        let store = Store::open(folder.join("games.db").to_str().unwrap(), &options).unwrap();
        let spec: TournamentSpec = serde_json::from_str(SPEC).unwrap();
        let tournament = Tournament::create(&store, spec).unwrap().id();
        let refused = Arc::new(OnceLock::new());
        let kept =
            Kept { store, tournament, aborted: BTreeMap::new(), refused, has_begun: AtomicBool::new(false) };
        assert!(!kept.is_hindered());
        assert!(kept.open(&Key { pairing: 1, attempt: 1 }).is_err());
        assert!(matches!(kept.refused.get(), Some(StoreError::Full { .. })));
        kept.has_begun.store(true, Ordering::Relaxed);
        assert!(kept.is_hindered());
    }
}
