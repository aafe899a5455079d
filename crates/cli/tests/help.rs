//! Completions and man pages of the real program, and readers that have seen enough.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rookery_testkit::tell_skipped;

fn rookery(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rookery")).args(args).stdin(Stdio::null()).output().unwrap()
}

/// What a command prints that succeeds.
fn printed(args: &[&str]) -> String {
    let output = rookery(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The names of the subcommands, as the help shows them.
fn subcommands() -> Vec<String> {
    let help = printed(&["--help"]);
    let lists = help.split("\nOptions:\n").next().unwrap().lines();
    // What is further in goes on with the line before.
    let names = lists.filter_map(|line| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')));
    let names = names.filter_map(|line| line.split_whitespace().next());
    let names: Vec<String> = names.map(str::to_owned).collect();
    assert!(names.len() > 10 && names.contains(&"match".to_owned()), "{names:?}");
    names
}

#[test]
fn completions_are_written_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = printed(&["completions", shell]);
        for name in subcommands() {
            assert!(script.contains(&name), "{shell} completes {name}");
        }
    }
    let output = rookery(&["completions", "csh"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("bash, elvish, fish, powershell, zsh"));
}

/// What bash offers for the last of these words.
fn offered_by_bash(words: &[&str]) -> Vec<String> {
    let script = printed(&["completions", "bash"]);
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let (last, before) = (words[words.len() - 1], words[words.len() - 2]);
    let ask = format!(
        "{script}\nCOMP_WORDS=({})\nCOMP_CWORD={}\n_rookery rookery '{last}' '{before}'\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        quoted.join(" "),
        words.len() - 1
    );
    // By its input: the script is longer than an argument may be.
    let mut bash = Command::new("bash");
    let mut bash = bash.args(["--norc", "-s"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    bash.stdin.take().unwrap().write_all(ask.as_bytes()).unwrap();
    let output = bash.wait_with_output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    shown.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn games_and_players_are_completed() {
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(&["completions", shell]);
        for name in ["hexapawn", "renpaarden", "minimax", "cautious", "human"] {
            assert!(script.contains(name), "{shell} completes {name}");
        }
    }
    if Command::new("bash").arg("--version").output().is_err() {
        tell_skipped("completions: there is no bash to complete with");
        return;
    }
    assert_eq!(offered_by_bash(&["rookery", "rules", "hex"]), ["hexapawn"]);
    assert_eq!(offered_by_bash(&["rookery", "play", "ren"]), ["renpaarden"]);
    assert_eq!(offered_by_bash(&["rookery", "watch", "fis"]), ["fish"]);
    assert_eq!(offered_by_bash(&["rookery", "play", "fish", "hu"]), ["human"]);
    assert_eq!(offered_by_bash(&["rookery", "match", "fish", "mcts", "minim"]), ["minimax"]);
    assert!(offered_by_bash(&["rookery", "match", "fish", "hu"]).is_empty(), "match seats no person");
    assert_eq!(offered_by_bash(&["rookery", "drill", "hexapawn", "hard", "--against", "perf"]), ["perfect"]);
    // The help says what a spec is, and does not list names as if they were all.
    assert!(!printed(&["show", "--help"]).contains("possible values"));
}

#[test]
fn bash_can_read_its_completions() {
    let check = Command::new("bash").args(["-n"]).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut bash) = check else {
        tell_skipped("completions: there is no bash to check them with");
        return;
    };
    bash.stdin.take().unwrap().write_all(printed(&["completions", "bash"]).as_bytes()).unwrap();
    let output = bash.wait_with_output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && complaint.is_empty(), "{complaint}");
}

#[test]
fn every_subcommand_has_a_man_page() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("man");
    let _ = fs::remove_dir_all(&dir);
    printed(&["man", dir.to_str().unwrap()]);
    let page = |name: &str| fs::read_to_string(dir.join(format!("{name}.1"))).unwrap_or_default();
    assert!(page("rookery").contains(".TH rookery 1"));
    for name in subcommands() {
        let page = page(&format!("rookery-{name}"));
        assert!(page.contains(".SH NAME") && page.contains("Examples:"), "the page of {name}: {page}");
    }
    assert!(page("rookery-bench-rules").contains(".SH NAME"));
    assert!(!dir.join("rookery-man.1").exists(), "what is hidden has no page");

    let output = rookery(&["man", "/dev/null/man"]);
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.starts_with("error: the man pages could not be written to /dev/null/man: "), "{error}");
}

