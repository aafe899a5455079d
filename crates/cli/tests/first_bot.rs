//! docs/first-bot.md: its commands are typed as they stand, in order, by somebody who has nothing but Rookery and Python.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use rookery_testkit::{TempFolder, tell_skipped};

const PAGE: &str = include_str!("../../../docs/first-bot.md");

/// The lines of all blocks of `sh`; one within a list is indented.
fn commands(page: &str) -> String {
    let mut commands = String::new();
    let mut in_block = false;
    for line in page.lines().map(str::trim) {
        match line {
            "```sh" => in_block = true,
            "```" => in_block = false,
            line if in_block => commands.extend([line, "\n"]),
            _ => {}
        }
    }
    commands
}

#[test]
fn the_page_works_as_it_stands() {
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        assert!(std::env::var_os("ROOKERY_ALL_KITS").is_none(), "python3 cannot be run");
        tell_skipped("docs/first-bot.md, because there is no python3");
        return;
    }
    let commands = commands(PAGE);
    assert!(commands.matches("rookery ").count() >= 7, "the blocks are found: {commands}");
    let (programs, here) = (TempFolder::new("first-bot-path"), TempFolder::new("first-bot"));
    symlink(env!("CARGO_BIN_EXE_rookery"), programs.join("rookery")).unwrap();
    let path = std::env::var("PATH").unwrap();

    // -x shows each command before it runs, so that a failure says which it was.
    let typed = |commands: &str| {
        let output = Command::new("sh")
            .args(["-e", "-x", "-c", commands])
            .current_dir(&here)
            .env("PATH", format!("{}:{path}", programs.display()))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        let (shown, told) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{shown}\n{told}");
        (shown, told)
    };
    let (shown, told) = typed(&commands);

    // What the page says that one will see.
    assert!(shown.contains("steps passed."), "the check: {shown}");
    let eager = shown.lines().find_map(|line| line.strip_prefix("eager ")).unwrap();
    let wins: u32 = eager.split_whitespace().next().unwrap().parse().unwrap();
    assert!(wins > 20, "taking is better than chance: {shown}");
    for game in ["game 1: player 1 (broken) sent", "game 2: player 2 (broken) sent"] {
        assert!(told.contains(game), "a sentence for each game: {told}");
    }
    assert!(shown.contains("after 0 moves: player 1 (broken) sent"), "and one in the record: {shown}");
    assert_eq!(shown.matches("broken < {\"type\":\"reject\"").count(), 4, "the trace: {shown}");

    let again = "rookery match hexapawn \"cmd:python3 my-bot/bot.py\" random --seed 7";
    assert!(PAGE.contains(again), "the page says that this can be played again");
    let again = format!("{again} --json");
    assert_eq!(typed(&again).0, typed(&again).0);
}
