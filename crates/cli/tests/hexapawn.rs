//! `rookery hexapawn referee` and `player` as people use them: processes, sockets, a person at the keyboard.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::io::{BufRead, BufReader, Read as _, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const ROOKERY: &str = env!("CARGO_BIN_EXE_rookery");

fn hexapawn(args: &[&str]) -> Command {
    let mut command = Command::new(ROOKERY);
    command.arg("hexapawn").args(args).stdin(Stdio::null());
    command
}

/// One of our players as a program.
fn player(options: &str) -> String {
    format!("cmd:'{ROOKERY}' hexapawn player --stdio {options}")
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A file of this test, gone at the start.
fn file(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_str(&stdout(output)).unwrap()
}

/// Generous: this is no test of speed.
const TIME: [&str; 2] = ["--time", "30s"];

#[test]
fn every_line_of_a_program_is_written_down_with_trace() {
    let path = file("hexapawn-trace.txt");
    let seat = player("--player first");
    let output = hexapawn(&["referee", "--p1", "first", "--p2", &seat, "--trace", path.to_str().unwrap()])
        .args(TIME)
        .output()
        .unwrap();
    stdout(&output);
    let trace = fs::read_to_string(path).unwrap();
    for direction in [" p2 < ", " p2 > "] {
        assert!(trace.contains(direction), "{direction}: {trace}");
    }
    let refused =
        hexapawn(&["referee", "--p1", "first", "--p2", &seat, "--trace", "/nowhere/x"]).output().unwrap();
    let problem = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(problem.contains("expected a file that can be written"), "{problem}");
}

#[test]
fn programs_over_pipes_play_what_players_at_the_table_play() {
    for protocol in ["seed", "elimination"] {
        let path = file(&format!("{protocol}.rookery.jsonl"));
        let record = path.to_str().unwrap();
        let local =
            hexapawn(&["referee", "--p1", "heuristic", "--p2", "first", "--protocol", protocol, "--json"])
                .args(TIME)
                .output()
                .unwrap();
        let (one, two) = (player("--player heuristic"), player("--player first"));
        let piped = hexapawn(&["referee", "--p1", &one, "--p2", &two, "--protocol", protocol, "--json"])
            .args(TIME)
            .args(["--record", record])
            .output()
            .unwrap();
        let (local, piped) = (json(&local), json(&piped));
        assert_eq!(local["moves"], piped["moves"], "{protocol}");
        assert_eq!(piped["cause"], "normal");
        assert!(piped["plies"].as_u64().unwrap() > 5);
        let verified = Command::new(ROOKERY).args(["verify", record]).output().unwrap();
        stdout(&verified);
        // A record is not overwritten.
        let again =
            hexapawn(&["referee", "--p1", "first", "--p2", "first", "--record", record]).output().unwrap();
        assert_eq!(again.status.code(), Some(1));
        assert!(
            String::from_utf8_lossy(&again.stderr)
                .contains("there is a record already; go on with it by --resume")
        );
    }
}

/// A referee that has told on which ports it waits.
fn waiting(args: &[&str], n_ports: usize) -> (Child, Vec<String>, BufReader<std::process::ChildStderr>) {
    let mut referee = hexapawn(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(referee.stderr.take().unwrap());
    let mut addresses = vec![];
    for _ in 0..n_ports {
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        addresses.push(line.trim().rsplit(' ').next().unwrap().to_owned());
    }
    (referee, addresses, stderr)
}

#[test]
fn players_connect_by_tcp() {
    let args =
        ["referee", "--p1", "tcp:0", "--p2", "tcp:0", "--rows", "3", "--cols", "3", "--dialect", "code"];
    let (referee, addresses, _stderr) = waiting(&[&args[..], &TIME].concat(), 2);
    let players: Vec<Child> = addresses
        .iter()
        .map(|address| {
            let mut player = hexapawn(&["player", "--connect", address, "--dialect", "code"]);
            player.stdout(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let shown = stdout(&referee.wait_with_output().unwrap());
    assert!(shown.starts_with("p(PR1 PR2) = {Referee.createReferee P1 P2 3 3}\n"), "{shown}");
    assert!(shown.contains("p1: mv(f(1 3) t(2 3))  c1-c2\n"), "{shown}");
    assert!(shown.ends_with("p2 has won after 4 moves: p1 cannot move\n"), "{shown}");
    let told: Vec<String> =
        players.into_iter().map(|player| stdout(&player.wait_with_output().unwrap())).collect();
    assert_eq!(told, ["p1: p2 has won\n", "p2: p2 has won\n"]);
}

#[test]
fn fault_j01_who_does_not_connect_in_time_loses() {
    let args = ["referee", "--p1", "first", "--p2", "tcp:0", "--connect-timeout", "50ms", "--json"];
    let report = json(&hexapawn(&args).output().unwrap());
    assert_eq!((&report["winner"], &report["cause"]), (&"p1".into(), &"no_show".into()));
    assert_eq!(report["blame"], "player");
    let args = ["referee", "--p1", "tcp:0", "--p2", "tcp:0", "--connect-timeout", "50ms"];
    let nobody = hexapawn(&args).output().unwrap();
    assert_eq!(nobody.status.code(), Some(1));
    let error = String::from_utf8(nobody.stderr).unwrap();
    assert!(error.ends_with("error: nobody connected within 50ms; there was no match\n"), "{error}");
}

#[test]
fn a_person_is_asked_again_until_the_move_is_possible() {
    let args = ["referee", "--p1", "human", "--p2", "first", "--rows", "3", "--cols", "3"];
    let mut referee =
        hexapawn(&args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = b"a3\nmove(f(1 1) t(2 2))\nhelp\nmove(f(1 2) t(2 2))\nresign\n";
    referee.stdin.take().unwrap().write_all(lines).unwrap();
    let output = referee.wait_with_output().unwrap();
    let shown = stdout(&output);
    assert!(shown.contains("p1: move(f(1 2) t(2 2))  b1-b2\n"), "{shown}");
    assert!(shown.ends_with("p2 has won after 2 moves: player 1 resigned\n"), "{shown}");
    let asked = String::from_utf8(output.stderr).unwrap();
    for answer in [
        "a2-a3 is not possible: player 1 has no pawn on a2",
        "a1xb2 is not possible: a pawn takes an enemy pawn one square diagonally ahead",
        "you may play c1-c2 b1-b2 a1-a2; or resign",
    ] {
        assert!(asked.contains(&format!("p1, your move: {answer}")), "{asked}");
    }
}

#[test]
fn fault_t03_a_person_whose_input_ends_has_left() {
    let output = hexapawn(&["referee", "--p1", "first", "--p2", "human", "--json"]).output().unwrap();
    assert_eq!(json(&output)["cause"], "disconnected");
}

#[test]
fn fault_t01_a_program_that_hangs_loses_and_is_killed() {
    let pid_file = file("hanging.pid");
    let hanging = format!("cmd:sh -c 'echo $$ > \"{}\"; sleep 1000'", pid_file.display());
    let args = ["referee", "--p1", &hanging, "--p2", "first", "--time", "2s", "--warm-up", "0", "--json"];
    let report = json(&hexapawn(&args).output().unwrap());
    assert_eq!((&report["winner"], &report["cause"]), (&"p2".into(), &"timeout".into()));
    let pid = fs::read_to_string(pid_file).unwrap();
    wait_for_the_end_of(&pid);
}

#[test]
fn fault_s14_a_stopped_match_leaves_no_program_behind_and_goes_on_with_its_record() {
    let (pid_file, record) = (file("stopped.pid"), file("stopped.rookery.jsonl"));
    // It hangs the first time, and plays the second.
    let pid = pid_file.display();
    let program = format!(
        "cmd:sh -c 'if [ -e \"{pid}\" ]; then exec \"{ROOKERY}\" hexapawn player --stdio; fi; echo $$ > \"{pid}\"; sleep 1000'"
    );
    let args = ["referee", "--p1", &program, "--p2", "first", "--time", "10m", "--grace", "0s", "--record"];
    let mut referee =
        hexapawn(&args).arg(&record).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = wait_for("the program to start", || {
        fs::read_to_string(&pid_file).ok().filter(|pid| pid.ends_with('\n'))
    });
    // The record begins with the match.
    wait_for("the match to begin", || fs::read(&record).ok().filter(|text| !text.is_empty()));
    let stopped = Command::new("kill").args(["-INT", &referee.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    let mut said = String::new();
    referee.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(referee.wait().unwrap().code(), Some(130), "{said}");
    wait_for_the_end_of(&pid);
    // What there is of the record is right, and goes on as printed.
    let record = record.to_str().unwrap();
    let verified = Command::new(ROOKERY).args(["verify", record]).output().unwrap();
    assert!(String::from_utf8_lossy(&verified.stdout).contains("1 unfinished"), "{verified:?}");
    let go_on = said.lines().find_map(|line| line.strip_prefix("rookery ")).expect(&said);
    assert!(go_on.ends_with(" --resume"), "{go_on}");
    let again = Command::new("sh").args(["-c", &format!("'{ROOKERY}' {go_on}")]).output().unwrap();
    assert!(stdout(&again).contains(" has won after "), "{again:?}");
    let verified = Command::new(ROOKERY).args(["verify", record]).output().unwrap();
    assert!(String::from_utf8_lossy(&verified.stdout).contains("1 right"), "{verified:?}");
}

fn wait_for_the_end_of(pid: &str) {
    wait_for("the program to end", || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        (stat.is_empty() || stat.contains(") Z ")).then_some(())
    });
}

fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_mins(1), "waited in vain for {what}");
        sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_player_of_the_documentation_plays() {
    if Command::new("python3").arg("--version").output().is_err() {
        rookery_testkit::tell_skipped("the player of docs/hexapawn-protocol.md, because there is no python3");
        return;
    }
    let page = include_str!("../../../docs/hexapawn-protocol.md");
    let code = page.split("```python\n").nth(1).unwrap().split("\n```").next().unwrap();
    let path = file("documented-player.py");
    fs::write(&path, code).unwrap();
    let program = format!("cmd:python3 '{}'", path.display());
    for players in [[program.as_str(), "first"], ["heuristic", &program], [&program, &program]] {
        for size in ["3", "5", "8"] {
            let args =
                ["referee", "--p1", players[0], "--p2", players[1], "--rows", size, "--cols", size, "--json"];
            let report = json(&hexapawn(&args).args(TIME).output().unwrap());
            assert_eq!(report["cause"], "normal", "{report}");
        }
    }
}

#[test]
fn wrong_command_lines_are_explained() {
    for (args, problem) in [
        (&["--p1", "first", "--p2", "tcp:x"][..], "expected a port from 0 to 65535 after `tcp:`"),
        (&["--p1", "radnom", "--p2", "first"], "did you mean `random`?"),
        (&["--p1", "tcp:4000", "--p2", "tcp:4000"], "tcp:4000 is named twice"),
        (&["--p1", "first", "--p2", "first", "--rows", "1"], "expected a number from 2 to 8"),
        (
            &["--p1", "first", "--p2", "first", "--cols", "9"],
            "expected a number from 1 to 8; a board has 64 squares at the most",
        ),
        (
            &["--p1", "first", "--p2", "first", "--rows", "4", "--protocol", "elimination"],
            "the elimination protocol takes 5 to 8",
        ),
        (
            &["--p1", "first", "--p2", "cmd:x", "--rows", "5", "--protocol", "elimination"],
            "player 2 chooses the size",
        ),
    ] {
        let output = hexapawn(&[&["referee"], args].concat()).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(problem), "{error}");
    }
    for (args, problem) in [
        (&["--stdio", "--player", "human"][..], "--player human needs the terminal"),
        (&["--stdio", "--player", "tcp:1"], "--player takes one of our own players or human"),
        (&["--connect", "nowhere"], "expected HOST:PORT"),
        (&["--as", "p3", "--stdio"], "expected p1 or p2"),
        (&[], "required"),
    ] {
        let output = hexapawn(&[&["player"], args].concat()).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(problem), "{error}");
    }
}
