//! Tournaments that are stopped, and go on.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod peers;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use peers::{Deed, PATIENCE, Peer, Seen, config, good, tournament};
use rookery_live::{Signal, Stopping};
use rookery_originals::fish::{Config, Notice, ResumeError, Server, Tally};
use rookery_testkit::TempFolder;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// A server whose notices can be looked at, and that can be stopped.
struct Stoppable {
    server: Server,
    stopping: Stopping,
    notices: Arc<Mutex<Vec<Notice>>>,
}

impl Stoppable {
    /// It is asked to stop when this is noted.
    fn new(config: Config, grace: Duration, stop_at: fn(&Notice) -> bool) -> Self {
        let stopping = Stopping::new(grace);
        let notices: Arc<Mutex<Vec<Notice>>> = Arc::default();
        let (noted, stop) = (Arc::clone(&notices), stopping.clone());
        let log = Arc::new(move |notice: &Notice| {
            noted.lock().unwrap().push(notice.clone());
            if stop_at(notice) {
                stop.request(Signal::Interrupt);
            }
        });
        let address = "127.0.0.1:0".parse().unwrap();
        let server = Server::stoppable(address, config, log, stopping.clone()).unwrap();
        Self { server, stopping, notices }
    }

    /// Holds a tournament of these; what it comes to, whether it is over, and what they have seen.
    async fn hold(&mut self, peers: Vec<Peer>) -> (Tally, bool, Vec<JoinHandle<Seen>>) {
        let address = self.server.local_addr().unwrap();
        let connect = async {
            let mut tasks = vec![];
            for peer in peers {
                tasks.push(peer.connect(address).await);
            }
            tasks
        };
        let held = async { tokio::join!(self.server.tournament_or_stop(), connect) };
        let ((tally, complete), tasks) = timeout(PATIENCE, held).await.expect("it ends");
        (tally, complete, tasks)
    }

    fn lines(&self) -> Vec<String> {
        self.notices.lock().unwrap().iter().map(ToString::to_string).collect()
    }
}

fn never(_: &Notice) -> bool {
    false
}

fn second_table_ended(notice: &Notice) -> bool {
    matches!(notice, Notice::Finished { round: 1, table: 2, .. })
}

fn recorded(folder: &Path, n_players: usize) -> Config {
    let wait = Duration::from_millis(1500);
    Config { record: Some(folder.to_path_buf()), wait, tries: 1, min_players: n_players, ..config(n_players) }
}

const NAMES: [&str; 5] = ["Ann", "Bob", "Cid", "Dan", "Eve"];

/// Three and two at a table; the first table is slower.
fn five() -> Vec<Peer> {
    let mut peers: Vec<Peer> = NAMES.map(Peer::new).into();
    peers[0] = Peer::bad("Ann", "take-turn", 1, Deed::Late(Duration::from_secs(5)));
    peers
}

/// Stops a tournament of five when the second table has ended.
async fn interrupted(folder: &Path) -> Stoppable {
    let mut first = Stoppable::new(recorded(folder, 5), Duration::ZERO, second_table_ended);
    let (tally, complete, _) = first.hold(five()).await;
    assert_eq!((tally, complete), (Tally::default(), false));
    let last = first.lines().pop().unwrap();
    assert_eq!(last, "the tournament was stopped in round 1: games finished 1, not finished 1");
    assert_eq!(first.stopping.exit_code(), Some(130));
    first
}

fn record(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(format!("tournament-1/{name}.rookery.jsonl"))).unwrap()
}

#[tokio::test]
async fn an_interrupted_tournament_goes_on_where_it_was() {
    // How it ends if nobody stops it.
    let whole = TempFolder::new("fish-whole");
    let undisturbed =
        tournament(Config { wait: PATIENCE, ..recorded(&whole, 5) }, NAMES.map(Peer::new).into()).await;

    let folder = TempFolder::new("fish-resumed");
    drop(interrupted(&folder).await);
    let (open, ended) = (record(&folder, "round-1-table-1"), record(&folder, "round-1-table-2"));
    assert!(rookery_live::verify(&ended[..]).unwrap().verdict.is_some());
    assert!(rookery_live::verify(&open[..]).unwrap().verdict.is_none());

    let mut second = Stoppable::new(recorded(&folder, 5), Duration::ZERO, never);
    assert!(second.server.resume().unwrap());
    // They come back in another order, and somebody comes whom nobody waits for.
    let mut back: Vec<Peer> = ["Eve", "Zoe", "Dan", "Cid", "Bob", "Ann"].map(Peer::new).into();
    back.push(Peer::new("Ann"));
    let (tally, complete, tasks) = second.hold(back).await;
    assert_eq!((tally, complete), (undisturbed.tally, true));
    let lines = second.lines();
    let has = |text: &str| lines.iter().any(|line| line.contains(text));
    assert!(has("its name \"Zoe\" is not awaited"), "{lines:#?}");
    assert!(has("a tournament of 5 begins: Ann#1, Bob#2, Cid#3, Dan#4, Eve#5"), "{lines:#?}");
    assert!(has("round 1, table 2: "), "the game that had ended counts: {lines:#?}");

    assert!(record(&folder, "round-1-table-1").starts_with(&open), "the open game has gone on");
    assert_eq!(record(&folder, "round-1-table-2"), ended, "the other was not played again");
    for name in ["round-1-table-1", "round-1-table-2", "round-2-table-1"] {
        let (ours, whole) = (record(&folder, name), record(&whole, name));
        let verdicts =
            [&ours, &whole].map(|lines| rookery_live::verify(&lines[..]).unwrap().verdict.unwrap());
        assert_eq!(verdicts[0].outcome, verdicts[1].outcome, "{name}");
    }
    let eve = tasks.into_iter().next().unwrap().await.unwrap();
    assert_eq!(eve.setups.len(), undisturbed.seen[4].setups.len() - 4, "its first game was over");

    // It is over now: there is nothing to go on with.
    drop(second);
    let mut third = Stoppable::new(recorded(&folder, 5), Duration::ZERO, never);
    assert!(!third.server.resume().unwrap());
}