#[test]
fn help_and_a_command_s_own_help_are_the_same() {
    assert_eq!(printed(&["help"]), printed(&["--help"]));
    assert_eq!(printed(&["help", "match"]), printed(&["match", "--help"]));
    assert_eq!(printed(&["help", "bench", "rules"]), printed(&["bench", "rules", "--help"]));
    assert_eq!(rookery(&["help", "nothing"]).status.code(), Some(2));
    // A topic comes before the command of the same name, which has its own --help.
    assert!(printed(&["help", "players"]).starts_with("Players\n"));
}

#[test]
fn rules_are_rendered_and_their_source_is_there_too() {
    for game in rookery_catalog::CATALOG.iter().map(|game| game.name()) {
        let source = fs::read_to_string(format!("../../docs/rules/{game}.md")).unwrap();
        assert_eq!(printed(&["rules", game, "--markdown"]), source);
        let rendered = printed(&["rules", game]);
        assert!(rendered.lines().all(|line| line.chars().count() <= 80), "{rendered}");
        assert!(!rendered.contains("](") && !rendered.contains('\x1b'), "{rendered}");
        let last = source.split_whitespace().last().unwrap();
        assert!(rendered.trim_end().ends_with(last), "all of it is there");
    }
}

#[test]
fn fault_s15_a_reader_that_has_seen_enough_is_no_error() {
    for args in [
        &["--help"][..],
        &["help"],
        &["help", "match"],
        &["help", "players"],
        &["completions", "bash"],
        &["games"],
        &["games", "--json"],
        &["players"],
        &["rules", "fish"],
        &["show", "fish"],
        &["moves", "renpaarden"],
        &["perft", "hexapawn", "--depth", "4"],
        &["match", "hexapawn", "random", "random", "--games", "4", "--json"],
        &["replay", "tests/cmd/records.in/matches/finished.rookery.jsonl", "--all"],
        &["verify", "tests/cmd/records.in/matches/finished.rookery.jsonl"],
        &["hexapawn", "learn", "--games", "20"],
        &["renpaarden", "--mode", "computer-computer", "--level", "homing", "--seed", "1"],
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_rookery"))
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Closed before anything was read.
        drop(child.stdout.take());
        let mut complaint = String::new();
        child.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
        let status = child.wait().unwrap();
        assert!(status.success() && complaint.is_empty(), "{args:?}: {status}: {complaint}");
    }
}

#[test]
fn fault_s15_output_that_is_full_is_an_error() {
    let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else {
        tell_skipped("output that is full: there is no /dev/full here");
        return;
    };
    for args in
        [&["games"][..], &["help", "match"], &["help", "specs"], &["completions", "zsh"], &["renpaarden"]]
    {
        let output = Command::new(env!("CARGO_BIN_EXE_rookery"))
            .args(args)
            .stdin(Stdio::null())
            .stdout(full.try_clone().unwrap())
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {error}");
        assert!(error.starts_with("error: ") && error.lines().count() == 1, "{args:?}: {error}");
    }
}

#[test]
fn the_readme_says_how_to_install_the_command_before_it_is_used() {
    let readme = fs::read_to_string("../../README.md").unwrap();
    let install = readme.find("$ cargo install --path crates/cli").unwrap();
    assert!(readme.find("$ rookery").is_some_and(|first| first > install));
}
