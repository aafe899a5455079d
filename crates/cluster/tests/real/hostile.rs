//! Workers that say what cannot be, and coordinators of other stores on the same broker: neither ends a coordinator or takes a game
//! from anybody.

use std::time::Duration;

use rookery_arena::{Arrived, Elsewhere as _, Order, Tournament};
use rookery_cluster::{Remote, RemoteConfig};
use rookery_referee::MatchSpec;
use rookery_store::{JobState, Options, Store, TournamentId};
use rookery_testkit::TempFolder;
use rookery_testkit::nats::Nats;
use rookery_testkit::postgres::Postgres;
use serde_json::{Value, json};

use crate::ghost::Ghost;
use crate::proof::{access, order};
use crate::{Machine, TERMS, hashes, hold, open, remote, spec, stop_never, wait_for};

/// Says what no honest worker says; a game that it failed at is attempted again.
fn provoke(broker: &Nats, store: &Store) {
    let remote = remote(broker, store);
    let (id, _) = order(&remote, store);
    let mut ghost = Ghost::new(broker, "ghost");
    ghost.say(&json!([{ "hello": { "slots": u32::MAX } }]));
    let claim = ghost.take(&format!("{id}:0"), 1);
    ghost.say(&json!([{ "beat": { "claim": claim, "beat": u64::MAX } }]));
    ghost.say(&json!([{ "about": { "idle": "\0", "spooled": u64::MAX } }]));
    ghost.say(&json!([{ "fail": { "claim": claim, "why": "what is \0 for?" } }]));
    wait_for("the failed attempt", || !store.ended_attempts(id).unwrap().is_empty());
    assert_eq!(store.ended_attempts(id).unwrap()[0].how, "failed: what is \u{fffd} for?");
    let mut other = Ghost::new(broker, "other");
    let claim = other.take(&format!("{id}:0"), 2);
    // The judge quotes what it does not understand.
    other.send(&claim, b"{\"rec\0ord\": 1}\n");
    wait_for("the refused record", || store.ended_attempts(id).unwrap().len() == 2);
    other.take(&format!("{id}:0"), 3);
}

#[test]
fn fault_q12_no_worker_can_end_the_coordinator() {
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-hostile");
    provoke(&broker, &open(&folder, "many.db"));
    let Some(postgres) = Postgres::start() else { return };
    let url = postgres.database("rookery");
    provoke(&broker, &Store::open(&url, &Options::default()).unwrap());
}

#[test]
fn fault_q10_a_change_that_the_store_refuses_ends_its_tournament_and_no_other() {
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-refused");
    let store = open(&folder, "many.db");
    let remote = remote(&broker, &store);
    let agreed = MatchSpec::new("hexapawn", ["random", "first"], rookery_rules::Seed(7)).unwrap();
    let nowhere = TournamentId::random();
    let mut arrived = remote.open(nowhere);
    remote.play(Order {
        tournament: nowhere,
        pairing: 0,
        attempt: 1,
        spec: agreed,
        until_proved: false,
        scale_time: None,
        bots: None,
    });
    let gone = arrived.blocking_recv();
    assert!(matches!(&gone, Some(Arrived::Gone(why)) if why.contains("tournament")), "{gone:?}");
    let worker = Machine::start(&broker, &folder, "ann");
    let tournament = Tournament::create(&store, spec(10)).unwrap();
    assert_eq!(hold(&tournament, Some(&remote), &stop_never()), Ok(true));
    assert_eq!(worker.drain().stored, 10);
}

