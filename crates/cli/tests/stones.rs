//! Sessions of `rookery stones` with the real program.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rookery_testkit::{TempFolder, tell_skipped};

const ROOKERY: &str = env!("CARGO_BIN_EXE_rookery");

fn rookery(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(ROOKERY)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may not want to read all of it.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The player of the documentation, if there is a Python to run it.
fn python_player(folder: &Path) -> Option<PathBuf> {
    let there = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    if !there {
        tell_skipped("the player of docs/stones-protocol.md, because there is no python3");
        return None;
    }
    let docs = fs::read_to_string("../../docs/stones-protocol.md").unwrap();
    let code = docs.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    let path = folder.join("player.py");
    fs::write(&path, code).unwrap();
    Some(path)
}

#[test]
fn the_documented_player_plays_over_a_pipe_and_its_chat_is_in_a_right_record() {
    let folder = TempFolder::new("stones-pipe");
    let Some(bot) = python_player(&folder) else { return };
    let record = folder.join("game.rookery.jsonl");
    let seat = format!("cmd:python3 {}", bot.display());
    let args =
        ["stones", "referee", "--width", "3", "--height", "3", "--player", &seat, "--player", "random"];
    let more = ["--time", "60s", "--record", record.to_str().unwrap()];
    let output = rookery(&[&args[..], &more].concat(), "");
    let shown = text(&output.stdout);
    assert!(output.status.success(), "{shown}{}", text(&output.stderr));
    assert!(shown.contains("Player 0 says: good luck\n"), "{shown}");
    assert!(shown.contains("has won after"), "{shown}");
    assert!(fs::read_to_string(&record).unwrap().contains("{\"said\":{\"seat\":0,\"text\":\"good luck\"}}"));
    let verified = rookery(&["verify", record.to_str().unwrap()], "");
    assert!(text(&verified.stdout).starts_with("1 checked: 1 right"), "{}", text(&verified.stdout));
    // A record is never overwritten.
    let again = rookery(&[&args[..], &more].concat(), "");
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("there is a record already"), "{}", text(&again.stderr));
}

