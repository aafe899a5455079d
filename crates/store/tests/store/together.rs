//! Games of workers that come together are written with few statements, and are stored as if each had come alone.

use rookery_record::Key;
use rookery_store::{
    CheckOrder, GameFilter, JobChange, NewGame, Page, PairingState, Store, StoreError, TournamentId,
};
use rookery_tournament::Pairing;

use crate::common::{aborted, played, record_of, series};

fn change(id: TournamentId, pairing: &Pairing, record: Vec<u8>) -> JobChange {
    JobChange::Game(NewGame::of_pairing(id, Key::first(pairing.id), record))
}

fn n_games(store: &Store) -> usize {
    store.games(&GameFilter::default(), Page { before: None, limit: 1000 }).unwrap().len()
}

pub(crate) fn are_stored_as_if_alone(store: &Store) {
    let (id, pairings) = series(store, 150);
    // Pieces of every length that one statement writes.
    let all: Vec<JobChange> =
        pairings[..119].iter().map(|pairing| change(id, pairing, played(pairing))).collect();
    store.change_jobs(all.clone()).wait().unwrap();
    assert_eq!(n_games(store), 119);
    for pairing in &pairings[..119] {
        assert_eq!(store.record_of(id, Key::first(pairing.id)).unwrap(), played(pairing));
    }
    let states = store.pairings(id, None).unwrap();
    assert!(states[..119].iter().all(|pairing| pairing.state == PairingState::Done));
    assert!(states[119..].iter().all(|pairing| pairing.state == PairingState::Open));
    // All of them once more, with new ones among them: each is stored once.
    let more = pairings[119..140].iter().map(|pairing| change(id, pairing, played(pairing)));
    let mut mixed: Vec<JobChange> = more.collect();
    mixed.extend(all);
    store.change_jobs(mixed).wait().unwrap();
    assert_eq!(n_games(store), 140);
    // Another record of a game that is stored spoils what comes with it, and nothing of that stays.
    let mut bad: Vec<JobChange> =
        pairings[140..].iter().map(|pairing| change(id, pairing, played(pairing))).collect();
    bad.push(change(id, &pairings[0], record_of(["ann", "bob"], 999)));
    let refused = store.change_jobs(bad).wait().unwrap_err();
    assert!(matches!(refused, StoreError::Conflict { .. }), "{refused}");
    assert_eq!(n_games(store), 140);
    // One that failed by our fault leaves its pairing open for the next attempt, whoever comes with it.
    let mut last: Vec<JobChange> =
        pairings[140..149].iter().map(|pairing| change(id, pairing, played(pairing))).collect();
    last.push(change(id, &pairings[149], aborted(["ann", "bob"], 149)));
    store.change_jobs(last).wait().unwrap();
    let states = store.pairings(id, None).unwrap();
    assert_eq!((states[149].state, states[149].attempt), (PairingState::Open, 2));
    let report = store.check(&CheckOrder::default()).unwrap();
    assert!(report.is_good() && report.games == 150, "{report:?}");
}