#[tokio::test]
async fn who_does_not_come_back_has_failed() {
    let folder = TempFolder::new("fish-absent");
    drop(interrupted(&folder).await);
    let mut second = Stoppable::new(recorded(&folder, 5), Duration::ZERO, never);
    assert!(second.server.resume().unwrap());
    // Cid had an open game, and Eve had lost hers.
    let (tally, complete, _) = second.hold(["Ann", "Bob", "Dan"].map(Peer::new).into()).await;
    assert_eq!((tally, complete), (Tally { winners: 1, failed: 2 }, true));
    let lines = second.lines();
    let over = lines.last().unwrap();
    assert!(over.ends_with("won; Cid#3, Eve#5 failed"), "{over}");
    let removed = lines.iter().find(|line| line.starts_with("Cid#3 is out")).unwrap();
    assert_eq!(removed, "Cid#3 is out, no_show: did not come: it did not come back");
    let placings = second.server.standings();
    assert_eq!(placings.iter().map(|placing| placing.place).collect::<Vec<_>>(), [1, 2, 2, 4, 5]);
    assert!(placings[0].won && placings[3].offence.is_some() && placings[4].offence.is_some());
}

#[tokio::test]
async fn if_nobody_comes_back_it_can_still_go_on_later() {
    let folder = TempFolder::new("fish-nobody");
    drop(interrupted(&folder).await);
    for peers in [vec![], NAMES.map(Peer::new).into()] {
        let goes_on = !peers.is_empty();
        let mut server = Stoppable::new(recorded(&folder, 5), Duration::ZERO, never);
        assert!(server.server.resume().unwrap());
        let (tally, complete, _) = server.hold(peers).await;
        assert!(complete);
        assert_eq!(tally.winners > 0, goes_on);
    }
}

#[tokio::test]
async fn a_second_server_and_other_flags_are_refused() {
    let folder = TempFolder::new("fish-locked");
    let first = interrupted(&folder).await;
    drop(first);
    let mut second = Stoppable::new(recorded(&folder, 5), Duration::ZERO, never);
    assert!(second.server.resume().unwrap());
    let mut third = Stoppable::new(recorded(&folder, 5), Duration::ZERO, never);
    let error = third.server.resume().unwrap_err();
    assert!(matches!(&error, ResumeError::Archive(rookery_record::ArchiveError::Locked { .. })), "{error}");
    drop(second);
    let mut config = recorded(&folder, 5);
    config.manner.timeout = Duration::from_millis(1234);
    let mut other = Stoppable::new(config, Duration::ZERO, never);
    let error = other.server.resume().unwrap_err().to_string();
    assert!(error.contains("60000 ms for each call; go on with the same flags"), "{error}");
}

#[tokio::test]
async fn games_that_run_have_their_grace() {
    let folder = TempFolder::new("fish-grace");
    let mut server = Stoppable::new(recorded(&folder, 5), PATIENCE, second_table_ended);
    let mut peers = five();
    peers[0] = Peer::bad("Ann", "take-turn", 1, Deed::Late(Duration::from_millis(500)));
    let (_, complete, _) = server.hold(peers).await;
    assert!(!complete);
    assert_eq!(
        server.lines().last().unwrap(),
        "the tournament was stopped in round 1: games finished 2, not finished 0"
    );
}

#[tokio::test]
async fn who_failed_at_the_start_is_not_waited_for() {
    let folder = TempFolder::new("fish-start");
    let mut first = Stoppable::new(recorded(&folder, 6), Duration::ZERO, second_table_ended);
    let mut peers = five();
    peers.insert(1, Peer::bad("Bad", "start", 0, Deed::Close));
    assert!(!first.hold(peers).await.1);
    drop(first);
    let mut second = Stoppable::new(recorded(&folder, 6), Duration::ZERO, never);
    assert!(second.server.resume().unwrap());
    let (tally, complete, _) = second.hold(NAMES.map(Peer::new).into()).await;
    assert_eq!((tally, complete), (Tally { winners: 1, failed: 1 }, true));
}

#[tokio::test]
async fn a_record_that_cannot_be_kept_is_said_and_the_tournament_goes_on() {
    let folder = TempFolder::new("fish-unkept");
    let file = folder.join("file");
    std::fs::write(&file, "no folder").unwrap();
    let mut server = Stoppable::new(recorded(&file, 2), Duration::ZERO, never);
    let (tally, complete, _) = server.hold(good(2)).await;
    assert_eq!((tally, complete), (Tally { winners: 1, failed: 0 }, true));
    assert!(server.server.records_failed());
    assert!(server.lines().iter().any(|line| line.contains("could not be written")), "{:#?}", server.lines());

    let mut well = Stoppable::new(recorded(&folder, 2), Duration::ZERO, never);
    well.hold(good(2)).await;
    assert!(!well.server.records_failed());
}
