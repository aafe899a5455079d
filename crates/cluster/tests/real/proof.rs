//! Single faults with the real broker, by their IDs.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::thread;
use std::time::Duration;

use async_nats::{Client, Message, Subscriber};
use futures_util::StreamExt as _;
use rookery_arena::{Elsewhere as _, Order, SingleGame, Tournament};
use rookery_cluster::broker::{Access, STREAM};
use rookery_cluster::status::{retry, status};
use rookery_cluster::{PROTOCOL, Remote, doctor};
use rookery_referee::MatchSpec;
use rookery_store::{JobState, Page, Store, TournamentId};
use rookery_testkit::TempFolder;
use rookery_testkit::nats::Nats;
use serde_json::Value;
use tokio::sync::oneshot;

use crate::ghost::Ghost;
use crate::{Machine, PATIENCE, TERMS, expected, hashes, hold, open, remote, spec, stop_never, wait_for};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

pub(crate) fn access(broker: &Nats) -> Access {
    Access::open(broker.url().parse().unwrap())
}

/// Asks for one game of a tournament; what was agreed on it.
pub(crate) fn order(remote: &Remote, store: &Store) -> (TournamentId, MatchSpec) {
    let id = Tournament::create(store, spec(2)).unwrap().id();
    let agreed =
        MatchSpec::new("hexapawn:rows=3,cols=3", ["random", "first"], rookery_rules::Seed(7)).unwrap();
    let agreed = MatchSpec {
        seats: agreed
            .seats
            .into_iter()
            .zip(["medium", "easy"])
            .map(|(seat, name)| rookery_referee::SeatEntry { name: name.to_owned(), ..seat })
            .collect(),
        ..agreed
    };
    drop(remote.open(id));
    remote.play(Order {
        tournament: id,
        pairing: 0,
        attempt: 1,
        spec: agreed.clone(),
        until_proved: false,
        scale_time: None,
        bots: None,
    });
    (id, agreed)
}

/// The record of a game.
fn play(spec: MatchSpec) -> Vec<u8> {
    let game = SingleGame::new(spec, false, Arc::new(AtomicU64::new(0))).unwrap();
    runtime().block_on(game.play()).unwrap().unwrap()
}

#[test]
fn fault_q01_a_record_that_is_stored_is_confirmed_though_its_tournament_is_over() {
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-over");
    let store = open(&folder, "many.db");
    let remote = remote(&broker, &store);
    let (id, agreed) = order(&remote, &store);
    let mut ghost = Ghost::new(&broker, "ghost");
    let claim = ghost.take(&format!("{id}:0"), 1);
    let record = play(agreed.clone());
    ghost.send(&claim, &record);
    assert!(ghost.answer("stored", PATIENCE).is_some());
    // The answer was lost, say; then the last game of the tournament ends.
    remote.close(id);
    let mut sent_again = |record: &[u8], kind: &str| {
        wait_for(kind, || {
            ghost.send(&claim, record);
            ghost.answer(kind, Duration::from_millis(200)).is_some()
        });
    };
    sent_again(&record, "stored");
    sent_again(&play(MatchSpec { seed: rookery_rules::Seed(8), ..agreed }), "dropped");
}

#[test]
fn fault_q01_a_record_that_is_delivered_five_times_is_stored_once_and_another_one_is_an_alarm() {
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-five");
    let store = open(&folder, "many.db");
    let remote = remote(&broker, &store);
    let (id, agreed) = order(&remote, &store);
    let mut ghost = Ghost::new(&broker, "ghost");
    let claim = ghost.take(&format!("{id}:0"), 1);
    let record = play(agreed.clone());
    for _ in 0..5 {
        ghost.send(&claim, &record);
    }
    for _ in 0..5 {
        assert!(ghost.answer("stored", PATIENCE).is_some(), "each of them is answered");
    }
    assert_eq!(hashes(&store, id).len(), 1);
    // The same game with other moves: it is the first one that stays.
    let other = play(MatchSpec { seed: rookery_rules::Seed(8), ..agreed });
    ghost.send(&claim, &other);
    let dropped = ghost.answer("dropped", PATIENCE).expect("another record is answered");
    assert_eq!(dropped["why"], "conflict");
    assert_eq!(hashes(&store, id).len(), 1);
    let refused = runtime().block_on(status(&access(&broker))).unwrap().refused;
    assert_eq!(refused, 1, "and it is told");
}

