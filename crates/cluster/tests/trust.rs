//! A worker that lies within the rules, among honest ones: its games are played again by others, and its results are unlike theirs.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use futures_util::StreamExt as _;
use rookery_arena::{Elsewhere as _, Holding, SingleGame, Tournament};
use rookery_cluster::broker::Access;
use rookery_cluster::core::Terms;
use rookery_cluster::status::{Status, TrustStatus, status};
use rookery_cluster::subjects::Subjects;
use rookery_cluster::worker::{WorkerConfig, work};
use rookery_cluster::{RULES, Remote, RemoteConfig};
use rookery_live::{Signal, Stopping};
use rookery_referee::MatchSpec;
use rookery_rules::Seed;
use rookery_store::{Hash, Options, Page, Store};
use rookery_testkit::TempFolder;
use rookery_testkit::nats::Nats;
use rookery_testkit::postgres::Postgres;
use rookery_tournament::TournamentSpec;
use rookery_wire::Protocols;
use serde_json::{Value, json};

/// How long anything may take, on a machine that does much else.
const PATIENCE: Duration = Duration::from_mins(1);
const TERMS: Terms = Terms { lease: 2000, attempts: 3, window: 16 };
const GAME: &str = "hexapawn:rows=5,cols=5";

fn spec(games: u64) -> TournamentSpec {
    serde_json::from_value(json!({
        "name": "honest and others",
        "games": [GAME],
        "format": { "kind": "series", "games": games },
        "entrants": [{ "name": "medium", "player": "medium" }, { "name": "easy", "player": "easy" }],
        "seed": "16",
    }))
    .unwrap()
}

fn access(broker: &Nats) -> Access {
    Access::open(broker.url().parse().unwrap())
}

fn hold(tournament: &Tournament, remote: &Remote) {
    let protocols = Protocols::default();
    let how = Holding {
        programs: None,
        protocols: &protocols,
        concurrency: 2,
        affinity: false,
        announce: &|_, _| {},
        elsewhere: Some(remote),
    };
    let held = tournament.hold(&how, &Stopping::new(PATIENCE), &mut (), &mut |_| {}, &mut |_| Ok(()));
    assert!(held.unwrap().complete);
}

fn honest(broker: &Nats, folder: &TempFolder, name: &str) -> (Stopping, thread::JoinHandle<()>) {
    let stopping = Stopping::new(PATIENCE);
    let spool = folder.join(format!("{name}.spool"));
    let config = WorkerConfig::new(access(broker), name, 2, spool, stopping.clone());
    let thread = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(work(config, || {})).unwrap();
    });
    (stopping, thread)
}

fn asked(broker: &Nats) -> Status {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(status(&access(broker))).unwrap()
}

fn wait_for_workers(broker: &Nats, n: usize) {
    let begun = Instant::now();
    while asked(broker).workers.len() < n {
        assert!(begun.elapsed() < PATIENCE, "not all workers are heard of");
        thread::sleep(Duration::from_millis(20));
    }
}

fn settled(broker: &Nats, remote: &Remote) -> TrustStatus {
    assert!(remote.settle(PATIENCE).is_some_and(|words| words.contains("the same")));
    asked(broker).trust
}

/// A legal game that the first seat wins, told as the one that was asked for.
async fn lie(agreed: &Value) -> Vec<u8> {
    for seed in 0.. {
        let other = MatchSpec::new(GAME, ["random", "random"], Seed(seed)).unwrap();
        let game = SingleGame::new(other, false, Arc::new(AtomicU64::new(0))).unwrap();
        let record = String::from_utf8(game.play().await.unwrap().unwrap()).unwrap();
        let mut lines: Vec<Value> = record.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let verdict = lines.pop().unwrap();
        if verdict["verdict"]["winners"] != json!([0]) {
            continue;
        }
        lines[0]["record"]["match"] = agreed.clone();
        let mut text: Vec<String> = lines.iter().map(Value::to_string).collect();
        text.push(String::new());
        let mut verdict = verdict;
        verdict["verdict"]["sha256"] = Hash::of(text.join("\n").as_bytes()).to_string().into();
        text.insert(text.len() - 1, verdict.to_string());
        return text.join("\n").into_bytes();
    }
    unreachable!("one of them is won by the first seat")
}

