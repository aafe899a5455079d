//! Joining: names, waiting rooms, and whoever comes to the wrong door.
//!
//! J8 (a player that comes back) and J11 (bad tokens) cannot happen here: the protocol knows no tokens, so a connection
//! is all that a player is.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod peers;

use std::time::{Duration, Instant};

use peers::{PATIENCE, Peer, SHORT, all, config, good, raw, serve, tournament};
use rookery_originals::fish::{Config, Notice, Server, Tally};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

/// Nobody waits so long: the tournament begins with the last player.
const LONG: Duration = Duration::from_mins(10);

/// Why the server refused whoever came.
fn refusals(notices: &[Notice]) -> Vec<String> {
    let reasons = |notice: &Notice| match notice {
        Notice::Refused { reason, more, .. } => vec![reason.clone(); 1 + *more as usize],
        _ => vec![],
    };
    notices.iter().flat_map(reasons).collect()
}

fn refused(part: &'static str) -> impl Fn(&Notice) -> bool {
    move |notice| matches!(notice, Notice::Refused { reason, .. } if reason.contains(part))
}

#[tokio::test]
async fn fault_j01_too_few_come_and_nothing_is_waited_for_without_end() {
    let wait = Duration::from_millis(150);
    let running = serve(Config { min_players: 3, wait, tries: 2, ..config(10) }, 1);
    let mut waiting = vec![];
    for peer in good(2) {
        waiting.push(peer.connect(running.address).await);
    }
    let notices = running.notices.clone();
    assert_eq!(running.tally().await, Tally { winners: 0, failed: 0 });
    for task in waiting {
        let seen = timeout(PATIENCE, task).await.expect("all connections are closed").unwrap();
        assert!(seen.calls.is_empty(), "nobody was called");
    }
    let notices = notices.lock().unwrap();
    let periods = notices.iter().filter(|notice| matches!(notice, Notice::Waiting { .. })).count();
    assert_eq!(periods, 2);
    assert_eq!(
        notices.last().unwrap().to_string(),
        "there is no tournament: 2 have signed up, and 3 are needed"
    );
}

#[tokio::test]
async fn enough_players_wait_for_the_end_of_the_period() {
    let wait = Duration::from_millis(700);
    let clock = Instant::now();
    let held = tournament(Config { min_players: 2, wait, tries: 1, ..config(10) }, good(3)).await;
    assert!(clock.elapsed() >= wait);
    assert_eq!(held.tally, Tally { winners: 1, failed: 0 });
}

#[tokio::test]
async fn fault_j02_silence_is_closed_and_delays_nobody() {
    let running = serve(Config { name_timeout: SHORT, wait: LONG, ..config(3) }, 1);
    let mut silent = TcpStream::connect(running.address).await.unwrap();
    let mut tasks = vec![good(1).remove(0).connect(running.address).await];
    running.until("a sign-up", |notice| matches!(notice, Notice::SignedUp { .. })).await;
    assert!(refusals(&running.notices.lock().unwrap()).is_empty(), "the silent one is still there");
    let n_bytes = timeout(PATIENCE, silent.read(&mut [0; 16])).await.expect("it is closed").unwrap_or(0);
    assert_eq!(n_bytes, 0);
    running.until("the refusal", refused("no complete name within 600ms")).await;
    for peer in good(2) {
        tasks.push(peer.connect(running.address).await);
    }
    assert_eq!(running.tally().await, Tally { winners: 1, failed: 0 });
}

