//! A match that is killed at any moment goes on as if nothing had happened.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// A folder for one test, empty at the start.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    path
}

/// Games that take a while, so that there is something to kill.
fn start(records: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rookery"));
    command.args([
        "match",
        "fish:rows=4,cols=4",
        "mcts:playouts=2000",
        "playouts:games=1000",
        "--games",
        "24",
    ]);
    command.args(["--seed", "5", "--quiet", "--record"]).arg(records).args(more);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(dir).unwrap().map(|file| file.unwrap().path());
    // What was cut off is kept beside.
    files
        .filter(|file| file.extension().is_some_and(|ending| ending == "jsonl"))
        .map(|file| (file.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(file).unwrap()))
        .collect()
}

#[test]
fn fault_s01_a_killed_match_resumes_to_the_same_bytes() {
    let whole = folder("whole");
    assert!(start(&whole, &["--concurrency", "1"]).status().unwrap().success());
    assert_eq!(contents(&whole).len(), 24);

    let killed = folder("killed");
    let mut interrupted = 0;
    for round in 1..=5 {
        let mut child = start(&killed, &["--resume", "--concurrency", "2"]).spawn().unwrap();
        sleep(Duration::from_millis(60 * round));
        interrupted += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(interrupted > 0, "at least one run was killed before its end");
    assert!(start(&killed, &["--resume"]).status().unwrap().success());
    assert_eq!(contents(&killed), contents(&whole));
}

#[test]
fn records_of_another_match_are_not_overwritten() {
    let records = folder("others");
    assert!(start(&records, &[]).status().unwrap().success());
    let before = contents(&records);
    assert_eq!(start(&records, &[]).status().unwrap().code(), Some(1), "without --resume");
    assert_eq!(
        start(&records, &["--resume", "--max-turns", "9"]).status().unwrap().code(),
        Some(1),
        "another match"
    );
    assert_eq!(contents(&records), before);
}

/// Games that are over at once.
fn quick(records: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rookery"));
    command.args([
        "match",
        "hexapawn:rows=4,cols=4",
        "random",
        "random",
        "--games",
        "6",
        "--resume",
        "--quiet",
    ]);
    command.arg("--record").arg(records);
    command
}

#[test]
fn fault_s02_a_power_cut_costs_only_what_was_not_written_yet() {
    let records = folder("power-cut");
    assert!(quick(&records).status().unwrap().success());
    let whole = contents(&records);
    let path = |game: u32| records.join(format!("game-000{game}.rookery.jsonl"));
    let last = fs::read(path(6)).unwrap();
    for len in (0..last.len()).step_by(97) {
        // One game is half-written, of one only some bytes came to the disk.
        fs::write(path(5), &fs::read(path(5)).unwrap()[..500]).unwrap();
        fs::write(path(6), [&last[..len], b"\x07\xffgarbage"].concat()).unwrap();
        let resumed = quick(&records).output().unwrap();
        assert!(resumed.status.success());
        assert_eq!(contents(&records), whole, "cut after {len} bytes");
        let said = String::from_utf8(resumed.stderr).unwrap();
        for part in ["game-0005.rookery.jsonl: the last ", "game-0006.rookery.jsonl: the last "] {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert_eq!(said.lines().count(), 2, "{said}");
    }
}

/// A link could lead anywhere: nothing is read or written through it.
#[cfg(target_os = "linux")]
#[test]
fn fault_02_no_link_is_followed() {
    let records = folder("links");
    fs::create_dir_all(&records).unwrap();
    let precious = records.join("precious");
    fs::write(&precious, "not a record").unwrap();
    std::os::unix::fs::symlink(&precious, records.join("game-0003.rookery.jsonl")).unwrap();
    let failed = quick(&records).output().unwrap();
    assert_eq!(failed.status.code(), Some(1));
    let said = String::from_utf8(failed.stderr).unwrap();
    assert!(said.contains("game-0003.rookery.jsonl: it is a link; a record is a plain file"), "{said}");
    assert_eq!(fs::read(&precious).unwrap(), b"not a record");
}