#[test]
fn two_programs_connect_and_play() {
    let mut referee = Command::new(ROOKERY)
        .args(["stones", "referee", "--width", "3", "--height", "3", "--time", "60s", "--json"])
        .args(["--player", "tcp:0", "--player", "tcp:0"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut waiting = BufReader::new(referee.stderr.take().unwrap());
    let mut players = vec![];
    for id in 0..2 {
        let mut line = String::new();
        waiting.read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix(&format!("waiting for player {id} on ")).expect(&line);
        let child = Command::new(ROOKERY)
            .args(["stones", "player", "--connect", address])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        players.push(child);
    }
    let mut shown = String::new();
    referee.stdout.take().unwrap().read_to_string(&mut shown).unwrap();
    assert!(referee.wait().unwrap().success(), "{shown}");
    assert_eq!(shown.lines().count(), 20, "19 messages and the verdict: {shown}");
    let last: serde_json::Value = serde_json::from_str(shown.lines().last().unwrap()).unwrap();
    assert_eq!(last["verdict"]["winners"], serde_json::json!([1]));
    for player in players {
        let output = player.wait_with_output().unwrap();
        assert_eq!(text(&output.stdout), "PlayerWon 1\n");
    }
}

#[test]
fn our_player_by_standard_input_and_output() {
    let seat = format!("cmd:'{ROOKERY}' stones player --stdio --player cautious");
    let args = ["stones", "referee", "--width", "2", "--height", "3", "--time", "60s", "--player", &seat];
    let output = rookery(&[&args[..], &["--player", "aggressive"]].concat(), "");
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    // The same with every line that travels.
    let folder = TempFolder::new("stones-trace");
    let file = folder.join("trace.txt");
    for trace in ["-", file.to_str().unwrap()] {
        let output = rookery(&[&args[..], &["--player", "aggressive", "--trace", trace]].concat(), "");
        let lines = if trace == "-" { text(&output.stderr) } else { std::fs::read_to_string(trace).unwrap() };
        assert!(lines.lines().any(|line| line.contains(" > {")), "what the player says: {lines}");
        assert!(lines.lines().any(|line| line.contains(" < {")), "what it is told: {lines}");
    }
}

#[test]
fn a_whole_session_of_questions_and_moves() {
    let folder = TempFolder::new("stones-session");
    let record = folder.join("game.rookery.jsonl");
    let typed = "1\n3\n2\n0\nhuman\n0,0 1,0\nsay well done\nmoves\n2.0-1.0\n";
    let output = rookery(&["stones", "--record", record.to_str().unwrap()], typed);
    let shown = text(&output.stdout);
    assert!(output.status.success(), "{shown}");
    for part in [
        "Width (1 to 16) [8]: ",
        "  2 aggressive\n",
        "-\n0\n1\n\n====\n\nPlayer 0: 1 stones\nPlayer 1: 1 stones\n\nMove 0 (0,0) (1,0)\n",
        "2.0-1.0\n",
        "PlayerWon 1\n",
        "Player 1 has won after 2 moves.\n",
    ] {
        assert!(shown.contains(part), "{part:?} in {shown}");
    }
    assert!(!shown.contains('\u{1b}'), "no screen is cleared where there is none");
    let verified = rookery(&["verify", record.to_str().unwrap()], "");
    assert!(text(&verified.stdout).starts_with("1 checked: 1 right"), "{}", text(&verified.stdout));
}

#[test]
fn an_error_of_a_program_has_an_exit_code_of_its_own() {
    let args = ["stones", "referee", "--width", "3", "--height", "3", "--player", "random", "--player"];
    let output = rookery(&[&args[..], &["cmd:sh -c 'exit 7'"]].concat(), "");
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{shown}");
    assert!(shown.contains("GameOver: Player 1 made an error: "), "{shown}");
    assert!(shown.contains("the program ended: exit status: "), "{shown}");
    let forfeit = rookery(&[&args[..], &["cmd:false", "--forfeit"]].concat(), "");
    assert_eq!(forfeit.status.code(), Some(0), "{}", text(&forfeit.stdout));
    assert!(text(&forfeit.stdout).contains("PlayerWon 0\n"), "{}", text(&forfeit.stdout));
}

#[test]
fn fault_04_a_stopped_game_ends_its_programs_and_goes_on_with_its_record() {
    let folder = TempFolder::new("stones-stopped");
    let (pid_file, record) = (folder.join("stopped.pid"), folder.join("stopped.rookery.jsonl"));
    // It hangs the first time, and plays the second.
    let pid = pid_file.display();
    let program = format!(
        "cmd:sh -c 'if [ -e \"{pid}\" ]; then exec \"{ROOKERY}\" stones player --stdio; fi; echo $$ > \"{pid}\"; sleep 1000'"
    );
    let mut referee = Command::new(ROOKERY)
        .args(["stones", "referee", "--width", "3", "--height", "3", "--time", "10m", "--grace", "0s"])
        .args(["--player", &program, "--player", "aggressive", "--record", record.to_str().unwrap()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let wait = || std::thread::sleep(std::time::Duration::from_millis(5));
    let pid = loop {
        match fs::read_to_string(&pid_file) {
            Ok(pid) if pid.ends_with('\n') && fs::read(&record).is_ok_and(|text| !text.is_empty()) => {
                break pid;
            }
            _ => wait(),
        }
    };
    let stopped = Command::new("kill").args(["-TERM", &referee.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    let mut said = String::new();
    referee.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(referee.wait().unwrap().code(), Some(143), "{said}");
    let alive = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    while alive() {
        wait();
    }
    let go_on = said.lines().find_map(|line| line.strip_prefix("rookery ")).expect(&said);
    assert!(go_on.ends_with(" --resume"), "{go_on}");
    let again = Command::new("sh").args(["-c", &format!("'{ROOKERY}' {go_on}")]).output().unwrap();
    assert!(again.status.success(), "{again:?}");
    assert!(text(&again.stdout).ends_with("Player 1 has won after 6 moves.\n"), "{}", text(&again.stdout));
    let verified = rookery(&["verify", record.to_str().unwrap()], "");
    assert!(text(&verified.stdout).starts_with("1 checked: 1 right"), "{}", text(&verified.stdout));
}

#[test]
fn fault_16_players_count_from_0_in_every_sentence() {
    let folder = TempFolder::new("stones-counted");
    let record = folder.join("counted.rookery.jsonl");
    let path = record.to_str().unwrap();
    let args = ["stones", "referee", "--width", "3", "--height", "3", "--json", "--record", path];
    let output = rookery(&[&args[..], &["--player", "aggressive", "--player", "aggressive"]].concat(), "");
    let shown = text(&output.stdout);
    assert!(shown.contains("{\"message\":\"PlayerWon\",\"player\":1,"), "{shown}");
    assert!(shown.contains("\"sentence\":\"player 1 (aggressive#2) won\""), "{shown}");
    let replayed = rookery(&["replay", path], "");
    assert!(text(&replayed.stdout).contains("player 1 (aggressive#2) won"), "{}", text(&replayed.stdout));
}

#[test]
fn fault_18_a_board_that_is_too_large_is_refused_with_the_reason() {
    let output = rookery(&["stones", "referee", "--width", "17"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("a board has 256 tiles at the most, 16 by 16"),
        "{}",
        text(&output.stderr)
    );
}