#[tokio::test]
async fn fault_j03_a_name_that_drips_has_an_absolute_deadline() {
    let running = serve(Config { name_timeout: SHORT, wait: LONG, ..config(2) }, 1);
    let mut slow = TcpStream::connect(running.address).await.unwrap();
    let dripping = async {
        while slow.write_all(b" ").await.is_ok() {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, dripping).await.expect("it is closed though it goes on");
    running.until("the refusal", refused("no complete name within 600ms")).await;
    let mut tasks = vec![];
    for peer in good(2) {
        tasks.push(peer.connect(running.address).await);
    }
    assert_eq!(running.tally().await.failed, 0);
}

#[tokio::test]
async fn fault_j03_the_oldest_without_a_name_goes_when_there_are_too_many() {
    let running = serve(
        Config { max_unnamed: 20, max_unnamed_each: 20, name_timeout: LONG, wait: LONG, ..config(2) },
        1,
    );
    let mut silent = vec![];
    for _ in 0..50 {
        silent.push(TcpStream::connect(running.address).await.unwrap());
    }
    let mut tasks = vec![];
    for peer in good(2) {
        tasks.push(peer.connect(running.address).await);
    }
    let notices = running.notices.clone();
    assert_eq!(running.tally().await.failed, 0);
    for mut stream in silent {
        assert_eq!(timeout(PATIENCE, stream.read(&mut [0; 16])).await.expect("closed").unwrap_or(0), 0);
    }
    let refusals = refusals(&notices.lock().unwrap());
    assert_eq!(refusals.len(), 50, "all of them are counted: {refusals:?}");
    // Not all are told one by one.
    assert!(refusals[..16].iter().all(|reason| reason.contains("the oldest had to go")), "{refusals:?}");
}

/// A connection from another address of this machine.
async fn connect_from(source: [u8; 4], address: std::net::SocketAddr) -> TcpStream {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind((std::net::Ipv4Addr::from(source), 0).into()).unwrap();
    socket.connect(address).await.unwrap()
}

#[tokio::test]
async fn fault_j03_one_address_with_many_connections_keeps_nobody_else_out() {
    let rules = Config { max_unnamed: 20, max_unnamed_each: 10, name_timeout: LONG, wait: LONG, ..config(2) };
    let running = serve(rules, 1);
    let mut slow = TcpStream::connect(running.address).await.unwrap();
    let mut silent = vec![];
    for _ in 0..60 {
        silent.push(connect_from([127, 0, 0, 2], running.address).await);
    }
    running.until("that some had to go", refused("the oldest had to go")).await;
    let from_here =
        |notice: &Notice| matches!(notice, Notice::Refused { peer, .. } if peer.starts_with("127.0.0.1:"));
    slow.write_all(b"\"slow\"").await.unwrap();
    running.until("the sign-up", |notice| matches!(notice, Notice::SignedUp { .. })).await;
    assert!(!running.notices.lock().unwrap().iter().any(from_here));
}

#[tokio::test]
async fn fault_j03_what_has_arrived_is_read_before_somebody_has_to_go() {
    let rules = Config { max_unnamed: 4, max_unnamed_each: 4, wait: LONG, ..config(2) };
    let (mut server, notices) = bind(rules);
    let address = server.local_addr().unwrap();
    // All of this has arrived before the first of them is accepted.
    let mut crowd = vec![];
    let mut players = vec![];
    for idx in 0..200 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        if idx % 100 == 0 {
            stream.write_all(b"\"early\"").await.unwrap();
            players.push(stream);
        } else {
            crowd.push(stream);
        }
    }
    sleep(Duration::from_millis(50)).await;
    let begun = async {
        while !notices.lock().unwrap().iter().any(|notice| matches!(notice, Notice::Tournament { .. })) {
            sleep(Duration::from_millis(2)).await;
        }
    };
    let found = tokio::select! {
        found = timeout(Duration::from_secs(20), begun) => found,
        _ = server.tournament() => panic!("nobody answers in it"),
    };
    assert!(found.is_ok(), "both are in: {:#?}", notices.lock().unwrap());
}

/// Comes as fast as it can and says nothing, until it is told to stop.
fn flood(address: std::net::SocketAddr, stop: &std::sync::atomic::AtomicBool) -> usize {
    let mut open = std::collections::VecDeque::new();
    let mut n = 0;
    while !stop.load(std::sync::atomic::Ordering::Relaxed) {
        if let Ok(stream) = std::net::TcpStream::connect_timeout(&address, Duration::from_secs(1)) {
            open.push_back(stream);
            n += 1;
        }
        if open.len() > 200 {
            open.pop_front();
        }
    }
    n
}

