//! Tournaments over a real broker and a real store, with parts that fail on the way. `cargo xtask cluster` does the same with whole
//! programs that are killed.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod ghost;
mod hostile;
mod proof;
mod restore;
mod revoke;
mod skew;
mod spool;
mod tls;
mod twins;
mod upgrade;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rookery_arena::{Elsewhere, Holding, SingleGame, Tournament};
use rookery_cluster::broker::Access;
use rookery_cluster::core::Terms;
use rookery_cluster::subjects::Subjects;
use rookery_cluster::worker::{Worked, WorkerConfig, work};
use rookery_cluster::{Remote, RemoteConfig, judge};
use rookery_live::{Signal, Stopping};
use rookery_referee::MatchSpec;
use rookery_rules::Seed;
use rookery_store::{GameFilter, Hash, Options, Page, Store, StoreError, TournamentFilter, TournamentId};
use rookery_testkit::TempFolder;
use rookery_testkit::nats::Nats;
use rookery_testkit::postgres::Postgres;
use rookery_tournament::TournamentSpec;
use rookery_wire::Protocols;
use serde_json::json;

/// How long anything may take, on a machine that does much else.
const PATIENCE: Duration = Duration::from_mins(1);
/// Nobody wants to wait for half a minute.
const TERMS: Terms = Terms { lease: 2000, attempts: 3, window: 16 };

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what} did not happen");
        thread::sleep(Duration::from_millis(10));
    }
}

fn spec(games: u64) -> TournamentSpec {
    serde_json::from_value(json!({
        "name": "many machines",
        "games": ["hexapawn:rows=5,cols=5"],
        "format": { "kind": "series", "games": games },
        "entrants": [{ "name": "medium", "player": "medium" }, { "name": "easy", "player": "easy" }],
        "seed": "16",
    }))
    .unwrap()
}

fn open(folder: &TempFolder, name: &str) -> Store {
    Store::open(folder.join(name).to_str().unwrap(), &Options::default()).unwrap()
}

fn remote(broker: &Nats, store: &Store) -> Remote {
    let access = Access::open(broker.url().parse().unwrap());
    let config = RemoteConfig { terms: TERMS, ..RemoteConfig::new(access, store.clone()) };
    Remote::start(config).unwrap()
}

/// A worker in a thread of this process.
struct Machine {
    stopping: Stopping,
    thread: JoinHandle<Worked>,
}

impl Machine {
    fn start(broker: &Nats, folder: &TempFolder, name: &str) -> Self {
        Self::with(broker, folder, name, |_| {})
    }

    fn with(broker: &Nats, folder: &TempFolder, name: &str, change: impl FnOnce(&mut WorkerConfig)) -> Self {
        let stopping = Stopping::new(PATIENCE);
        let access = Access::open(broker.url().parse().unwrap());
        let spool = folder.join(format!("{name}.spool"));
        let mut config = WorkerConfig::new(access, name, 2, spool, stopping.clone());
        change(&mut config);
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(work(config, || {})).unwrap()
        });
        Self { stopping, thread }
    }

    fn drain(self) -> Worked {
        self.stopping.request(Signal::Terminate);
        self.thread.join().unwrap()
    }

    /// Ends without waiting for what it cannot deliver.
    fn end(self) -> Worked {
        self.stopping.request(Signal::Terminate);
        self.drain()
    }
}

/// Holds a tournament to its end; whether it came there.
fn hold(
    tournament: &Tournament,
    elsewhere: Option<&dyn Elsewhere>,
    stopping: &Stopping,
) -> Result<bool, String> {
    hold_and(tournament, elsewhere, stopping, || {})
}

/// The same; `seen` is called after each game.
fn hold_and(
    tournament: &Tournament,
    elsewhere: Option<&dyn Elsewhere>,
    stopping: &Stopping,
    mut seen: impl FnMut(),
) -> Result<bool, String> {
    let protocols = Protocols::default();
    let how = Holding {
        programs: None,
        protocols: &protocols,
        concurrency: 2,
        affinity: false,
        announce: &|_, _| {},
        elsewhere,
    };
    let mut seen = |_: &_| {
        seen();
        Ok(())
    };
    let held = tournament.hold(&how, stopping, &mut (), &mut |_| {}, &mut seen);
    held.map(|outcome| outcome.complete).map_err(|error| error.to_string())
}

