//! Tournaments whose store cannot save for a while.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use rookery_arena::{ArenaError, Holding, Tournament};
use rookery_live::{GRACE, Signal, Stopping};
use rookery_store::{Options, Reserve, Store};
use rookery_testkit::TempFolder;
use rookery_tournament::{TournamentEvent, TournamentOutcome, TournamentSpec, Watcher};
use rookery_wire::Protocols;
use rusqlite::Connection;

/// More games than may wait for the disk, and long enough that some end while it is locked.
const SPEC: &str = r#"{"name": "evening", "games": ["hexapawn:rows=5,cols=5"], "format": {"kind": "series", "games": 100},
    "entrants": [{"name": "Ann", "player": "level:2"}, {"name": "Ben", "player": "level:3"}]}"#;

const SOON: Duration = Duration::from_millis(5);

fn store(folder: &TempFolder) -> Store {
    let short = Duration::from_millis(50);
    let reserve = Reserve { bytes: 0, percent: 0 };
    let options =
        Options { ballast: 1 << 20, reserve, busy_timeout: short, patience: 4 * short, ..Options::default() };
    Store::open(folder.join("games.db").to_str().unwrap(), &options).unwrap()
}

/// Counts pairings.
struct Paired<'a>(&'a AtomicUsize);

impl Watcher for Paired<'_> {
    fn see(&mut self, event: &TournamentEvent) {
        self.0.fetch_add(usize::from(matches!(event, TournamentEvent::Paired(_))), Ordering::Relaxed);
    }
}

fn hold(
    tournament: &Tournament,
    stopping: &Stopping,
    watcher: &mut dyn Watcher,
    over: &mut dyn FnMut(),
) -> Result<TournamentOutcome, ArenaError> {
    let protocols = Protocols::default();
    let holding = Holding {
        programs: None,
        protocols: &protocols,
        concurrency: 2,
        affinity: false,
        announce: &|_, _| (),
        elsewhere: None,
    };
    tournament.hold(&holding, stopping, watcher, &mut |_| (), &mut |_| {
        over();
        Ok(())
    })
}

/// Holds a new one; after one of the first games somebody else has locked the database, the store has noticed, and a game that
/// is over waits for it.
fn hold_locked(
    store: &Store,
    folder: &TempFolder,
    stopping: &Stopping,
    tournament: &Tournament,
    locked: &mut dyn FnMut(Connection),
) -> Result<TournamentOutcome, ArenaError> {
    let paired = AtomicUsize::new(0);
    let mut was_locked = false;
    let held = hold(tournament, stopping, &mut Paired(&paired), &mut || {
        if was_locked {
            return;
        }
        let other = Connection::open(folder.join("games.db")).unwrap();
        other.busy_timeout(Duration::from_secs(20)).unwrap();
        other.execute_batch("begin immediate").unwrap();
        // Something to store, so that it is noticed.
        drop(store.submit_round(tournament.id(), 1, ""));
        while !store.health().is_hindered() {
            sleep(SOON);
        }
        // Pairings that are not stored wait as well, and that round; what is more are games.
        let n_stored = store.pairings(tournament.id(), None).unwrap().len();
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(2) {
            if store.health().waiting > paired.load(Ordering::Relaxed) - n_stored + 1 {
                was_locked = true;
                locked(other);
                return;
            }
            sleep(SOON);
        }
        // All that had begun were over before it was locked: the next time, then.
        other.execute_batch("rollback").unwrap();
        while store.health().is_hindered() {
            sleep(SOON);
        }
    });
    assert!(was_locked, "{held:?}");
    held
}

#[test]
fn fault_s08_a_tournament_waits_for_a_database_that_is_locked_and_goes_on() {
    let folder = TempFolder::new("locked");
    let store = store(&folder);
    let spec: TournamentSpec = serde_json::from_str(SPEC).unwrap();
    let tournament = Tournament::create(&store, spec).unwrap();
    let held = hold_locked(&store, &folder, &Stopping::new(GRACE), &tournament, &mut |other| {
        spawn(move || {
            sleep(Duration::from_millis(700));
            other.execute_batch("rollback").unwrap();
        });
    });
    assert!(held.unwrap().complete);
    assert_eq!(tournament.results().unwrap().count(), 100);
}

/// What is not saved at the end is told, and played again.
#[test]
fn fault_s03_a_store_that_never_saves_again_does_not_keep_a_tournament_from_ending() {
    let folder = TempFolder::new("locked-for-ever");
    let store = store(&folder);
    let spec: TournamentSpec = serde_json::from_str(SPEC).unwrap();
    let tournament = Tournament::create(&store, spec).unwrap();
    let stopping = Stopping::new(GRACE);
    let mut kept = None;
    let held = hold_locked(&store, &folder, &stopping, &tournament, &mut |other| {
        kept = Some(other);
        stopping.request(Signal::Interrupt);
        stopping.request(Signal::Interrupt);
    });
    assert!(matches!(held, Err(ArenaError::Unsaved(1..))), "{held:?}");
    drop(kept);
    while store.health().is_hindered() {
        sleep(SOON);
    }
    let held = hold(&tournament, &Stopping::new(GRACE), &mut (), &mut || ());
    assert!(held.unwrap().complete);
    assert_eq!(tournament.results().unwrap().count(), 100);
}
