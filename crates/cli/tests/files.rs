//! What commands read and write, and what they say about files that are not as they should be.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rookery_testkit::TempFolder;

/// Runs it in this folder.
fn rookery(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rookery"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_solution_is_printed_also_if_its_table_cannot_be_kept() {
    let folder = TempFolder::new("solve");
    symlink("missing", folder.join("nowhere")).unwrap();
    for more in [&[][..], &["--json"]] {
        let args = [&["solve", "hexapawn:rows=3,cols=3", "--db", "nowhere"], more].concat();
        let output = rookery(&folder, &args);
        let (shown, error) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(shown.contains("second player wins in 6") || shown.contains("\"plies\":6"), "{shown}");
        assert!(error.starts_with("error: the table could not be saved as nowhere/hexapawn-303-"), "{error}");
    }
    assert_eq!(rookery(&folder, &["solve", "hexapawn", "--db", "tables"]).status.code(), Some(0));
}

const RECORD: &[u8] = include_bytes!("cmd/records.in/matches/finished.rookery.jsonl");

/// Runs it; gives up on a program that waits for something.
fn ends(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new("timeout");
    command.arg("60").arg(env!("CARGO_BIN_EXE_rookery")).args(args);
    command.current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn a_pipe_is_no_record_and_nobody_waits_for_it() {
    let folder = TempFolder::new("pipe");
    assert!(Command::new("mkfifo").arg(folder.join("p.rookery.jsonl")).status().unwrap().success());
    for (args, code) in [
        (&["verify", "p.rookery.jsonl"][..], 1),
        (&["verify", "."], 1),
        (&["replay", "p.rookery.jsonl"], 1),
        (&["accuracy", "p.rookery.jsonl"], 1),
        (&["play", "--plain", "--resume", "p.rookery.jsonl"], 1),
        (&["watch", "p.rookery.jsonl"], 2),
    ] {
        let output = ends(&folder, args);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.contains("p.rookery.jsonl"), "{args:?}: {said}");
        assert!(said.contains("it is a pipe and no file; expected a record, a file"), "{args:?}: {said}");
    }
}

#[test]
fn names_of_files_cannot_reach_into_the_terminal() {
    let folder = TempFolder::new("names");
    let (good, bad) = ("\u{1b}[2Jgood.rookery.jsonl", "\u{1b}[2Jbad.rookery.jsonl");
    fs::write(folder.join(good), RECORD).unwrap();
    fs::write(folder.join(bad), &RECORD[..RECORD.len() / 2]).unwrap();
    let ours = folder.join("\u{1b}[2Jfolder");
    fs::create_dir(&ours).unwrap();
    fs::write(ours.join("wrong.rookery.jsonl"), "{}\n").unwrap();
    let missing = "\u{1b}[2Jmissing.rookery.jsonl";
    for args in [
        &["verify", "."][..],
        &["verify", missing],
        &["verify", "\u{1b}[2Jfolder"],
        &["replay", bad],
        &["replay", missing],
        &["replay", good, "--svg", "\u{1b}[2Jno/board.svg"],
        &["replay", good, "--ply", "99"],
        &["accuracy", good],
        &["accuracy", missing],
        &["watch", missing],
        &["watch", "\u{1b}[2Jfolder"],
        &["watch", good, "random"],
        &["show", "hexapawn", "--svg", "\u{1b}[2Jboard.svg"],
        &["show", "hexapawn", "--svg", "\u{1b}[2Jboard.png"],
        &["show", "hexapawn", "--svg", "\u{1b}[2Jno/board.svg"],
        &["match", "hexapawn", "random", "random", "--record", good],
    ] {
        let output = rookery(&folder, args);
        let said = [output.stdout, output.stderr].concat();
        assert!(!said.is_empty() && !said.contains(&0x1b), "{args:?}: {}", text(&said));
    }
}

#[test]
fn records_go_into_a_folder_and_into_nothing_else() {
    let folder = TempFolder::new("record-into");
    fs::write(folder.join("file"), "precious").unwrap();
    symlink("missing", folder.join("link")).unwrap();
    for (target, what) in
        [("file", "file is a file"), ("file/in/it", "file is a file"), ("link", "link is a link")]
    {
        let output =
            rookery(&folder, &["match", "hexapawn", "random", "random", "--games", "2", "--record", target]);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.starts_with(&format!("error: --record: {what}")), "{error}");
        assert!(
            error.contains(" and no folder; name a folder, which is made if it is not there\n"),
            "{error}"
        );
        assert!(!error.contains("os error") && error.lines().count() == 1, "{error}");
    }
    assert_eq!(fs::read(folder.join("file")).unwrap(), b"precious");
}

#[test]
fn a_folder_cannot_be_watched_but_a_record_in_it_can() {
    let folder = TempFolder::new("watch-folder");
    fs::create_dir_all(folder.join("my games")).unwrap();
    fs::create_dir(folder.join("fish")).unwrap();
    for number in [2, 1] {
        fs::write(folder.join(format!("my games/game-000{number}.rookery.jsonl")), RECORD).unwrap();
    }
    let error = |args: &[&str]| {
        let output = rookery(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        text(&output.stderr)
    };
    assert_eq!(
        error(&["watch", "my games"]),
        "error: my games is a folder; name a record in it, for example \
         `rookery watch 'my games/game-0001.rookery.jsonl'`\n"
    );
    assert_eq!(
        error(&["watch", "./fish"]),
        "error: ./fish is a folder without records; expected a record or a game spec\n"
    );
    // A game comes before a folder of the same name.
    let game = rookery(&folder, &["watch", "fish", "random", "random", "--delay", "1ms", "--plain"]);
    assert!(game.status.success(), "{}", text(&game.stderr));
}

#[test]
fn a_picture_goes_to_the_output_or_into_a_file_that_ends_in_svg() {
    let folder = TempFolder::new("pictures");
    fs::write(folder.join("game.rookery.jsonl"), RECORD).unwrap();
    for args in
        [&["show", "hexapawn", "--svg", "-"][..], &["replay", "game.rookery.jsonl", "--all", "--svg", "-"]]
    {
        let output = rookery(&folder, args);
        let shown = text(&output.stdout);
        assert!(output.status.success() && shown.starts_with("<svg "), "{args:?}: {shown}");
        assert!(shown.ends_with("</svg>\n") && shown.matches("<svg").count() == 1, "{args:?}: {shown}");
    }
    for command in [&["show", "hexapawn"][..], &["replay", "game.rookery.jsonl"]] {
        let output = rookery(&folder, &[command, &["--svg", "out.png"]].concat());
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains("ends in .svg, for example out.svg, or - to print it"), "{error}");
    }
    let both = rookery(&folder, &["replay", "game.rookery.jsonl", "--svg", "-", "--json"]);
    assert_eq!(both.status.code(), Some(2));
    let names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["game.rookery.jsonl"], "nothing was written");
}