#[test]
fn fault_q08_settings_of_a_broker_that_may_lose_something_are_read_and_told() {
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-doctor");
    // Nobody has coordinated here yet.
    let fresh = runtime().block_on(doctor::look(&access(&broker), None)).unwrap();
    let replicas = fresh.iter().find(|finding| finding.what == "replicas");
    assert!(replicas.is_some_and(|it| !it.good && it.note.contains("no stream yet")), "{fresh:?}");
    let _remote = remote(&broker, &open(&folder, "many.db"));
    for (monitor, all_lack) in [
        (Some(broker.monitor()), &["sync", "replicas", "who may connect", "TLS"][..]),
        (None, &["replicas", "who may connect", "TLS"][..]),
    ] {
        let found = runtime().block_on(doctor::look(&access(&broker), monitor.as_deref())).unwrap();
        let good = |what: &str| found.iter().find(|finding| finding.what == what).map(|finding| finding.good);
        assert_eq!(good("JetStream"), Some(true), "{found:?}");
        for lacking in all_lack {
            assert_eq!(good(lacking), Some(false), "{lacking}: {found:?}");
        }
    }
}

#[test]
fn fault_q05_and_q11_a_game_that_loses_every_worker_is_announced_each_time_parked_and_retried() {
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-poison");
    let store = open(&folder, "many.db");
    let remote = remote(&broker, &store);
    let (id, agreed) = order(&remote, &store);
    let key = format!("{id}:0");
    for attempt in 1..=3 {
        Ghost::new(&broker, &format!("ghost-{attempt}")).take(&key, attempt);
    }
    wait_for("parking", || store.job(id, 0).unwrap().is_some_and(|job| job.state == JobState::Parked));
    let runtime = runtime();
    let parked = runtime.block_on(status(&access(&broker))).unwrap().parked;
    assert_eq!(parked.iter().map(|job| job.job.to_string()).collect::<Vec<_>>(), std::slice::from_ref(&key));
    // The three attempts before were announced within the window in which the broker swallows what it had before.
    assert_eq!(runtime.block_on(retry(&access(&broker), &[], "operator")).unwrap(), 1);
    let worker = Machine::start(&broker, &folder, "ann");
    remote.play(Order {
        tournament: id,
        pairing: 0,
        attempt: 1,
        spec: agreed,
        until_proved: false,
        scale_time: None,
        bots: None,
    });
    wait_for("the game", || hashes(&store, id).len() == 1);
    assert_eq!(store.job(id, 0).unwrap().unwrap().attempt, 4);
    assert_eq!(worker.drain().stored, 1);
    assert_eq!(store.ended_attempts(id).unwrap().len(), 3);
}

#[test]
fn fault_q13_a_broker_never_has_more_notifications_than_agreed() {
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-notifications");
    let store = open(&folder, "many.db");
    let remote = remote(&broker, &store);
    let tournament = Tournament::create(&store, spec(300)).unwrap();
    let id = tournament.id();
    thread::scope(|scope| {
        let holding = scope.spawn(|| hold(&tournament, Some(&remote), &stop_never()));
        wait_for("the queue", || store.jobs_of(id).unwrap().len() == 300);
        let runtime = runtime();
        let notifications = || {
            runtime.block_on(async {
                let client = access(&broker).connect("looker", false).await.unwrap();
                let asked = client.request(format!("$JS.API.STREAM.INFO.{STREAM}"), "".into()).await.unwrap();
                let info: Value = serde_json::from_slice(&asked.payload).unwrap();
                info["state"]["messages"].as_u64().unwrap()
            })
        };
        wait_for("the notifications", || notifications() == TERMS.window as u64);
        // Time passes, and it stays at that.
        for _ in 0..5 {
            thread::sleep(Duration::from_millis(50));
            assert!(notifications() <= TERMS.window as u64);
        }
        let worker = Machine::start(&broker, &folder, "ann");
        assert_eq!(holding.join().unwrap(), Ok(true));
        worker.drain();
    });
    assert_eq!(hashes(&store, id), expected(&folder, 300));
}

