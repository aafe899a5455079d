//! Tournaments that change on the way, and what their reports say beyond the table, through the real program.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rookery_testkit::TempFolder;
use serde_json::Value;

const ROOKERY: &str = env!("CARGO_BIN_EXE_rookery");

fn rookery(args: &[&str]) -> Output {
    Command::new(ROOKERY).args(args).stdin(Stdio::null()).output().unwrap()
}

fn said(args: &[&str]) -> String {
    let output = rookery(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&said(args)).unwrap()
}

#[test]
fn who_comes_late_and_who_leaves_is_heeded_after_a_kill() {
    let folder = TempFolder::new("late");
    let store = folder.join("s.db");
    let store = store.to_str().unwrap();
    let flags = ["--games", "4000", "--quiet", "--store", store];
    let mut running = Command::new(ROOKERY)
        .args(["tournament", "run", "--format", "ladder", "hexapawn", "random", "first", "level:1"])
        .args(flags)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    let listed = || rookery(&["games", "list", "--store", store, "--json", "--limit", "1"]);
    while !serde_json::from_slice::<Value>(&listed().stdout).is_ok_and(|list| list[0].is_object()) {
        assert!(begin.elapsed() < Duration::from_mins(2), "no game was ever stored");
    }
    let id = json(&["tournaments", "list", "--store", store, "--json"])[0]["id"].as_str().unwrap().to_owned();
    let busy = rookery(&["tournament", "enter", &id, "late=first", "--store", store]);
    running.kill().unwrap();
    running.wait().unwrap();
    assert_eq!(busy.status.code(), Some(75), "it is running: {}", String::from_utf8_lossy(&busy.stderr));

    let entered = said(&["tournament", "enter", &id, "late=first", "--store", store]);
    assert!(entered.starts_with("late takes part, as one of 4"), "{entered}");
    let left = said(&["tournament", "withdraw", &id, "random", "--store", store]);
    assert!(left.starts_with("random has left"), "{left}");
    let wrong = rookery(&["tournament", "withdraw", &id, "nobody", "--store", store]);
    assert_eq!(wrong.status.code(), Some(2), "{}", String::from_utf8_lossy(&wrong.stderr));

    let result = json(&["tournament", "resume", &id, "--store", store, "--json", "--quiet"]);
    let games = |name: &str| {
        let rows = result["standings"].as_array().unwrap();
        rows.iter().find(|row| row["name"] == name).unwrap()["games"].as_u64().unwrap()
    };
    assert!(games("late") > games("random"), "{result}");
    assert!(rookery(&["ratings", "--store", store, "--recompute"]).status.success());
    let over = rookery(&["tournament", "enter", &id, "later=first", "--store", store]);
    assert_eq!(over.status.code(), Some(2), "{}", String::from_utf8_lossy(&over.stderr));
}

