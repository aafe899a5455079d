//! Whole tournaments that are killed, or stopped for a while, at moments drawn by chance, through the real program.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test that fails here should fail")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rookery_rules::{Rng, Seed, below};
use rookery_testkit::TempFolder;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

const ROOKERY: &str = env!("CARGO_BIN_EXE_rookery");

fn rookery(args: &[&str]) -> Output {
    Command::new(ROOKERY).args(args).stdin(Stdio::null()).output().unwrap()
}

fn done(args: &[&str]) -> String {
    let output = rookery(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What everybody has achieved, by name: everything but ids and times.
fn table(result: &Value) -> Vec<Value> {
    let mut rows = result["standings"].as_array().unwrap().clone();
    for row in &mut rows {
        assert!(row["rating"].is_number() && row["error"].is_number(), "{row}");
        let row = row.as_object_mut().unwrap();
        row.retain(|key, _| {
            ["name", "place", "points", "wins", "draws", "losses", "rating", "error"].contains(&key.as_str())
        });
        assert_eq!(row.len(), 8);
    }
    rows
}

/// The records of all games of a store, as texts, in order.
fn records(store: &str, folder: &Path) -> Vec<String> {
    let output = rookery(&["games", "export", folder.to_str().unwrap(), "--store", store]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let files = fs::read_dir(folder).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    let mut records: Vec<String> = files.collect();
    records.sort();
    records
}

/// The tournaments of a store, if it is there.
fn tournaments(store: &str) -> Vec<Value> {
    let listed = rookery(&["tournaments", "list", "--store", store, "--json"]);
    let list = serde_json::from_slice::<Value>(&listed.stdout).unwrap_or_default();
    list.as_array().cloned().unwrap_or_default()
}

/// The processes that have this in their command line.
fn running(mark: &str) -> Vec<Pid> {
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let has_mark = |entry: &fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        line.windows(mark.len()).any(|part| part == mark.as_bytes())
    };
    let number = |entry: fs::DirEntry| entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw);
    processes.filter(has_mark).filter_map(number).collect()
}

/// Always the first of the legal moves, as a program behind pipes; slow enough to be caught in the middle.
const BOT: &str = "\
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    kind = message['type']
    if kind == 'hello': print('{\"type\":\"hello\",\"version\":1}', flush=True)
    elif kind == 'new_game': print('{\"type\":\"ready\"}', flush=True)
    elif kind == 'turn':
        time.sleep(0.01)
        print(json.dumps({'type': 'move', 'id': message['id'], 'move': message['legal'][0]}), flush=True)
    elif kind == 'quit': break
";

/// Two such programs, and what only their command lines have.
struct Bots {
    mark: String,
    file: PathBuf,
}

impl Bots {
    fn new(folder: &TempFolder) -> Self {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let mark = format!("bot-{}-{name}.py", std::process::id());
        let file = folder.join(&mark);
        fs::write(&file, BOT).unwrap();
        Self { mark, file }
    }

    /// A tournament of theirs and two built-in players.
    fn tournament(&self, flags: &[&str], store: &str) -> Command {
        let mut command = Command::new(ROOKERY);
        command.args(["tournament", "run", "hexapawn:rows=4,cols=4"]);
        for name in ["one", "two"] {
            command.arg(format!("{name}=cmd:python3 {}", self.file.display()));
        }
        command.args(["random", "level:1", "--seed", "5", "--json", "--quiet", "--store", store]).args(flags);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    #[track_caller]
    fn expect_gone(&self) {
        let begin = Instant::now();
        while !running(&self.mark).is_empty() {
            assert!(begin.elapsed() < Duration::from_secs(20), "programs are left");
            sleep(Duration::from_millis(10));
        }
    }
}

#[track_caller]
fn result_of(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Whether it ended by itself within this time; else it is killed.
fn is_over_within(child: &mut Child, time: Duration) -> bool {
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() >= time {
            child.kill().unwrap();
            child.wait().unwrap();
            return false;
        }
        sleep(Duration::from_millis(5));
    }
    true
}

/// Holds a tournament that is killed again and again, and never. How often it was killed.
fn kill_again_and_again(flags: &[&str], n_games: u64, rng: &mut Rng) -> u32 {
    let folder = TempFolder::new("killed");
    let bots = Bots::new(&folder);
    let (whole, cut) = (folder.join("whole.db"), folder.join("cut.db"));
    let (whole, cut) = (whole.to_str().unwrap(), cut.to_str().unwrap());
    let expected = result_of(&bots.tournament(flags, whole).output().unwrap());
    assert_eq!(expected["games"], n_games);

    // Later and later, so that every part of it is met and it ends at last.
    let begin = Instant::now();
    let (mut kills, mut tries) = (0, 0);
    let result = loop {
        assert!(begin.elapsed() < Duration::from_mins(4), "it gets on: {kills} kills");
        let mut command = bots.tournament(flags, cut);
        // Killed before it was stored, there is nothing to go on with yet.
        if !tournaments(cut).is_empty() {
            command = Command::new(ROOKERY);
            command.args(["tournament", "resume", "--store", cut, "--json", "--quiet"]);
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        }
        let mut child = command.spawn().unwrap();
        tries += 1;
        let pause = Duration::from_millis(20 + u64::from(below(rng, 120 + 80 * tries)));
        if is_over_within(&mut child, pause) {
            let output = child.wait_with_output().unwrap();
            // Killed between its last word and its end, it is over.
            if String::from_utf8_lossy(&output.stderr).contains("no tournament of this store is unfinished") {
                assert_eq!(tournaments(cut)[0]["state"], "finished");
                break serde_json::from_str(&done(&["tournament", "show", "--store", cut, "--json"]))
                    .unwrap();
            }
            break result_of(&output);
        }
        kills += 1;
        bots.expect_gone();
    };
    assert_eq!(tournaments(cut).len(), 1, "{flags:?}");
    assert_eq!(table(&result), table(&expected), "{flags:?}");
    let records = [(cut, "cut"), (whole, "whole")].map(|(store, name)| records(store, &folder.join(name)));
    assert_eq!(records[0].len() as u64, n_games, "{flags:?}: each game once");
    assert_eq!(records[0], records[1], "{flags:?}");
    done(&["ratings", "--store", cut, "--recompute"]);
    kills
}

/// What is over is rated, at whatever moment the program is killed: the store refuses here to say the one before the other.
#[test]
fn fault_s01_a_tournament_is_over_only_once_it_is_rated() {
    let folder = TempFolder::new("rated");
    let store = folder.join("s.db");
    let path = store.to_str().unwrap();
    let run = ["tournament", "run", "hexapawn:rows=3,cols=3", "random", "first", "--quiet", "--store", path];
    done(&run);
    let watched = "create trigger rated before update of state on tournaments when new.state = 'finished' and not exists \
                   (select 1 from ratings where pool = 'tournament ' || new.id) \
                   begin select raise(abort, 'it is not rated'); end";
    rusqlite::Connection::open(&store).unwrap().execute_batch(watched).unwrap();
    done(&run);
    assert!(tournaments(path).iter().all(|tournament| tournament["state"] == "finished"));
    assert_eq!(tournaments(path).len(), 2);
}

/// In a Swiss system what is played depends on the results so far.
#[test]
fn fault_s01_tournaments_that_are_killed_again_and_again_end_as_if_they_never_were() {
    let chance = u64::from(std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().subsec_nanos());
    eprintln!("the moments are drawn by {chance}");
    let rng = &mut Seed(chance).rng();
    let mut kills = 0;
    for (flags, n_games) in [
        (&["--format", "round-robin", "--games", "4"][..], 24),
        (&["--format", "swiss", "--rounds", "3", "--games", "4"], 24),
    ] {
        let killed = kill_again_and_again(flags, n_games, rng);
        eprintln!("{flags:?}: {killed} kills");
        assert!(killed > 1, "{flags:?} was killed");
        kills += killed;
    }
    assert!(kills >= 5, "{kills} kills");
}

/// As a laptop that is closed for a while, or a shell's Ctrl-Z: nobody is to blame for the time.
#[test]
fn fault_t02_a_whole_tournament_that_stands_still_for_a_while_blames_nobody() {
    let folder = TempFolder::new("still");
    let bots = Bots::new(&folder);
    let store = folder.join("s.db");
    let store = store.to_str().unwrap();
    let flags = ["--format", "round-robin", "--games", "6", "--time", "3s", "--concurrency", "2"];
    let tournament = bots.tournament(&flags, store).spawn().unwrap();
    let begin = Instant::now();
    let has_games = || {
        let listed = rookery(&["games", "list", "--store", store, "--json"]);
        serde_json::from_slice::<Value>(&listed.stdout).is_ok_and(|list| list[0].is_object())
    };
    while !has_games() {
        assert!(begin.elapsed() < Duration::from_mins(2), "no game was stored");
    }
    let whole = [vec![Pid::from_child(&tournament)], running(&bots.mark)].concat();
    assert!(whole.len() > 2, "its programs are there");
    for signal in [Signal::STOP, Signal::CONT] {
        for process in &whole {
            // One may have ended by itself.
            let _ = kill_process(*process, signal);
        }
        // Twice what anybody has for a move, which is more than a move takes on a machine with other work.
        sleep(Duration::from_secs(if signal == Signal::STOP { 6 } else { 0 }));
    }
    let result = result_of(&tournament.wait_with_output().unwrap());
    assert_eq!((&result["games"], &result["aborted"]), (&Value::from(36), &Value::from(0)), "{result}");
    for row in result["standings"].as_array().unwrap() {
        for fault in ["time_losses", "crashes", "other_faults"] {
            assert_eq!(row[fault], 0, "{row}");
        }
    }
    bots.expect_gone();
}
