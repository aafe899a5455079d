//! Tournaments whose store cannot save for a while.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::thread::{sleep, spawn};
use std::time::Duration;

use rookery_arena::{ArenaError, Holding, Tournament};
use rookery_live::{GRACE, Signal, Stopping};
use rookery_store::{Options, Reserve, Store};
use rookery_testkit::TempFolder;
use rookery_tournament::{TournamentOutcome, TournamentSpec};
use rookery_wire::Protocols;
use rusqlite::Connection;

/// More games than may wait for the disk, and long enough that some end while it is locked.
const SPEC: &str = r#"{"name": "evening", "games": ["hexapawn:rows=5,cols=5"], "format": {"kind": "series", "games": 100},
    "entrants": [{"name": "Ann", "player": "level:2"}, {"name": "Ben", "player": "level:3"}]}"#;

fn store(folder: &TempFolder) -> Store {
    let short = Duration::from_millis(50);
    let reserve = Reserve { bytes: 0, percent: 0 };
    let options =
        Options { ballast: 1 << 20, reserve, busy_timeout: short, patience: 4 * short, ..Options::default() };
    Store::open(folder.join("games.db").to_str().unwrap(), &options).unwrap()
}

/// Holds it; after the first game somebody else has locked the database, and the store has noticed.
fn hold_locked(
    store: &Store,
    folder: &TempFolder,
    stopping: &Stopping,
    tournament: &Tournament,
    locked: &mut dyn FnMut(Connection),
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
    let mut first = true;
    tournament.hold(&holding, stopping, &mut (), &mut |_| (), &mut |_| {
        if std::mem::take(&mut first) {
            let other = Connection::open(folder.join("games.db")).unwrap();
            other.busy_timeout(Duration::from_secs(20)).unwrap();
            other.execute_batch("begin immediate").unwrap();
            // Something to store, so that it is noticed.
            drop(store.submit_round(tournament.id(), 1, ""));
            while !store.health().is_hindered() {
                sleep(Duration::from_millis(5));
            }
            locked(other);
        }
        Ok(())
    })
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
        sleep(Duration::from_millis(5));
    }
    let held = hold_locked(&store, &folder, &Stopping::new(GRACE), &tournament, &mut drop);
    assert!(held.unwrap().complete);
    assert_eq!(tournament.results().unwrap().count(), 100);
}