fn stop_never() -> Stopping {
    Stopping::new(PATIENCE)
}

/// The hash of each game's record by its pairing. A pairing that was stored twice is a failure.
fn hashes(store: &Store, tournament: TournamentId) -> BTreeMap<u64, Hash> {
    let filter = GameFilter { tournament: Some(tournament), ..GameFilter::default() };
    let mut found = BTreeMap::new();
    for game in store.games(&filter, Page { before: None, limit: 1000 }).unwrap() {
        let before = found.insert(game.key.unwrap().key.pairing, game.sha256);
        assert_eq!(before, None, "a game is stored once");
    }
    found
}

/// What one process makes of it.
fn expected(folder: &TempFolder, games: u64) -> BTreeMap<u64, Hash> {
    expected_of(folder, spec(games))
}

fn expected_of(folder: &TempFolder, spec: TournamentSpec) -> BTreeMap<u64, Hash> {
    let store = open(folder, "local.db");
    let tournament = Tournament::create(&store, spec).unwrap();
    assert_eq!(hold(&tournament, None, &stop_never()), Ok(true));
    hashes(&store, tournament.id())
}

#[test]
fn workers_play_the_same_games_as_one_process_and_drain() {
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-same");
    let store = open(&folder, "many.db");
    let remote = remote(&broker, &store);
    let workers = ["ann", "bob"].map(|name| Machine::start(&broker, &folder, name));
    let tournament = Tournament::create(&store, spec(40)).unwrap();
    assert_eq!(hold(&tournament, Some(&remote), &stop_never()), Ok(true));
    assert_eq!(hashes(&store, tournament.id()), expected(&folder, 40));
    let worked = workers.map(Machine::drain);
    assert_eq!(worked.iter().map(|worked| worked.stored).sum::<u64>(), 40, "{worked:?}");
    assert!(worked.iter().all(|worked| worked.undelivered == 0), "{worked:?}");
}

