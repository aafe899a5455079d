//! Two workers of one name: one of them plays, the other one is told, and neither takes anything from the other.

use std::sync::mpsc::channel;
use std::thread;

use rookery_arena::Tournament;
use rookery_cluster::broker::Access;
use rookery_cluster::core::Terms;
use rookery_cluster::status::{WorkerStatus, status};
use rookery_cluster::worker::{WorkerConfig, work};
use rookery_cluster::{Remote, RemoteConfig};
use rookery_testkit::TempFolder;
use rookery_testkit::nats::Nats;

use crate::proof::access;
use crate::{Machine, expected, hashes, hold, open, remote, spec, stop_never, wait_for};

/// A worker called lab, as a machine has it that was cloned with its name.
fn lab(broker: &Nats, folder: &TempFolder, spool: &str) -> Machine {
    let spool = folder.join(spool);
    Machine::with(broker, folder, "lab", |config| config.spool = spool)
}

fn seen(broker: &Nats) -> Vec<WorkerStatus> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(status(&access(broker))).unwrap().workers
}

#[test]
fn two_live_workers_of_one_name_wreck_nothing_and_both_sides_are_told() {
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-twins");
    let store = open(&folder, "many.db");
    let remote = remote(&broker, &store);
    let first = lab(&broker, &folder, "first.spool");
    wait_for("the first one", || seen(&broker).len() == 1);
    let second = lab(&broker, &folder, "second.spool");
    let is_refused = |worker: &WorkerStatus| {
        worker.idle.as_ref().is_some_and(|why| why.contains("give each a name of its own"))
    };
    wait_for("the second one", || seen(&broker).iter().any(is_refused));
    let workers = seen(&broker);
    assert_eq!((workers.len(), workers.iter().filter(|worker| is_refused(worker)).count()), (2, 1));
    assert!(workers.iter().all(|worker| worker.name == "lab"), "{workers:?}");

    let play = |games: u64| {
        let tournament = Tournament::create(&store, spec(games)).unwrap();
        assert_eq!(hold(&tournament, Some(&remote), &stop_never()), Ok(true));
        assert_eq!(store.ended_attempts(tournament.id()).unwrap(), [], "no attempt is lost");
        hashes(&store, tournament.id())
    };
    assert_eq!(play(40), expected(&folder, 40));
    let worked = first.drain();
    assert_eq!((worked.stored, worked.dropped, worked.unfinished), (40, 0, 0));
    // The first one has said that it ends: the name is the second one's, which knows it with its next greeting.
    assert_eq!(play(6).len(), 6);
    let worked = second.drain();
    assert_eq!((worked.stored, worked.dropped, worked.unfinished), (6, 0, 0));
}

#[test]
fn a_worker_that_crashed_has_its_name_again_at_once() {
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-crashed");
    let store = open(&folder, "many.db");
    // So long that the name would not be free within the patience of this test.
    let terms = Terms { lease: 3_600_000, attempts: 3, window: 16 };
    let usual = RemoteConfig::new(access(&broker), store.clone());
    let remote = Remote::start(RemoteConfig { terms, ..usual }).unwrap();
    let (crash, crashed) = channel::<()>();
    let config = WorkerConfig::new(
        Access::open(broker.url().parse().unwrap()),
        "lab",
        2,
        folder.join("lab.spool"),
        stop_never(),
    );
    let thread = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let ended = tokio::task::spawn_blocking(move || crashed.recv());
            // Dropped in the middle: it gets to say nothing more.
            tokio::select! { _ = work(config, || {}) => {}, _ = ended => {} }
        });
    });
    wait_for("the worker", || seen(&broker).len() == 1);
    crash.send(()).unwrap();
    thread.join().unwrap();
    let again = lab(&broker, &folder, "lab.spool");
    let tournament = Tournament::create(&store, spec(10)).unwrap();
    assert_eq!(hold(&tournament, Some(&remote), &stop_never()), Ok(true));
    let worked = again.drain();
    assert_eq!((worked.stored, worked.dropped), (10, 0));
}
