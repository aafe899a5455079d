//! Tournaments that are told to stop.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use rookery_arena::{Holding, Tournament};
use rookery_live::{GRACE, Signal, Stopping};
use rookery_store::{GameFilter, Options, Reserve, Store, TournamentState};
use rookery_testkit::TempFolder;
use rookery_tournament::{TournamentEvent, TournamentSpec};
use rookery_wire::Protocols;

const SPEC: &str = r#"{"name": "evening", "games": ["hexapawn"], "format": {"kind": "round-robin"},
    "entrants": [{"name": "Ann", "player": "random"}, {"name": "Ben", "player": "first"}]}"#;

fn store(folder: &TempFolder) -> Store {
    let reserve = Reserve { bytes: 0, percent: 0 };
    let options = Options { ballast: 1 << 20, reserve, ..Options::default() };
    Store::open(folder.join("games.db").to_str().unwrap(), &options).unwrap()
}

/// Whoever waits for a game to begin finds that it was told to stop: nothing is missing then. Often, because threads race.
#[test]
fn a_stop_before_the_first_game_begins_none_and_is_no_failure() {
    let folder = TempFolder::new("arena");
    let store = store(&folder);
    let spec: TournamentSpec = serde_json::from_str(SPEC).unwrap();
    let protocols = Protocols::default();
    let holding = Holding {
        programs: None,
        protocols: &protocols,
        concurrency: 2,
        affinity: true,
        announce: &|_, _| (),
        elsewhere: None,
    };
    for _ in 0..30 {
        let tournament = Tournament::create(&store, spec.clone()).unwrap();
        let stopping = Stopping::new(GRACE);
        stopping.request(Signal::Interrupt);
        let mut events = vec![];
        let held = tournament.hold(&holding, &stopping, &mut events, &mut |_| (), &mut |_| Ok(()));
        assert!(!held.unwrap().complete);
        assert!(!events.iter().any(|event| matches!(event, TournamentEvent::Paired(_))), "{events:?}");
        assert_eq!(store.tournament(tournament.id()).unwrap().state, TournamentState::Paused);
    }
    assert_eq!(store.n_games(&GameFilter::default()).unwrap(), 0);
    // One that races with the first games ends as well, and another run plays what is missing.
    for _ in 0..30 {
        let tournament = Tournament::create(&store, spec.clone()).unwrap();
        let stopping = Stopping::new(GRACE);
        let other = stopping.clone();
        let stopper = std::thread::spawn(move || other.request(Signal::Interrupt));
        tournament.hold(&holding, &stopping, &mut (), &mut |_| (), &mut |_| Ok(())).unwrap();
        stopper.join().unwrap();
        let held = tournament.hold(&holding, &Stopping::new(GRACE), &mut (), &mut |_| (), &mut |_| Ok(()));
        assert!(held.unwrap().complete);
        assert_eq!(tournament.results().unwrap().count(), 2);
    }
}
