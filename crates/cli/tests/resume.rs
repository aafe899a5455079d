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
    files
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
