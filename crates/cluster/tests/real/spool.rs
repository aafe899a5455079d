//! A worker without its broker: what it finishes is on its disk, and counts when it is delivered after a new start.

use std::thread;

use rookery_arena::Tournament;
use rookery_record::Key;
use rookery_store::{JobRow, JobState, Store, TournamentId};
use rookery_testkit::TempFolder;
use rookery_testkit::nats::Nats;
use rookery_tournament::TournamentSpec;
use serde_json::json;

use crate::{Machine, hold, open, remote, stop_never, wait_for};

/// Two games that last for longer than it takes to end a broker.
fn long_games() -> TournamentSpec {
    serde_json::from_value(json!({
        "name": "long games",
        "games": ["four"],
        "format": { "kind": "series", "games": 2 },
        "entrants": [
            { "name": "one", "player": "mcts:playouts=8000" },
            { "name": "two", "player": "mcts:playouts=7999" },
        ],
        "seed": "16",
    }))
    .unwrap()
}

fn leased(store: &Store, id: TournamentId) -> Vec<JobRow> {
    let jobs = store.jobs_of(id).unwrap();
    jobs.into_iter().filter(|job| job.state == JobState::Leased).collect()
}

#[test]
fn fault_q06_what_is_finished_without_a_broker_is_kept_and_the_same_attempt_counts_after_a_new_start() {
    let Some(mut broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-spool");
    let store = open(&folder, "many.db");
    let coordinator = remote(&broker, &store);
    let worker = Machine::start(&broker, &folder, "ann");
    let tournament = Tournament::create(&store, long_games()).unwrap();
    let id = tournament.id();
    let stopping = stop_never();
    thread::scope(|scope| {
        let holding = scope.spawn(|| hold(&tournament, Some(&coordinator), &stopping));
        wait_for("both games at the worker", || leased(&store, id).len() == 2);
        broker.crash();
        // It ends what it plays, cannot deliver it, and ends itself.
        let done = worker.drain();
        assert_eq!((done.stored, done.undelivered, done.unfinished), (0, 2, 0), "{done:?}");
        assert_eq!(leased(&store, id).len(), 2, "and nobody knows of it yet");
        broker.resume();
        let again = Machine::start(&broker, &folder, "ann");
        assert_eq!(holding.join().unwrap(), Ok(true));
        let done = again.drain();
        assert_eq!((done.stored, done.dropped, done.undelivered), (2, 0, 0), "{done:?}");
    });
    for pairing in 0..2 {
        assert!(store.record_of(id, Key { pairing, attempt: 1 }).is_ok(), "the first attempt counts");
    }
    let worker = Machine::start(&broker, &folder, "ann");
    assert_eq!(worker.drain().undelivered, 0, "nothing of it is left on the disk");
}