#[tokio::test]
async fn fault_j03_thousands_a_second_who_say_nothing_keep_nobody_out() {
    const N: usize = 5;
    rookery_wire::raise_file_limit();
    let rules = Config { max_unnamed: 64, max_unnamed_each: 32, wait: LONG, min_players: N, ..config(N) };
    let running = serve(rules, 1);
    let (address, notices) = (running.address, running.notices.clone());
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let flooding: Vec<_> = (0..2)
        .map(|_| {
            let stop = std::sync::Arc::clone(&stop);
            std::thread::spawn(move || flood(address, &stop))
        })
        .collect();
    sleep(Duration::from_millis(300)).await;
    let mut tasks = vec![];
    for peer in good(N) {
        tasks.push(timeout(PATIENCE, peer.connect(address)).await.expect("the door is not blocked"));
        sleep(Duration::from_millis(50)).await;
    }
    let tally = timeout(PATIENCE, running.tally()).await.expect("all get in");
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let n_silent: usize = flooding.into_iter().map(|thread| thread.join().unwrap()).sum();
    assert_eq!(tally, Tally { winners: 1, failed: 0 });
    assert!(n_silent > 500, "it was a flood: {n_silent}");
    let n_told = notices.lock().unwrap().len();
    assert!(n_told < 150, "the log is not flooded: {n_told} notices of {n_silent} connections");
}

/// A server that nobody runs yet.
fn bind(config: Config) -> (Server, std::sync::Arc<std::sync::Mutex<Vec<Notice>>>) {
    let notices: std::sync::Arc<std::sync::Mutex<Vec<Notice>>> = std::sync::Arc::default();
    let noted = std::sync::Arc::clone(&notices);
    let log = std::sync::Arc::new(move |notice: &Notice| noted.lock().unwrap().push(notice.clone()));
    (Server::bind("127.0.0.1:0".parse().unwrap(), config, log).unwrap(), notices)
}

#[tokio::test]
async fn fault_j09_a_crowd_waits_in_line_while_the_server_is_busy() {
    const CROWD: usize = 400;
    let most = std::fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap_or_default();
    if most.trim().parse().is_ok_and(|most: usize| most < CROWD) {
        let most = most.trim();
        rookery_testkit::tell_skipped(&format!(
            "a crowd of {CROWD}: this system lets only {most} wait in line"
        ));
        return;
    }
    assert!(rookery_wire::raise_file_limit() > 2 * CROWD, "the limit of open files is too low for this test");
    let (server, _) = bind(config(2));
    let address = server.local_addr().unwrap();
    let mut crowd = vec![];
    for number in 1..=CROWD {
        // The system drops who finds no room, and it tries again after a second, to be dropped again.
        let coming = timeout(Duration::from_secs(10), TcpStream::connect(address)).await;
        crowd.push(coming.unwrap_or_else(|_| panic!("number {number} finds no room")).unwrap());
    }
}

#[tokio::test]
async fn who_leaves_as_the_tournament_fills_is_not_counted_and_the_door_opens_again() {
    for repeat in [false, true] {
        let running = serve(Config { min_players: 3, wait: LONG, repeat, ..config(3) }, 1);
        let mut tasks = vec![];
        for peer in good(2) {
            tasks.push(peer.connect(running.address).await);
        }
        running.until("two", |notice| matches!(notice, Notice::SignedUp { players: 2, .. })).await;
        // The last one says its name and is gone in the same moment.
        let mut leaver = TcpStream::connect(running.address).await.unwrap();
        leaver.write_all(b"\"Leaver\"").await.unwrap();
        drop(leaver);
        running
            .until("the leave", |notice| matches!(notice, Notice::Left { name, .. } if name == "Leaver"))
            .await;
        let begun = |notice: &Notice| matches!(notice, Notice::Tournament { .. });
        assert!(!running.notices.lock().unwrap().iter().any(begun), "two are too few");
        tasks.push(Peer::new("third").connect(running.address).await);
        let notices = running.notices.clone();
        assert_eq!(running.tally().await, Tally { winners: 1, failed: 0 });
        let notices = notices.lock().unwrap();
        let begun = notices.iter().find(|notice| begun(notice)).unwrap().to_string();
        assert_eq!(begun, "a tournament of 3 begins: good#1, good#2, third#3");
    }
}

