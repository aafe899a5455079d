//! `rookery replay --follow` shows a match that still runs.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use rookery_testkit::TempFolder;

#[test]
fn a_growing_file_is_followed_to_its_verdict() {
    let whole = include_bytes!("cmd/records.in/matches/finished.rookery.jsonl");
    let folder = TempFolder::new("follow");
    let path = folder.join("game.rookery.jsonl");
    fs::write(&path, b"").unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_rookery"))
        .args(["replay", "--follow", "--all"])
        .arg(&path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Pieces that end anywhere, also within a line.
    for piece in whole.chunks(whole.len() / 5) {
        OpenOptions::new().append(true).open(&path).unwrap().write_all(piece).unwrap();
        sleep(Duration::from_millis(120));
    }
    let output = child.wait_with_output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{shown}");
    assert_eq!(shown.matches("after move").count(), 2, "{shown}");
    assert!(shown.ends_with("resigned after 2 moves: player 1 (Ann) resigned, scores 0 1\n"), "{shown}");
}
