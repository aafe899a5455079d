//! The evil bot of the test kit against the real program: what is printed, the exit code, and that nothing is left. All its
//! modes are in `crates/testkit/tests/evil`.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rookery_testkit::{TempFolder, skip};
use serde_json::Value;

const ROOKERY: &str = env!("CARGO_BIN_EXE_rookery");

/// The bot of another package, which is built with the workspace.
fn evil_bot() -> Option<PathBuf> {
    let path = Path::new(ROOKERY).with_file_name("evil-bot");
    if !path.exists() {
        skip("there is no evil-bot; `cargo build -p rookery-testkit` makes it");
        return None;
    }
    Some(path)
}

/// Whether programs can be shut in completely here.
fn is_full() -> bool {
    let tried = played(&["cmd:true", "first", "--sandbox", "full"], &[]);
    let said = String::from_utf8_lossy(&tried.stderr).into_owned();
    if !said.contains("sandbox: full") {
        skip(&format!("--sandbox full: {said}"));
    }
    said.contains("sandbox: full")
}

fn played(args: &[&str], env: &[(&str, &str)]) -> Output {
    let mut command = Command::new(ROOKERY);
    command.args(["match", "hexapawn:rows=3,cols=3", "--games", "1", "--json", "--quiet"]);
    command.args(["--conduct", "forfeit"]).args(args).envs(env.iter().copied()).output().unwrap()
}

fn game(output: &Output) -> Value {
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    report["games"][0].clone()
}

/// How many processes have this in their command line.
fn running(mark: &str) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let command = |entry: fs::DirEntry| fs::read(entry.path().join("cmdline")).unwrap_or_default();
    let is_marked = |line: &Vec<u8>| line.split(|&byte| byte == 0).any(|word| word == mark.as_bytes());
    processes.map(command).filter(is_marked).count()
}

#[track_caller]
fn loses(mode: &str, level: &str, time: &str, ending: &str, says: &str) {
    let Some(bot) = evil_bot() else { return };
    if level == "full" && !is_full() {
        return;
    }
    let mark = format!("evil-cli-{}-{mode}", std::process::id());
    let seat = format!("evil=cmd:{} {mode} --mark {mark}", bot.display());
    let output = played(&[&seat, "first", "--time", time, "--sandbox", level], &[]);
    // What was started may take a moment to be gone after we are.
    let begin = Instant::now();
    while running(&mark) > 0 {
        assert!(begin.elapsed() < Duration::from_secs(2), "{mode}: something is left");
        sleep(Duration::from_millis(5));
    }
    let game = game(&output);
    assert_eq!((&game["ending"], &game["blame"]), (&ending.into(), &"player".into()), "{mode}: {game}");
    assert_eq!((&game["offender"], &game["winners"]), (&0.into(), &serde_json::json!([1])), "{mode}: {game}");
    let sentence = game["sentence"].as_str().unwrap();
    assert!(sentence.contains(says), "{mode}: {sentence}");
    assert_eq!(output.status.code(), Some(0), "a game that a bot has lost is a game: {output:?}");
}

#[test]
fn fault_c05_a_lost_game_is_told_and_nothing_is_left() {
    for (mode, time, ending, says) in [
        ("garbage", "10s", "malformed", "no JSON object"),
        ("endless-line", "10s", "output_limit", "65536"),
        ("never-answers", "200ms", "timeout", "expected"),
        ("exit-1", "10s", "crashed", "out of ideas"),
        ("double-fork-then-exit", "10s", "crashed", "exit status: 4"),
        ("closes-stdout", "10s", "crashed", "it closed its output and went on"),
    ] {
        loses(mode, "none", time, ending, says);
    }
}

#[test]
fn fault_c07_a_limit_that_was_reached_is_told() {
    loses("eats-memory", "full", "10s", "memory_limit", "took too much memory");
    loses("fork-bomb", "full", "10s", "process_limit", "no more processes");
    loses("fills-disk", "full", "10s", "disk_limit", "wrote too much to disk");
    loses("mounts", "full", "10s", "sandbox_violation", "SIGSYS");
}

/// bubblewrap works when it is tried out, and no more when the bot is started.
#[test]
fn fault_c19_a_sandbox_that_fails_is_our_failure_with_its_exit_code() {
    if !is_full() {
        return;
    }
    for (then, says) in [
        ("rm -f \"$0\"", "the sandbox failed"),
        ("printf '#!/bin/sh\\necho no namespaces today >&2\\nexit 1\\n' > \"$0\"", "no namespaces today"),
    ] {
        let folder = TempFolder::new("bwrap");
        let bwrap = folder.join("bwrap");
        // Read as a whole before the file is gone.
        let script = format!("#!/bin/sh\n{{ {then}; exec /usr/bin/bwrap \"$@\"; }}\n");
        fs::write(&bwrap, script).unwrap();
        fs::set_permissions(&bwrap, fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
        let output = played(&["cmd:cat", "first", "--sandbox", "full"], &[("PATH", &path)]);
        let game = game(&output);
        assert_eq!(
            (&game["ending"], &game["blame"]),
            (&"platform_abort".into(), &"platform".into()),
            "{game}"
        );
        assert_eq!((&game["offender"], &game["scores"]), (&Value::Null, &Value::Null), "{game}");
        assert!(game["sentence"].as_str().unwrap().contains(says), "{game}");
        assert_eq!(output.status.code(), Some(3), "{output:?}");
    }
}

/// A command that names nothing is the mistake of whoever wrote it.
#[test]
fn fault_c01_a_program_that_is_not_there_has_crashed_in_every_sandbox() {
    for level in ["none", "full"] {
        if level == "full" && !is_full() {
            continue;
        }
        let output = played(&["cmd:/no/such/bot", "first", "--sandbox", level], &[]);
        let game = game(&output);
        assert_eq!((&game["ending"], &game["offender"]), (&"crashed".into(), &0.into()), "{game}");
        assert!(game["sentence"].as_str().unwrap().contains("No such file"), "{game}");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
}