#[test]
fn fault_q10_coordinators_of_two_stores_share_a_broker_and_leave_each_other_alone() {
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-strangers");
    let (ours, theirs) = (open(&folder, "ours.db"), open(&folder, "theirs.db"));
    let stranger = remote(&broker, &theirs);
    let first = remote(&broker, &ours);
    let (id, _) = order(&first, &ours);
    let mut ghost = Ghost::new(&broker, "ghost");
    let claim = ghost.take(&format!("{id}:0"), 1);
    drop(first);
    // Its own coordinator is away: nobody else may tell it to stop, or that its record is not needed.
    for _ in 0..5 {
        ghost.say(&json!([
            { "beat": { "claim": claim, "beat": 1 } },
            { "take": { "key": format!("{id}:0"), "attempt": 1 } },
        ]));
        ghost.send(&claim, b"a record");
        for kind in ["stop", "refused", "dropped"] {
            assert_eq!(ghost.answer(kind, Duration::from_millis(100)), None, "{kind}");
        }
    }
    // Of its own games it speaks, also of those that are over.
    let tournament = Tournament::create(&theirs, spec(2)).unwrap();
    let own = format!("{}:0", tournament.id());
    wait_for("an answer", || {
        ghost.say(&json!([{ "take": { "key": own, "attempt": 1 } }]));
        ghost.answer("refused", Duration::from_millis(100)).is_some()
    });
    drop(stranger);
}

#[test]
fn fault_q14_a_stale_record_of_a_tournament_that_nobody_holds_is_answered() {
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-stale");
    let store = open(&folder, "many.db");
    let first = remote(&broker, &store);
    let (id, _) = order(&first, &store);
    let mut ghost = Ghost::new(&broker, "ghost");
    let claim = ghost.take(&format!("{id}:0"), 1);
    drop(first);
    // The next coordinator knows the job from its row, and nobody goes on with the tournament.
    let _next = remote(&broker, &store);
    let older = json!({ "key": claim["key"], "attempt": 1, "fence": 0 });
    let mut dropped = None;
    wait_for("an answer", || {
        ghost.send(&older, b"a record");
        dropped = ghost.answer("dropped", Duration::from_millis(200));
        dropped.is_some()
    });
    assert_eq!(dropped.map(|dropped: Value| dropped["why"].clone()), Some(json!("stale")));
}

#[test]
fn fault_q11_whoever_goes_on_by_hand_has_parked_games_tried_again() {
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-by-hand");
    let store = open(&folder, "many.db");
    let tournament = Tournament::create(&store, spec(2)).unwrap();
    let id = tournament.id();
    let first = remote(&broker, &store);
    std::thread::scope(|scope| {
        let holding = scope.spawn(|| hold(&tournament, Some(&first), &stop_never()));
        for attempt in 1..=3 {
            let mut ghost = Ghost::new(&broker, &format!("ghost-{attempt}"));
            let claim = ghost.take(&format!("{id}:0"), attempt);
            ghost.say(&json!([{ "fail": { "claim": claim, "why": "no" } }]));
        }
        let is_parked = || store.job(id, 0).unwrap().is_some_and(|job| job.state == JobState::Parked);
        wait_for("parking", is_parked);
        let worker = Machine::start(&broker, &folder, "ann");
        holding.join().unwrap().unwrap();
        assert_eq!(hashes(&store, id).len(), 1, "one game is missing");
        worker.drain();
    });
    drop(first);
    let worker = Machine::start(&broker, &folder, "bob");
    let usual = RemoteConfig::new(access(&broker), store.clone());
    let by_hand = Remote::start(RemoteConfig { terms: TERMS, retry_parked: true, ..usual }).unwrap();
    let again = Tournament::open(&store, id).unwrap();
    assert_eq!(hold(&again, Some(&by_hand), &stop_never()), Ok(true));
    assert_eq!(hashes(&store, id).len(), 2);
    worker.drain();
}

#[test]
fn fault_q06_a_coordinator_begins_without_a_broker_and_goes_on_when_it_is_there() {
    let Some(mut broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-late");
    let store = open(&folder, "many.db");
    broker.crash();
    let usual = RemoteConfig::new(access(&broker), store.clone());
    assert!(Remote::start(usual.clone()).is_err(), "who is at the command line is told at once");
    let remote = Remote::start(RemoteConfig { terms: TERMS, patient: true, ..usual }).unwrap();
    let tournament = Tournament::create(&store, spec(4)).unwrap();
    broker.resume();
    let worker = Machine::start(&broker, &folder, "ann");
    assert_eq!(hold(&tournament, Some(&remote), &stop_never()), Ok(true));
    // The worker may have played more: what is delivered again is confirmed again.
    assert_eq!(hashes(&store, tournament.id()).len(), 4);
    worker.drain();
}