#[tokio::test]
async fn too_few_because_of_their_names_is_said_with_the_way_out() {
    let wait = Duration::from_millis(1500);
    let rules = Config { min_players: 3, wait, tries: 1, name_timeout: SHORT, ..config(10) };
    let running = serve(rules, 1);
    let notices = running.notices.clone();
    raw(running.address, b"\"OCaml-AI-0\"").await;
    // Without quotes and without an end, so that only the time ends it.
    raw(running.address, b"Nineluj").await;
    raw(running.address, b"\"far too long a name\"").await;
    assert_eq!(running.tally().await, Tally::default());
    let notices = notices.lock().unwrap();
    assert_eq!(
        notices.last().unwrap().to_string(),
        "there is no tournament: 0 have signed up, and 3 are needed; refused for their names: 2, which --lenient would take"
    );
    let hints =
        refusals(&notices).iter().filter(|reason| reason.contains("with --lenient it would do")).count();
    assert_eq!(hints, 2, "{:?}", refusals(&notices));
}

#[tokio::test]
async fn fault_j04_bad_names_are_closed_with_a_reason() {
    let bad: [&[u8]; 11] = [
        b"\"\"",
        b"\"abcdefghijklm\"",
        b"\"with space\"",
        b"\"Ann1\"",
        b"Ann\n",
        b"12 ",
        b"[\"Ann\"]",
        b"\"A\\u0000\"",
        b"\"\\ud800\"",
        b"\"\xff\"",
        b"\"A\x1b[2J\"",
    ];
    let running = serve(Config { wait: LONG, ..config(2) }, 1);
    for name in bad {
        assert_eq!(raw(running.address, name).await, b"", "nothing is said to {name:?}");
    }
    let mut tasks = vec![];
    for peer in good(2) {
        tasks.push(peer.connect(running.address).await);
    }
    let notices = running.notices.clone();
    assert_eq!(running.tally().await, Tally { winners: 1, failed: 0 });
    let refusals = refusals(&notices.lock().unwrap());
    assert_eq!(refusals.len(), bad.len());
    for reason in refusals {
        assert!(reason.contains("expected 1 to 12 letters in quotes"), "{reason}");
        assert!(!reason.contains(char::is_control) && reason.len() < 300, "{reason:?}");
    }
}

#[tokio::test]
async fn fault_j05_several_may_have_the_same_name_and_are_told_apart_everywhere() {
    let folder = rookery_testkit::TempFolder::new("fish-names");
    let rules = Config { record: Some(folder.to_path_buf()), ..config(4) };
    let held = tournament(rules, (0..4).map(|_| Peer::new("same")).collect()).await;
    assert_eq!(held.tally, Tally { winners: 2, failed: 0 });
    let names = ["same#1", "same#2", "same#3", "same#4"];
    let begun = held.notices.iter().find_map(|notice| match notice {
        Notice::Tournament { players } => Some(players.clone()),
        _ => None,
    });
    assert_eq!(begun.unwrap(), names);
    let record = std::fs::read(folder.join("tournament-1/round-1-table-1.rookery.jsonl")).unwrap();
    let story = rookery_live::read_story(&record[..]).unwrap();
    let seats: Vec<&str> = story.spec.seats.iter().map(|seat| seat.name.as_str()).collect();
    assert_eq!(seats, names);
}

/// Two who behave come, and their tournament is played.
async fn assert_two_good_ones_play(running: peers::Running) {
    let mut tasks = vec![];
    for peer in good(2) {
        tasks.push(peer.connect(running.address).await);
    }
    assert_eq!(running.tally().await, Tally { winners: 1, failed: 0 });
}

#[tokio::test]
async fn fault_j06_who_speaks_before_it_is_called_has_to_go() {
    let running = serve(Config { wait: LONG, ..config(2) }, 1);
    assert_eq!(raw(running.address, b"\"Ann\"\"Ann\"").await, b"");
    running.until("the farewell", |notice| {
        matches!(notice, Notice::Left { reason, .. }
            if reason == "spoke out of turn: sent `\"Ann\"`: it was not asked; expected nothing until it is called")
    })
    .await;
    assert_two_good_ones_play(running).await;
}

