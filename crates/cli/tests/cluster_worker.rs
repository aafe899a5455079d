//! Workers as programs: told to stop in the middle of a game, and out of the broker's users.
#![cfg(all(feature = "cluster", target_os = "linux"))]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod cluster_parts;

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rookery_testkit::TempFolder;
use rookery_testkit::nats::Nats;
use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use cluster_parts::{PATIENCE, Part, command, done, wait_for};

/// Games of many seconds also on a fast machine, so that the first one is played when something is done to its worker.
const LONG: &str = "four mcts:playouts=1000000 mcts:playouts=999999";

fn hold(folder: &Path, access: &str, games: u32) -> Part {
    let line = format!("tournament run {LONG} --games {games} --store many.db {access} --json -q");
    Part(command(folder, &line).stdout(Stdio::piped()).spawn().unwrap())
}

/// A worker of one slot that plays its first game, with these words more on its command line.
fn at_play(folder: &Path, access: &str, own: &str, name: &str, words: &str) -> Part {
    let line = format!("worker {own} --name {name} --slots 1 --spool {name}.spool --json {words}");
    let mut worker = command(folder, line.trim());
    let worker = Part(worker.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    let seen = wait_for(folder, access, name, |found| found["playing"] == 1);
    assert_eq!(seen["games"], 0, "it is the first one: {seen}");
    worker
}

/// How long whole games of that kind may take, on a machine that does much else.
const LONG_PATIENCE: Duration = Duration::from_mins(5);

/// Waits for the end of a program: its exit code, and what it printed.
fn ended(mut part: Part) -> (Option<i32>, Value) {
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = part.0.try_wait().unwrap() {
            break status;
        }
        assert!(begun.elapsed() < LONG_PATIENCE, "it does not end");
        sleep(Duration::from_millis(20));
    };
    let mut out = String::new();
    part.0.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    (status.code(), serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}")))
}

/// Tells a worker to stop, and waits until it says that it has heard.
fn terminate(part: &mut Part) {
    let pid = Pid::from_raw(i32::try_from(part.0.id()).unwrap()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    let mut said = BufReader::new(part.0.stderr.as_mut().unwrap()).lines().map_while(Result::ok);
    assert!(said.any(|line| line.starts_with("stopping")), "it hears");
}

#[test]
fn fault_q02_a_worker_that_gets_sigterm_in_the_middle_of_a_game_delivers_it_or_gives_it_back() {
    let Some(broker) = Nats::start() else { return };
    let folder = TempFolder::new("cluster-drained");
    let access = format!("--dispatch {}", broker.url());
    let held = hold(&folder, &access, 2);
    let worker = |name: &str, words: &str| at_play(&folder, &access, &access, name, words);
    let counts = |report: &Value| {
        ["stored", "dropped", "unfinished", "undelivered"].map(|count| report[count].as_u64().unwrap())
    };

    // There is time: it ends the game that it plays, delivers it and begins no other one.
    let mut ann = worker("ann", "--grace 10m");
    terminate(&mut ann);
    let (code, report) = ended(ann);
    assert_eq!((code, counts(&report)), (Some(0), [1, 0, 0, 0]), "{report}");

    // There is none: another one plays it.
    let mut bob = worker("bob", "--grace 0s");
    terminate(&mut bob);
    let (code, report) = ended(bob);
    assert_eq!((code, counts(&report)), (Some(0), [0, 0, 1, 0]), "{report}");

    // A second signal ends the grace.
    let mut cid = worker("cid", "--grace 10m");
    terminate(&mut cid);
    terminate(&mut cid);
    let (code, report) = ended(cid);
    assert_eq!((code, counts(&report)), (Some(0), [0, 0, 1, 0]), "{report}");

    let _dan = worker("dan", "");
    let (code, report) = ended(held);
    assert_eq!((code, &report["games"]), (Some(0), &2.into()), "{report}");
    let sql = Connection::open(folder.join("many.db")).unwrap();
    let lost: i64 = sql.query_row("select count(*) from attempts", [], |row| row.get(0)).unwrap();
    assert_eq!(lost, 0, "whatever is given back costs no attempt");
}

#[test]
fn fault_q14_a_worker_is_revoked_by_command_and_the_status_says_who_plays() {
    let folder = TempFolder::new("cluster-revoked");
    for (name, role) in [("main", " --coordinator"), ("ann", "")] {
        let said = done(&folder, &format!("worker enrol {name}{role} --users users.conf --key {name}.key"));
        assert!(said.contains(&format!("{name} is enrolled; its key is in {name}.key")), "{said}");
    }
    // An included file is named from the folder of the broker's own, which is beside ours.
    let beside = folder.file_name().unwrap().to_str().unwrap();
    let Some(broker) = Nats::with(&format!("include \"../{beside}/users.conf\"")) else { return };
    let access = |name: &str| format!("--dispatch {} --dispatch-key {name}.key", broker.url());
    let main = access("main");
    let _held = hold(&folder, &main, 2);
    let _ann = at_play(&folder, &main, &access("ann"), "ann", "");
    let status = done(&folder, &format!("cluster status {main}"));
    let lines: Vec<&str> = status.lines().collect();
    assert!(lines[0].starts_with("coordinator: up ") && lines[0].contains(" 0 games stored, "), "{status}");
    assert!(lines[1].starts_with("worker ann: plays 1 of 1, 0 stored, 0 lost, speed "), "{status}");
    assert!(lines[2].starts_with("tournament "), "{status}");
    assert!(lines[2].ends_with(": 1 wait, 1 are played, 0 done, 0 parked"), "{status}");
    assert_eq!(done(&folder, &format!("cluster audit {main}")), "", "nothing is written down");

    let is_connected = || broker.connected().iter().any(|connected| connected == "ann");
    assert!(is_connected());
    let said = done(&folder, "worker revoke ann --users users.conf");
    assert_eq!(said, "ann is revoked; the broker knows it after: nats-server --signal reload\n");
    broker.reload();
    let begun = Instant::now();
    while is_connected() {
        assert!(begun.elapsed() < PATIENCE, "its connection is not ended");
        sleep(Duration::from_millis(20));
    }
    let again = command(&folder, "worker revoke ann --users users.conf").output().unwrap();
    let said = String::from_utf8_lossy(&again.stderr);
    assert!(again.status.code() == Some(1) && said.contains("nobody called \"ann\" is enrolled"), "{said}");
    let asked = command(&folder, &format!("cluster status {}", access("ann"))).output().unwrap();
    assert_eq!(asked.status.code(), Some(1), "its key opens nothing any more");
}
