//! A tournament that has stopped because a game is parked goes on when the store says that the game is tried again.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rookery_arena::{Arrived, Elsewhere, Order, Tournament};
use rookery_live::{Signal, Stopping};
use rookery_server::{Config, Server};
use rookery_store::{JobChange, JobRow, JobState, Options, Reserve, Store, TournamentId, TournamentState};
use rookery_testkit::TempFolder;
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Machines that fail at every game.
#[derive(Debug)]
struct Failing {
    store: Store,
    asked: AtomicU64,
    pairing: AtomicU64,
    watcher: Mutex<Option<UnboundedSender<Arrived>>>,
}

fn put(store: &Store, tournament: TournamentId, pairing: u64, state: JobState) {
    let row = JobRow {
        tournament,
        pairing,
        attempt: 4,
        fence: 3,
        failures: 3,
        state,
        worker: None,
        until_ms: None,
        beats: 0,
        last: None,
        sha256: None,
    };
    store.change_jobs(vec![JobChange::Put(row)]).wait().unwrap();
}

impl Elsewhere for Failing {
    fn room(&self) -> usize {
        8
    }

    fn open(&self, _: TournamentId) -> UnboundedReceiver<Arrived> {
        let (sender, receiver) = unbounded_channel();
        *self.watcher.lock().unwrap() = Some(sender);
        receiver
    }

    fn play(&self, order: Order) {
        self.pairing.store(order.pairing, Ordering::SeqCst);
        self.asked.fetch_add(1, Ordering::SeqCst);
        let (store, watcher) = (self.store.clone(), self.watcher.lock().unwrap().clone().unwrap());
        std::thread::spawn(move || {
            put(&store, order.tournament, order.pairing, JobState::Parked);
            let _ = watcher.send(Arrived::Parked { pairing: order.pairing });
        });
    }

    fn withdraw(&self, _: TournamentId) {}

    fn close(&self, _: TournamentId) {}
}

fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn fault_q11_a_tournament_goes_on_by_itself_once_its_parked_game_is_tried_again() {
    let folder = TempFolder::new("retried");
    let options = Options { ballast: 0, reserve: Reserve { bytes: 0, percent: 0 }, ..Options::default() };
    let store = Store::open(folder.join("test.db").to_str().unwrap(), &options).unwrap();
    let spec = json!({
        "name": "cup", "games": ["hexapawn:rows=3,cols=3"], "format": {"kind": "round-robin", "games": 1}, "seed": "7",
        "entrants": [{"name": "a", "player": "first"}, {"name": "b", "player": "random"}],
    });
    let tournament = Tournament::create(&store, serde_json::from_value(spec).unwrap()).unwrap();
    let id = tournament.id();
    store.put_how(id, &json!({"maker": {"guest": 0}, "paused": false}).to_string()).unwrap();
    let failing = Arc::new(Failing {
        store: store.clone(),
        asked: AtomicU64::new(0),
        pairing: AtomicU64::new(0),
        watcher: Mutex::default(),
    });
    let stopping = Stopping::new(Duration::from_secs(1));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let entered = runtime.enter();
    let server = Server::bind(Config {
        listen: "127.0.0.1:0".parse().unwrap(),
        bots: None,
        store: store.clone(),
        spool: folder.join("live"),
        public_url: None,
        bots_url: None,
        trusted_proxies: vec![],
        stopping: stopping.clone(),
        elsewhere: Some(Arc::clone(&failing) as Arc<dyn Elsewhere>),
    });
    let server = server.unwrap();
    drop(entered);
    let done = runtime.spawn(server.run());
    let asked = || failing.asked.load(Ordering::SeqCst);
    let n_parked = || store.parked_jobs(id).unwrap();
    let is_paused = || store.tournament(id).unwrap().state == TournamentState::Paused;
    wait_for("stopped with its game parked", || asked() == 1 && n_parked() == 1 && is_paused());
    std::thread::sleep(Duration::from_secs(4));
    assert_eq!(asked(), 1, "what is parked waits for somebody");
    put(&store, id, failing.pairing.load(Ordering::SeqCst), JobState::Queued);
    assert_eq!(n_parked(), 0);
    wait_for("gone on", || asked() == 2 && n_parked() == 1 && is_paused());
    stopping.request(Signal::Terminate);
    runtime.block_on(done).unwrap();
}