/// A header of what the parrot says, so that it does not repeat itself.
const PARROT: &str = "Parrot";

/// Says everything once more that is said by and to the worker `ann`, and beside it something older; then, when it is told to,
/// all of it from the beginning. What it has repeated, by the kind of message.
async fn repeat(client: Client, mut heard: Subscriber, over: oneshot::Receiver<()>) -> BTreeMap<String, u64> {
    let mut said: Vec<Message> = vec![];
    let mut repeated = BTreeMap::new();
    let mut is_over = false;
    tokio::pin!(over);
    loop {
        let message = if is_over {
            // What was said before is still on its way to us.
            let last = tokio::time::timeout(Duration::from_millis(500), heard.next());
            let Ok(Some(message)) = last.await else { break };
            message
        } else {
            tokio::select! {
                Some(message) = heard.next() => message,
                _ = &mut over => {
                    is_over = true;
                    continue;
                }
            }
        };
        let is_own = message.headers.as_ref().is_some_and(|headers| headers.get(PARROT).is_some());
        if is_own || message.subject.contains(".look.") {
            continue;
        }
        said.push(message);
        for again in [&said[said.len() - 1], &said[said.len() / 2]] {
            say_again(&client, again, &mut repeated).await;
        }
    }
    for again in &said {
        say_again(&client, again, &mut repeated).await;
    }
    client.flush().await.unwrap();
    repeated
}

async fn say_again(client: &Client, message: &Message, repeated: &mut BTreeMap<String, u64>) {
    let mut headers = message.headers.clone().unwrap_or_default();
    headers.insert(PARROT, "again");
    client.publish_with_headers(message.subject.clone(), headers, message.payload.clone()).await.unwrap();
    let kind = message.subject.split('.').nth(2).unwrap_or_default().to_owned();
    *repeated.entry(kind).or_default() += 1;
}

#[test]
fn fault_q04_and_q14_everything_that_workers_ever_said_is_said_again_and_changes_nothing() {
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-again");
    let store = open(&folder, "many.db");
    let remote = remote(&broker, &store);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (client, heard) = runtime.block_on(async {
        let client = access(&broker).connect("parrot", false).await.unwrap();
        let heard = client.subscribe(format!("rookery.{PROTOCOL}.*.ann")).await.unwrap();
        client.flush().await.unwrap();
        (client, heard)
    });
    let (over, is_over) = oneshot::channel();
    let parrot = runtime.spawn(repeat(client, heard, is_over));
    let worker = Machine::start(&broker, &folder, "ann");
    let tournament = Tournament::create(&store, spec(100)).unwrap();
    assert_eq!(hold(&tournament, Some(&remote), &stop_never()), Ok(true));
    over.send(()).unwrap();
    let repeated = runtime.block_on(parrot).unwrap();
    for kind in ["ask", "record", "tell"] {
        // Each game is asked for, granted, sent and confirmed; what is said together is one message.
        assert!(repeated.get(kind).is_some_and(|n| *n >= 10), "{kind}: {repeated:?}");
    }
    let n_records = repeated["record"];
    // Each three times, but for those on their way at the end.
    assert!(n_records > 200, "{repeated:?}");
    // It is answered after everything that was said before.
    let status = runtime.block_on(status(&access(&broker))).unwrap();
    assert_eq!((status.stored, status.refused), (100, 0), "{status:?}");
    assert_eq!(hashes(&store, tournament.id()), expected(&folder, 100));
    assert!(store.audit_log(Page::default()).unwrap().is_empty(), "nothing to be told");
    let report = worker.drain();
    assert_eq!((report.stored, report.undelivered), (100, 0), "{report:?}");
}
