//! The games before the first round: every program plays one, however it comes, and who fails is left out.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use rookery_testkit::TempFolder;
use serde_json::{Value, json};

const ROOKERY: &str = env!("CARGO_BIN_EXE_rookery");
const GAME: &str = "hexapawn:rows=3,cols=3";

fn rookery(args: &[&str]) -> Output {
    Command::new(ROOKERY).args(args).stdin(Stdio::null()).output().unwrap()
}

fn done(args: &[&str]) -> (Value, String) {
    let output = rookery(args);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {said}");
    (serde_json::from_slice(&output.stdout).unwrap(), said)
}

fn names(report: &Value) -> Vec<&str> {
    let mut names: Vec<&str> =
        report["standings"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    names
}

/// The first of the legal moves after a pause, and a line in a file whenever it is started. With `bad` it makes no legal move.
const BOT: &str = "\
import json, os, sys, time
open(os.path.join(os.path.dirname(__file__), 'starts'), 'a').write(sys.argv[1] + '\\n')
for line in sys.stdin:
    message = json.loads(line)
    kind = message['type']
    if kind == 'hello': print('{\"type\":\"hello\",\"version\":1}', flush=True)
    elif kind == 'new_game': print('{\"type\":\"ready\"}', flush=True)
    elif kind == 'turn':
        time.sleep(float(sys.argv[2]))
        move = 'z9-z9' if sys.argv[1] == 'bad' else message['legal'][0]
        print(json.dumps({'type': 'move', 'id': message['id'], 'move': move}), flush=True)
    elif kind == 'quit': break
";

fn bot(folder: &Path, name: &str, pause: &str) -> String {
    let path = folder.join("bot.py");
    fs::write(&path, BOT).unwrap();
    format!("{name}=cmd:python3 {} {name} {pause}", path.display())
}

fn starts(folder: &Path, name: &str) -> usize {
    let text = fs::read_to_string(folder.join("starts")).unwrap_or_default();
    text.lines().filter(|line| *line == name).count()
}

#[test]
fn programs_of_the_command_line_and_of_files_are_tried_too() {
    let folder = TempFolder::new("trials");
    let store = folder.join("s.db");
    let store = store.to_str().unwrap();
    let (good, bad) = (bot(&folder, "good", "0"), bot(&folder, "bad", "0"));
    let run = ["tournament", "run", "--format", "round-robin", GAME, &good, &bad, "random"];
    let rest = ["--forbid", "bad,random", "--json", "--quiet", "--store", store];
    let (report, said) = done(&[&run[..], &rest].concat());
    assert_eq!(names(&report), ["good", "random"]);
    assert_eq!(report["trials"].as_array().unwrap().len(), 1, "{report}");
    let trial = &report["trials"][0];
    assert_eq!((&trial["name"], &trial["outcome"]), (&json!("bad"), &json!("left-out")));
    let reason = trial["reason"].as_str().unwrap();
    assert!(reason.contains("z9-z9") && reason.contains(GAME), "{reason}");
    assert!(said.contains("bad fails before the first round: "), "{said}");
    assert_eq!((starts(&folder, "good"), starts(&folder, "bad")), (3, 1));

    // It is kept, told by all forms, and never asked again.
    let (status, _) = done(&["tournament", "status", "--json", "--store", store]);
    assert_eq!(status["trials"], report["trials"]);
    for args in
        [&["tournament", "status"][..], &["tournament", "show"], &["tournament", "show", "--format", "html"]]
    {
        let output = rookery(&[args, &["--store", store]].concat());
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("Left out before the first round: bad: "), "{args:?}: {text}");
        let is_table = *args == ["tournament", "show"];
        assert!(!is_table || text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
    let id = report["tournament"].as_str().unwrap();
    let (again, _) = done(&["tournament", "resume", id, "--json", "--quiet", "--store", store]);
    assert_eq!(names(&again), ["good", "random"]);
    assert_eq!((starts(&folder, "good"), starts(&folder, "bad")), (3, 1));

    let (kept, _) = done(&[&run[..], &["--keep-failing"], &rest].concat());
    assert_eq!(names(&kept), ["bad", "good", "random"]);
    assert_eq!(kept["trials"][0]["outcome"], "kept");

    let file = folder.join("x.toml");
    let text = format!(
        "name = 'x'\ngames = ['{GAME}']\nformat = 'round-robin'\nentrants = ['{good}', '{bad}', 'random']\n"
    );
    fs::write(&file, &text).unwrap();
    let of_file = ["tournament", "run", file.to_str().unwrap(), "--json", "--quiet", "--store", store];
    assert_eq!(names(&done(&of_file).0), ["good", "random"]);
    fs::write(&file, format!("{text}trials = [{{name = 'bad', outcome = 'left-out', reason = 'x'}}]\n"))
        .unwrap();
    let refused = rookery(&of_file);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(2) && said.contains("leave it out"), "{said}");
}

#[test]
fn with_too_few_left_nothing_is_held_and_that_is_told() {
    let folder = TempFolder::new("too-few");
    let store = folder.join("s.db");
    let store = store.to_str().unwrap();
    let bad = bot(&folder, "bad", "0");
    let run = ["tournament", "run", "--format", "round-robin", GAME, &bad, "random", "--store", store];
    let output = rookery(&run);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("left out before the first round: bad") && said.contains("--keep-failing"),
        "{said}"
    );
    let (listed, _) = done(&["tournaments", "list", "--json", "--store", store]);
    assert_eq!(listed[0]["state"], "cancelled", "{listed}");
    let resumed = rookery(&["tournament", "resume", "--store", store]);
    assert_eq!(resumed.status.code(), Some(2), "it is over");
}