#[test]
fn what_the_records_say_is_in_the_report() {
    let folder = TempFolder::new("details");
    let store = folder.join("s.db");
    let store = store.to_str().unwrap();
    let run = ["tournament", "run", "--format", "round-robin", "hexapawn:rows=3,cols=3", "--tc", "10s+1s"];
    let players =
        ["level:5", "first", "bad=cmd:false", "--keep-failing", "--store", store, "--json", "--quiet"];
    let result = json(&[&run[..], &players].concat());
    let row = |report: &Value, name: &str| {
        report["standings"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap().clone()
    };
    assert!(row(&result, "first")["time"]["moves"].as_u64().unwrap() > 2, "{result}");
    assert!(row(&result, "bad")["time"].is_null() && row(&result, "first")["accuracy"].is_null());
    let fault = &result["faults"][0];
    assert!(fault["name"] == "bad" && fault["count"] == 4, "{fault}");
    assert!(!fault["evidence"].as_str().unwrap().is_empty(), "{fault}");
    // The command that a report shows does what it says.
    let command = fault["replay"].as_str().unwrap().strip_prefix("rookery ").unwrap();
    let replayed = Command::new("sh").args(["-c", &format!("'{ROOKERY}' {command}")]).output().unwrap();
    assert!(replayed.status.success(), "{command}: {}", String::from_utf8_lossy(&replayed.stderr));
    assert!(String::from_utf8_lossy(&replayed.stdout).contains("bad"), "{command}");
    let text = said(&["tournament", "show", "--store", store]);
    assert!(text.contains("time per move") && text.contains("rookery replay "), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");

    let id = command.split(' ').nth(1).unwrap();
    let page = said(&["tournament", "show", "--store", store, "--format", "html"]);
    assert!(!page.contains("href="), "a file that is handed out has nowhere to lead to: {page}");
    let page =
        said(&["tournament", "show", "--store", store, "--format", "html", "--server", "http://x.org:80/"]);
    assert!(page.contains(&format!("href=\"http://x.org:80/m/{id}\"")), "{id}");
    let wrong = rookery(&["tournament", "show", "--store", store, "--server", "javascript:x"]);
    assert_eq!(wrong.status.code(), Some(2));

    let judged = json(&["tournament", "show", "--store", store, "--json", "--accuracy", "20s"]);
    let accuracy = |name: &str| row(&judged, name)["accuracy"].as_f64();
    assert_eq!(accuracy("level:5"), Some(1.0), "it plays this board without a mistake: {judged}");
    assert!(accuracy("first").is_some_and(|share| (0.0..=1.0).contains(&share)), "{judged}");
    assert_eq!(accuracy("bad"), None, "it never moved");
}

#[test]
fn balanced_boards_by_flag_and_by_file() {
    let folder = TempFolder::new("balanced");
    let store = folder.join("s.db");
    let store = store.to_str().unwrap();
    let flags = ["--format", "round-robin", "hexapawn:rows=4,cols=4", "random", "first", "--games", "4"];
    let rest = ["--balanced", "2", "--seed", "9", "--store", store, "--json", "--quiet"];
    let by_flags = json(&[&["tournament", "run"], &flags[..], &rest].concat());
    let toml = "name = 'x'\ngames = ['hexapawn:rows=4,cols=4']\nseed = '9'\nformat = {kind = 'round-robin', games = 4}\n\
                balanced = {boards = 2}\n\
                entrants = [{name = 'random', player = 'random'}, {name = 'first', player = 'first'}]\n";
    let file = folder.join("x.toml");
    std::fs::write(&file, toml).unwrap();
    let by_file = json(&["tournament", "run", file.to_str().unwrap(), "--store", store, "--json", "--quiet"]);
    let hashes = |result: &Value| {
        let id = result["tournament"].as_str().unwrap();
        let listed = json(&["games", "list", "--tournament", id, "--store", store, "--json"]);
        let mut hashes: Vec<String> =
            listed.as_array().unwrap().iter().map(|game| game["sha256"].to_string()).collect();
        hashes.sort();
        hashes
    };
    assert_eq!(hashes(&by_flags).len(), 4);
    assert_eq!(hashes(&by_flags), hashes(&by_file), "the same games");
    let both = ["--balanced", "2", "--openings", "x"];
    assert_eq!(rookery(&[&["tournament", "run"], &flags[..], &both].concat()).status.code(), Some(2));
}

/// A bot that tells its standard error how readily the system ends it, and then plays the first of its moves.
const TELLING: &str = "\
import json, sys
print(open('/proc/self/oom_score_adj').read().strip(), file=sys.stderr, flush=True)
for line in sys.stdin:
    message = json.loads(line)
    kind = message['type']
    if kind == 'hello': print('{\"type\":\"hello\",\"version\":1}', flush=True)
    elif kind == 'new_game': print('{\"type\":\"ready\"}', flush=True)
    elif kind == 'turn':
        print(json.dumps({'type': 'move', 'id': message['id'], 'move': message['legal'][0]}), flush=True)
    elif kind == 'quit': break
";

#[test]
fn fault_s16_where_memory_runs_out_programs_of_others_go_before_us() {
    let folder = TempFolder::new("memory");
    let (store, bots) = (folder.join("s.db"), folder.join("bots"));
    let store = store.to_str().unwrap();
    std::fs::create_dir_all(bots.join("teller")).unwrap();
    std::fs::write(bots.join("teller/bot.py"), TELLING).unwrap();
    std::fs::write(bots.join("teller/bot.toml"), "name = 'teller'\nrun = 'python3 bot.py'\n").unwrap();
    let run = ["tournament", "run", "--format", "round-robin", "hexapawn:rows=3,cols=3", "random", "--bots"];
    let rest = [bots.to_str().unwrap(), "--store", store, "--json", "--quiet"];
    let line = [&run[..], &rest].concat();
    let mut rookery =
        Command::new(ROOKERY).args(line).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    // Of the program itself, as long as it runs.
    let mut ours = vec![];
    while rookery.try_wait().unwrap().is_none() {
        let read = std::fs::read_to_string(format!("/proc/{}/oom_score_adj", rookery.id()));
        ours.extend(read.ok().and_then(|text| text.trim().parse::<i32>().ok()));
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = rookery.wait_with_output().unwrap();
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["games"], 2, "{result}");
    assert!(!ours.is_empty() && ours.iter().all(|&score| score < 1000), "{ours:?}");
    // Which files it had is kept.
    let teller = json(&["entrants", "show", "teller", "--store", store, "--json"]);
    assert_eq!(teller["versions"].as_array().unwrap().len(), 1, "{teller}");
    let back = folder.join("back");
    said(&["tournament", "export", "--store", store, "--by-entrant", back.to_str().unwrap()]);
    let log = std::fs::read_to_string(back.join("teller/game-00001.stderr")).unwrap();
    assert_eq!(log.trim(), "1000");
}

#[test]
fn fault_s06_with_few_descriptors_fewer_games_run_and_that_is_told() {
    let folder = TempFolder::new("descriptors");
    let bot = folder.join("bot.py");
    std::fs::write(&bot, TELLING).unwrap();
    let run = "ulimit -n 120; exec \"$0\" tournament run --format round-robin hexapawn:rows=3,cols=3 \
               one=\"cmd:python3 $1/bot.py\" random first -c 100 --games 4 --json --store \"$1/s.db\"";
    let output = Command::new("sh").args(["-c", run, ROOKERY, folder.to_str().unwrap()]).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(told.contains("games at a time instead of 100: this process may open 120 files"), "{told}");
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&result["games"], &result["aborted"]), (&Value::from(12), &Value::from(0)), "{result}");
    assert!(result["faults"].as_array().unwrap().is_empty(), "{result}");
}

#[test]
fn fault_s07_a_port_in_use_is_told_before_a_tournament_begins() {
    let folder = TempFolder::new("port");
    let store = folder.join("s.db");
    let store = store.to_str().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let at = format!("tcp:{port}");
    let run =
        ["tournament", "run", "--format", "round-robin", "hexapawn", "random", "first", "--sign-up", &at];
    let refused = rookery(&[&run[..], &["--store", store]].concat());
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(98) && told.contains(&port.to_string()), "{told}");
    // The same at a table of a match.
    let refused = rookery(&["match", "hexapawn", &at, "random"]);
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(98) && told.contains(&port.to_string()), "{told}");
    assert_eq!(json(&["tournaments", "list", "--store", store, "--json"]), Value::Array(vec![]));
}