/// Takes what it can get and sends lies, until it is told to end.
async fn liar(broker: Access, name: &str, ends: Arc<AtomicBool>) {
    let client = broker.connect(name, false).await.unwrap();
    let mut told = client.subscribe(Subjects::OWN.tell(name)).await.unwrap();
    let inbox = format!("_INBOX_{name}.jobs");
    let mut notifications = client.subscribe(inbox.clone()).await.unwrap();
    let mut heard = std::collections::HashMap::new();
    let mut pulled: Option<Instant> = None;
    while !ends.load(Ordering::Relaxed) {
        if pulled.is_none_or(|at| at.elapsed() > Duration::from_millis(100)) {
            pulled = Some(Instant::now());
            let hello = json!([{ "hello": { "slots": 8 } }]).to_string();
            client.publish(Subjects::OWN.ask(name), hello.into()).await.unwrap();
            let request = json!({ "batch": 8, "expires": 80_000_000 }).to_string();
            client
                .publish_with_reply(Subjects::OWN.next(RULES), inbox.clone(), request.into())
                .await
                .unwrap();
        }
        tokio::select! {
            Some(notification) = notifications.next() => {
                let Some(reply) = notification.reply else { continue };
                client.publish(reply, "+ACK".into()).await.unwrap();
                let notification: Value = serde_json::from_slice(&notification.payload).unwrap();
                let take = json!([{ "take": { "key": notification["key"], "attempt": notification["attempt"] } }]).to_string();
                heard.insert(notification["key"].clone().to_string(), notification["spec"].clone());
                client.publish(Subjects::OWN.ask(name), take.into()).await.unwrap();
            }
            Some(answers) = told.next() => {
                let answers: Vec<Value> = serde_json::from_slice(&answers.payload).unwrap();
                for answer in answers {
                    let claim = &answer["granted"]["claim"];
                    let Some(agreed) = heard.get(&claim["key"].to_string()) else { continue };
                    let mut packer = DeflateEncoder::new(format!("{claim}\n").into_bytes(), Compression::fast());
                    packer.write_all(&lie(agreed).await).unwrap();
                    client.publish(Subjects::OWN.record(name), packer.finish().unwrap().into()).await.unwrap();
                }
            }
            () = tokio::time::sleep(Duration::from_millis(20)) => {}
        }
    }
}

#[test]
fn fault_q12_games_of_honest_workers_are_the_same_when_they_are_played_again() {
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-again");
    let store = Store::open(folder.join("many.db").to_str().unwrap(), &Options::default()).unwrap();
    let config =
        RemoteConfig { terms: TERMS, replay_share: 1.0, ..RemoteConfig::new(access(&broker), store.clone()) };
    let remote = Remote::start(config).unwrap();
    let workers = ["ann", "bob"].map(|name| honest(&broker, &folder, name));
    wait_for_workers(&broker, 2);
    hold(&Tournament::create(&store, spec(40)).unwrap(), &remote);
    let trust = settled(&broker, &remote);
    assert_eq!((trust.equal, trust.differing, trust.open, trust.skipped), (40, 0, 0, 0), "{trust:?}");
    assert!(trust.flags.is_empty(), "{trust:?}");
    assert!(store.audit_log(Page::default()).unwrap().is_empty(), "nothing to be told");
    for (stopping, thread) in workers {
        stopping.request(Signal::Terminate);
        thread.join().unwrap();
    }
}

#[test]
fn fault_q12_a_worker_that_lies_within_the_rules_is_found_twice_and_no_game_is_removed() {
    let (Some(broker), Some(postgres)) = (Nats::start(), Postgres::start()) else { return };
    let folder = TempFolder::new("cluster-liar");
    let store = Store::open(&postgres.database("rookery"), &Options::default()).unwrap();
    let config =
        RemoteConfig { terms: TERMS, replay_share: 0.5, ..RemoteConfig::new(access(&broker), store.clone()) };
    let remote = Remote::start(config).unwrap();
    let ends = Arc::new(AtomicBool::new(false));
    let (of_liar, to) = (Arc::clone(&ends), access(&broker));
    let eve = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(liar(to, "eve", of_liar));
    });
    let workers = ["ann", "bob"].map(|name| honest(&broker, &folder, name));
    wait_for_workers(&broker, 3);
    let tournament = Tournament::create(&store, spec(400)).unwrap();
    hold(&tournament, &remote);
    let trust = settled(&broker, &remote);
    assert!(trust.equal > 0 && trust.differing > 0, "{trust:?}");
    for found in &trust.differences {
        assert!([&found.first, &found.second].into_iter().any(|name| name == "eve"), "{found:?}");
    }
    assert!(
        trust.flags.iter().any(|flag| (&*flag.worker, &*flag.aspect) == ("eve", "results") && flag.p < 0.001),
        "{trust:?}"
    );
    let audited = store.audit_log(Page { before: None, limit: 1000 }).unwrap();
    let n_differing = audited.iter().filter(|entry| entry.act.contains("mismatch")).count();
    assert_eq!(n_differing as u64, trust.differing, "each is written down");
    let of_eve = |entry: &&rookery_store::AuditEntry| {
        entry.act.contains("flagged a worker") && entry.subject.starts_with("worker eve: ")
    };
    assert_eq!(audited.iter().filter(of_eve).count(), 1, "once: {audited:?}");
    assert_eq!(tournament.results().unwrap().count(), 400, "the operator decides");
    ends.store(true, Ordering::Relaxed);
    eve.join().unwrap();
    for (stopping, thread) in workers {
        stopping.request(Signal::Terminate);
        thread.join().unwrap();
    }
}
