//! A worker whose key is revoked while it plays: the broker ends its connection when it reads its users again, and its games are
//! played by others.

use std::path::Path;
use std::thread;

use rookery_arena::Tournament;
use rookery_cluster::broker::Access;
use rookery_cluster::users::{Role, enrol, revoke};
use rookery_cluster::{Remote, RemoteConfig};
use rookery_store::{JobState, Store};
use rookery_testkit::TempFolder;
use rookery_testkit::nats::Nats;
use rookery_tournament::TournamentSpec;
use serde_json::json;

use crate::{Machine, TERMS, expected_of, hashes, hold, open, stop_never, wait_for};

/// Games that take a while, so that one is played when the key is revoked.
fn slow_games() -> TournamentSpec {
    let players = ["mcts:playouts=20000", "mcts:playouts=19999"];
    serde_json::from_value(json!({
        "name": "revoked",
        "games": ["hexapawn:rows=5,cols=5"],
        "format": { "kind": "series", "games": 4 },
        "entrants": players.map(|player| json!({ "name": player, "player": player })),
        "seed": "16",
    }))
    .unwrap()
}

fn with_key(broker: &Nats, key: &Path) -> Access {
    Access { key: Some(key.to_owned()), ..Access::open(broker.url().parse().unwrap()) }
}

fn is_played_by(store: &Store, name: &str) -> bool {
    let is_its =
        |job: &rookery_store::JobRow| job.state == JobState::Leased && job.worker.as_deref() == Some(name);
    store.jobs().unwrap().iter().any(is_its)
}

#[test]
fn fault_q14_a_worker_that_is_revoked_is_cut_off_at_the_next_reload_and_others_play_its_games() {
    let folder = TempFolder::new("cluster-revoke");
    let users = folder.join("users.conf");
    let key = |name: &str| folder.join(format!("{name}.key"));
    enrol(&users, "main", Role::Coordinator, &key("main")).unwrap();
    for name in ["ann", "bob"] {
        enrol(&users, name, Role::Worker, &key(name)).unwrap();
    }
    // An included file is named from the folder of the broker's own, which is beside ours.
    let beside = folder.file_name().unwrap().to_str().unwrap();
    let Some(broker) = Nats::with(&format!("include \"../{beside}/users.conf\"")) else { return };
    let store = open(&folder, "many.db");
    let main = with_key(&broker, &key("main"));
    let usual = RemoteConfig::new(main, store.clone());
    let remote = Remote::start(RemoteConfig { terms: TERMS, ..usual }).unwrap();
    let worker = |name: &str| {
        Machine::with(&broker, &folder, name, |config| config.access = with_key(&broker, &key(name)))
    };
    let is_connected = |name: &str| broker.connected().iter().any(|connected| connected == name);
    let tournament = Tournament::create(&store, slow_games()).unwrap();
    let id = tournament.id();
    let ann = worker("ann");
    thread::scope(|scope| {
        let holding = scope.spawn(|| hold(&tournament, Some(&remote), &stop_never()));
        wait_for("a game of ann", || is_played_by(&store, "ann"));
        assert!(is_connected("ann"));
        revoke(&users, "ann").unwrap();
        assert!(is_connected("ann"), "the broker has not read it yet");
        broker.reload();
        wait_for("the end of ann's connection", || !is_connected("ann"));
        let bob = worker("bob");
        assert_eq!(holding.join().unwrap(), Ok(true));
        assert!(is_connected("bob") && is_connected("coordinator") && !is_connected("ann"));
        bob.drain();
    });
    let lost = store.ended_attempts(id).unwrap();
    assert!(
        !lost.is_empty() && lost.iter().all(|ended| (&*ended.worker, &*ended.how) == ("ann", "lost")),
        "{lost:?}"
    );
    assert_eq!(hashes(&store, id), expected_of(&folder, slow_games()));
    let jobs = store.jobs_of(id).unwrap();
    assert!(jobs.iter().all(|job| job.worker.as_deref() == Some("bob")), "{jobs:?}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let refused = runtime.block_on(with_key(&broker, &key("ann")).connect("ann", false));
    assert!(refused.is_err(), "its key opens nothing any more");
    assert_eq!(ann.drain().stored, 0, "and what it plays to the end stays with it");
}