/// Reads what a program says until a line has this, and the rest in the background.
fn wait_for(child: &mut Child, what: &str) -> String {
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let line = lines.find(|line| line.as_ref().unwrap().contains(what)).unwrap().unwrap();
    std::thread::spawn(move || lines.for_each(drop));
    line
}

#[test]
fn a_kill_before_the_first_round_loses_nothing() {
    let folder = TempFolder::new("killed-trials");
    let store = folder.join("s.db");
    let store = store.to_str().unwrap();
    let (bad, good) = (bot(&folder, "bad", "0"), bot(&folder, "good", "0.1"));
    let mut killed = Command::new(ROOKERY)
        .args(["tournament", "run", "--format", "round-robin", GAME, &good, &bad, "random", "-c", "1"])
        .args(["--store", store])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_for(&mut killed, "tried good (1 of 2)");
    killed.kill().unwrap();
    killed.wait().unwrap();
    let before = starts(&folder, "good");
    let (report, said) = done(&["tournament", "resume", "--json", "--store", store]);
    assert!(said.contains("bad fails before the first round"), "{said}");
    assert_eq!(names(&report), ["good", "random"]);
    assert_eq!(report["trials"][0]["outcome"], "left-out");
    assert_eq!(starts(&folder, "good"), before + 3, "tried again, and two games");
}

#[test]
fn bots_that_connect_are_tried_and_stay_for_the_tournament() {
    let folder = TempFolder::new("connected-trials");
    let store = folder.join("s.db");
    let mut server = Command::new(ROOKERY)
        .args(["tournament", "run", "--format", "round-robin", GAME, "random", "ann=tcp:0", "--json"])
        .args(["--sign-up", "tcp:0", "--sign-up-max", "2", "--store", store.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(server.stderr.take().unwrap()).lines().map(Result::unwrap);
    let door = said.next().unwrap();
    let door = door.strip_prefix("bots sign up at ").unwrap().split(' ').next().unwrap();
    let connect = |at: &str, seat: &str| {
        let (name, command) = seat.split_once("=cmd:").unwrap();
        let mut all = Command::new(ROOKERY);
        all.args(["connect", at, "--name", name, "--"]).args(command.split(' '));
        all.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let (one, bad) = (connect(door, &bot(&folder, "one", "0")), connect(door, &bot(&folder, "bad", "0")));
    let at = said.find_map(|line| line.strip_prefix("waiting for ann on ").map(str::to_owned)).unwrap();
    let ann = connect(&at, &bot(&folder, "ann", "0"));
    let rest: Vec<String> = said.collect();
    let output = server.wait_with_output().unwrap();
    assert!(output.status.success(), "{rest:?}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(names(&report), ["ann", "one", "random"], "{rest:?}");
    assert_eq!((&report["games"], &report["trials"][0]["name"]), (&json!(6), &json!("bad")), "{report}");
    assert!(report["faults"].as_array().unwrap().is_empty(), "{report}");
    for bot in [one, ann] {
        assert!(bot.wait_with_output().unwrap().status.success(), "it is sent home in peace");
    }
    let bad = bad.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&bad.stderr);
    assert!(!bad.status.success() && told.contains("failed the game before the first round"), "{told}");
    assert_eq!(
        ["one", "ann", "bad"].map(|name| starts(&folder, name)),
        [1, 1, 1],
        "one link from first to last"
    );
}
