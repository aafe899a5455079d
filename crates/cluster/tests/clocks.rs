//! Games with clocks on machines of unequal speed: time is scaled, and who is too slow leaves them to others.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use rookery_arena::{Holding, Tournament};
use rookery_cluster::broker::Access;
use rookery_cluster::status::status;
use rookery_cluster::worker::{WorkerConfig, work};
use rookery_cluster::{Remote, RemoteConfig};
use rookery_live::{Signal, Stopping};
use rookery_record::Key;
use rookery_store::{Options, Store};
use rookery_testkit::TempFolder;
use rookery_testkit::nats::Nats;
use rookery_tournament::TournamentSpec;
use rookery_wire::Protocols;
use serde_json::{Value, json};

/// How long anything may take, on a machine that does much else.
const PATIENCE: Duration = Duration::from_mins(1);

fn spec() -> TournamentSpec {
    serde_json::from_value(json!({
        "name": "by the clock",
        "games": ["hexapawn:rows=3,cols=3"],
        "format": { "kind": "series", "games": 20 },
        "entrants": [{ "name": "first", "player": "first" }, { "name": "random", "player": "random" }],
        "seed": "16",
        "time": "30s+1s",
        "scale_time": 1000,
    }))
    .unwrap()
}

#[test]
fn clocks_are_scaled_by_the_speed_of_the_machine_and_who_is_too_slow_says_so() {
    let Some(broker) = Nats::start() else { return };
    let access = || Access::open(broker.url().parse().unwrap());
    let folder = TempFolder::new("cluster-clocks");
    let store = Store::open(folder.join("many.db").to_str().unwrap(), &Options::default()).unwrap();
    // What a tournament says counts more than what is said for all.
    let config = RemoteConfig { scale_time: Some(7), ..RemoteConfig::new(access(), store.clone()) };
    let remote = Remote::start(config).unwrap();
    let start = |name: &str, speed: u32| {
        let stopping = Stopping::new(PATIENCE);
        let usual =
            WorkerConfig::new(access(), name, 1, folder.join(format!("{name}.spool")), stopping.clone());
        let config = WorkerConfig { speed: Some(speed), clocks_when_busy: true, ..usual };
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(work(config, || {})).unwrap()
        });
        (stopping, thread)
    };
    let tournament = Tournament::create(&store, spec()).unwrap();
    let slow = start("slow", 10);
    let others = thread::scope(|scope| {
        let holding = scope.spawn(|| {
            let protocols = Protocols::default();
            let how = Holding {
                programs: None,
                protocols: &protocols,
                concurrency: 1,
                affinity: false,
                announce: &|_, _| {},
                elsewhere: Some(&remote),
            };
            tournament.hold(&how, &Stopping::new(PATIENCE), &mut (), &mut |_| {}, &mut |_| Ok(())).unwrap()
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let begun = Instant::now();
        loop {
            let status = runtime.block_on(status(&access())).unwrap();
            let why = status.workers.first().and_then(|worker| worker.idle.clone()).unwrap_or_default();
            if why.contains("its speed is 10, too far from the 1000") {
                break;
            }
            assert!(begun.elapsed() < PATIENCE, "{status:?}");
            thread::sleep(Duration::from_millis(20));
        }
        let others = [start("half", 500), start("same", 1000)];
        assert!(holding.join().unwrap().complete);
        others
    });
    let mut worked = vec![];
    for (stopping, thread) in others.into_iter().chain([slow]) {
        stopping.request(Signal::Terminate);
        worked.push(thread.join().unwrap().stored);
    }
    assert_eq!(worked[2], 0, "who is too slow has played nothing");
    let mut times: BTreeMap<String, u64> = BTreeMap::new();
    for pairing in 0..20 {
        let record = store.record_of(tournament.id(), Key { pairing, attempt: 1 }).unwrap();
        let header: Value =
            serde_json::from_slice(record.split(|byte| *byte == b'\n').next().unwrap()).unwrap();
        let agreed = &header["record"]["match"];
        let time = format!("{} at {}", agreed["time"].as_str().unwrap(), agreed["scale"]);
        *times.entry(time).or_default() += 1;
    }
    // The one half as fast has twice the time, and the record says so.
    let of = |time: &str| times.get(time).copied().unwrap_or(0);
    let half = of("60s+2s at 2000") + of("1m+2s at 2000");
    assert_eq!((half, of("30s+1s at 1000")), (worked[0], worked[1]), "{times:?}");
}
