//! Bots that use the time of their opponents, with and without `--freeze`: the option of fault C8.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rookery_testkit::{TempFolder, skip};
use serde_json::Value;

const ROOKERY: &str = env!("CARGO_BIN_EXE_rookery");

/// Plays the first legal move after a while; with `burn` a thread of it never rests once it has answered.
const BOT: &str = r#"
import json, sys, threading, time
def burn():
    while True: pass
def send(**message):
    print(json.dumps(message), flush=True)
burns, pause = sys.argv[1] == "burn", float(sys.argv[2])
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        send(type="hello", version=1)
    elif message["type"] == "new_game":
        send(type="ready")
    elif message["type"] == "turn":
        time.sleep(pause)
        send(type="move", id=message["id"], index=0)
        if burns:
            burns = False
            threading.Thread(target=burn, daemon=True).start()
    elif message["type"] == "quit":
        break
"#;

const FREEZE: [&str; 3] = ["--freeze", "--sandbox", "auto"];

struct Bots(TempFolder);

impl Bots {
    fn new() -> Self {
        let folder = TempFolder::new("freeze");
        fs::write(folder.join("bot.py"), BOT).unwrap();
        Self(folder)
    }

    /// A game of one that burns against one that takes its time.
    fn game(&self, pause: &str, more: &[&str]) -> Command {
        let seat = |args: &str| format!("cmd:/usr/bin/python3 {} {args}", self.0.join("bot.py").display());
        let mut command = Command::new(ROOKERY);
        command
            .args(["match", "hexapawn:rows=4,cols=4", &seat("burn 0"), &seat(&format!("rest {pause}"))])
            .args(["--games", "1", "--json", "--cpu-time", "--quiet"])
            .args(more);
        command
    }
}

/// Whether programs can be frozen here.
fn is_possible() -> bool {
    let output = Bots::new().game("0", &FREEZE).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("cannot be frozen") {
        skip(&said);
        return false;
    }
    true
}

fn cpu_of(output: &Output) -> f64 {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let game = &report["games"][0];
    assert_eq!(game["ending"], "normal", "{report} {said}");
    game["cpu_ms"][0].as_f64().unwrap()
}

#[test]
fn fault_c08_a_bot_that_is_frozen_uses_nothing_on_the_time_of_its_opponent() {
    if !is_possible() {
        return;
    }
    let bots = Bots::new();
    let free = cpu_of(&bots.game("0.4", &FREEZE[1..]).output().unwrap());
    // Its own clock is short, and nothing of it is lost while it is frozen.
    let frozen = cpu_of(&bots.game("0.4", &[&FREEZE[..], &["--time", "1s"]].concat()).output().unwrap());
    assert!(free > 400.0 && frozen < free / 2.0, "{frozen} ms frozen, {free} ms free");
}

#[test]
fn fault_c08_at_the_level_none_freezing_is_refused() {
    // The usual one for a program that somebody typed.
    let output = Bots::new().game("0", &["--freeze"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("give --sandbox auto or full with --freeze"), "{said}");
}

/// The control groups of this instance, and whether one of them is frozen.
fn groups_of(pid: u32) -> (usize, bool) {
    let mut folders = vec![Path::new("/sys/fs/cgroup").to_owned()];
    folders.extend(fs::read_dir("/sys/fs/cgroup").into_iter().flatten().flatten().map(|entry| entry.path()));
    let own = |name: &str| name.starts_with("rookery-") && name.contains(&format!("-{pid}-"));
    let groups: Vec<_> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten())
        .filter(|entry| entry.file_name().to_str().is_some_and(own))
        .map(|entry| entry.path())
        .collect();
    let has = |path: &Path, file: &str, word: &str| {
        fs::read_to_string(path.join(file)).is_ok_and(|text| text.contains(word))
    };
    let is_frozen = groups
        .iter()
        .any(|path| has(path, "freezer.state", "FROZEN") || has(path, "cgroup.events", "frozen 1"));
    (groups.len(), is_frozen)
}

fn n_processes(mark: &str) -> usize {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let marked = |path: &Path| {
        fs::read(path.join("cmdline")).is_ok_and(|line| String::from_utf8_lossy(&line).contains(mark))
    };
    entries.filter(|entry| marked(&entry.path())).count()
}

#[track_caller]
fn within(time: Duration, what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < time, "not within {time:?}: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn fault_c08_a_killed_rookery_leaves_no_frozen_bot() {
    if !is_possible() {
        return;
    }
    let bots = Bots::new();
    let mut rookery = bots.game("60", &FREEZE).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let (pid, mark) = (rookery.id(), bots.0.join("bot.py").display().to_string());
    within(Duration::from_secs(20), "a bot is frozen", || groups_of(pid).1 && n_processes(&mark) > 2);
    rookery.kill().unwrap();
    rookery.wait().unwrap();
    within(Duration::from_secs(5), "all processes are gone", || n_processes(&mark) == 0);
    within(Duration::from_secs(5), "all control groups are gone", || groups_of(pid).0 == 0);
}