#[tokio::test]
async fn who_leaves_the_waiting_room_is_not_counted() {
    let running = serve(Config { wait: LONG, ..config(2) }, 1);
    let mut leaver = TcpStream::connect(running.address).await.unwrap();
    leaver.write_all(b"\"Leaver\"").await.unwrap();
    running.until("the sign-up", |notice| matches!(notice, Notice::SignedUp { .. })).await;
    drop(leaver);
    running
        .until("the leave", |notice| matches!(notice, Notice::Left { name, .. } if name == "Leaver"))
        .await;
    assert_two_good_ones_play(running).await;
}

#[tokio::test]
async fn fault_j07_who_comes_too_late_is_sent_away() {
    let running = serve(Config { wait: LONG, ..config(2) }, 1);
    let mut unnamed = TcpStream::connect(running.address).await.unwrap();
    let slow = Peer::bad("slow", "start", 0, peers::Deed::Late(SHORT));
    let mut tasks = vec![slow.connect(running.address).await];
    tasks.push(Peer::new("Ann").connect(running.address).await);
    running.until("the start", |notice| matches!(notice, Notice::Tournament { .. })).await;
    assert_eq!(raw(running.address, b"\"Late\"").await, b"");
    running.until("the refusal", refused("it came too late")).await;
    assert_eq!(timeout(PATIENCE, unnamed.read(&mut [0; 16])).await.expect("closed").unwrap_or(0), 0);
    let notices = running.notices.clone();
    assert_eq!(running.tally().await, Tally { winners: 1, failed: 0 });
    assert_eq!(refusals(&notices.lock().unwrap()).len(), 2, "the late one and the one without a name");
}

#[tokio::test]
async fn fault_j07_with_repeat_late_ones_play_in_the_next_tournament() {
    let mut running = serve(Config { repeat: true, wait: LONG, ..config(2) }, 2);
    let slow = Peer::bad("slow", "start", 0, peers::Deed::Late(SHORT));
    let first = [slow.connect(running.address).await, Peer::new("Ann").connect(running.address).await];
    running.until("the start", |notice| matches!(notice, Notice::Tournament { .. })).await;
    let mut second = vec![];
    for name in ["Cid", "Dan"] {
        second.push(Peer::new(name).connect(running.address).await);
    }
    for _ in 0..2 {
        assert_eq!(running.next_tally().await, Tally { winners: 1, failed: 0 });
    }
    for task in first.into_iter().chain(second) {
        assert!(task.await.unwrap().won.is_some(), "everybody played to the end");
    }
}

#[tokio::test]
async fn fault_j09_hundreds_connect_at_once() {
    const N: usize = 300;
    let running = serve(Config { wait: LONG, ..config(N) }, 1);
    let address = running.address;
    let player = move || async move {
        let seen = Peer::new("many").connect(address).await.await.unwrap();
        assert!(seen.won.is_some(), "everybody is served to the end");
    };
    timeout(PATIENCE, all((0..N).map(|_| player()))).await.expect("all are served");
    assert_eq!(running.tally().await.failed, 0);
}

#[tokio::test]
async fn fault_j10_other_protocols_are_told_so() {
    let running = serve(Config { wait: LONG, ..config(2) }, 1);
    for (sent, word) in [
        (&b"GET / HTTP/1.1\r\nHost: example\r\n\r\n"[..], "HTTP"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "TLS"),
        (b"\x00\x05\"Ann\"", "binary data"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "SSH"),
    ] {
        let told = String::from_utf8(raw(running.address, sent).await).unwrap();
        assert!(told.contains(word) && told.ends_with('\n') && told.lines().count() == 1, "{told:?}");
    }
    let mut tasks = vec![];
    for peer in good(2) {
        tasks.push(peer.connect(running.address).await);
    }
    assert_eq!(running.tally().await.failed, 0);
}