#[test]
fn fault_q06_and_q07_a_broker_that_is_killed_and_comes_back_with_nothing_costs_no_game() {
    let Some(mut broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-broker");
    let store = open(&folder, "many.db");
    let remote = remote(&broker, &store);
    let workers = ["ann", "bob"].map(|name| Machine::start(&broker, &folder, name));
    let tournament = Tournament::create(&store, spec(200)).unwrap();
    let id = tournament.id();
    let held = thread::scope(|scope| {
        let holding = scope.spawn(|| hold(&tournament, Some(&remote), &stop_never()));
        wait_for("the first games", || hashes(&store, id).len() > 5);
        broker.crash();
        broker.forget();
        thread::sleep(Duration::from_millis(300));
        broker.resume();
        holding.join().unwrap()
    });
    assert_eq!(held, Ok(true));
    assert_eq!(hashes(&store, id), expected(&folder, 200));
    for worked in workers.map(Machine::drain) {
        assert_eq!(worked.undelivered, 0, "{worked:?}");
    }
}

#[test]
fn fault_q02_games_of_a_worker_that_vanishes_are_played_by_another() {
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-lost");
    let store = open(&folder, "many.db");
    let remote = remote(&broker, &store);
    let tournament = Tournament::create(&store, spec(20)).unwrap();
    let id = tournament.id();
    let held = thread::scope(|scope| {
        let holding = scope.spawn(|| hold(&tournament, Some(&remote), &stop_never()));
        // It takes a game and is never heard of again.
        let ghost = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        ghost.block_on(claim_and_vanish(&broker, &store, id));
        let worker = Machine::start(&broker, &folder, "ann");
        let held = holding.join().unwrap();
        worker.drain();
        held
    });
    assert_eq!(held, Ok(true));
    assert_eq!(hashes(&store, id), expected(&folder, 20));
    let lost = store.ended_attempts(id).unwrap();
    assert!(lost.iter().any(|ended| ended.worker == "ghost" && ended.how == "lost"), "{lost:?}");
}

/// Claims the first game of a tournament, as a worker does.
async fn claim_and_vanish(broker: &Nats, store: &Store, id: TournamentId) {
    let client = Access::open(broker.url().parse().unwrap()).connect("ghost", false).await.unwrap();
    let take = json!([{ "take": { "key": format!("{id}:0"), "attempt": 1 } }]).to_string();
    let begun = Instant::now();
    // On a slow machine the lease may have ended before it is looked for.
    while store.jobs_of(id).unwrap().iter().all(|job| job.worker.as_deref() != Some("ghost"))
        && store.ended_attempts(id).unwrap().is_empty()
    {
        assert!(begun.elapsed() < PATIENCE, "it is not given a game");
        client.publish(Subjects::OWN.ask("ghost"), take.clone().into()).await.unwrap();
        client.flush().await.unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[test]
fn fault_q10_whoever_lost_the_store_stores_nothing_and_the_next_coordinator_goes_on() {
    let (Some(broker), Some(postgres)) = (Nats::start(), Postgres::start()) else { return };
    let folder = TempFolder::new("cluster-two");
    let url = postgres.database("rookery");
    let store = Store::open(&url, &Options::default()).unwrap();
    assert!(matches!(Store::open(&url, &Options::default()), Err(StoreError::Locked { .. })), "one writes");
    let first = remote(&broker, &store);
    let worker = Machine::start(&broker, &folder, "ann");
    let tournament = Tournament::create(&store, spec(300)).unwrap();
    let id = tournament.id();
    thread::scope(|scope| {
        let holding = scope.spawn(|| hold(&tournament, Some(&first), &stop_never()));
        wait_for("the first games", || hashes(&store, id).len() > 5);
        // The database ends the session of the first one; the second takes over before it knows.
        postgres.query(
            "rookery",
            "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted",
        );
        let mut second = None;
        wait_for("the second coordinator", || {
            second = Store::open(&url, &Options::default()).ok();
            // The first one may be quicker to come back: then it is still the only one.
            if second.is_none() {
                postgres.query(
                    "rookery",
                    "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted",
                );
            }
            second.is_some()
        });
        let second = second.unwrap();
        let lost = holding.join().unwrap();
        assert!(lost.as_ref().is_err_and(|error| error.contains("taken the store over")), "{lost:?}");
        let next = remote(&broker, &second);
        let filter = TournamentFilter { unfinished: true, ..TournamentFilter::default() };
        assert_eq!(second.tournaments(&filter, Page::default()).unwrap().len(), 1);
        let again = Tournament::open(&second, id).unwrap();
        assert_eq!(hold(&again, Some(&next), &stop_never()), Ok(true));
        assert_eq!(hashes(&second, id), expected(&folder, 300));
    });
    worker.drain();
}

#[test]
fn workers_of_other_rules_hear_nothing_of_a_game() {
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-versions");
    let store = open(&folder, "many.db");
    let remote = remote(&broker, &store);
    let other = Machine::with(&broker, &folder, "old", |config| config.rules = "0.0.1".to_owned());
    let worker = Machine::start(&broker, &folder, "new");
    let tournament = Tournament::create(&store, spec(10)).unwrap();
    assert_eq!(hold(&tournament, Some(&remote), &stop_never()), Ok(true));
    assert_eq!(worker.drain().stored, 10);
    assert_eq!(other.drain(), Worked::default());
}

#[test]
fn fault_q12_every_changed_byte_of_a_record_is_noticed() {
    let spec = MatchSpec::new("hexapawn:rows=3,cols=3", ["random", "first"], Seed(7)).unwrap();
    let game = SingleGame::new(spec.clone(), false, Arc::new(AtomicU64::new(0))).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let record = runtime.block_on(game.play()).unwrap().unwrap();
    assert!(judge(&record, &spec).is_ok());
    let other = MatchSpec { seed: Seed(8), ..spec.clone() };
    assert!(judge(&record, &other).is_err(), "another game than the one that was asked for");
    for idx in 0..record.len() {
        let mut changed = record.clone();
        changed[idx] ^= 1;
        assert!(judge(&changed, &spec).is_err(), "byte {idx}");
    }
    for end in 0..record.len() {
        // The last line may end without its line feed.
        assert!(judge(&record[..end], &spec).is_err() || end + 1 == record.len(), "cut at {end}");
    }
    let longer = [&record[..], b"{}\n"].concat();
    assert!(judge(&longer, &spec).is_err());
}
