//! What is in deploy/ fits the binary: every flag, every key of a configuration; and docs/operations.md explains every line.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Lines of a file of deploy/ that are no comment.
fn lines(file: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("deploy").join(file)).unwrap();
    let is_said = |line: &&str| !line.trim_start().starts_with('#') && !line.trim().is_empty();
    text.lines().filter(is_said).map(str::to_owned).collect()
}

/// The words of a line, of a shell or of a list in quotes.
fn words(line: &str) -> Vec<&str> {
    line.split(|c: char| c.is_whitespace() || "\"',[]=".contains(c)).filter(|word| !word.is_empty()).collect()
}

/// The help of a command, if there is such a command.
fn help(command: &str) -> Option<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_rookery")).args([command, "--help"]).output().unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

fn has(help: &str, flag: &str) -> bool {
    help.split(|c: char| c.is_whitespace() || c == ',').any(|word| word == flag)
}

#[test]
fn every_flag_of_the_units_and_images_is_one_of_the_binary() {
    let mut seen = BTreeSet::new();
    for file in ["systemd/rookery.service", "systemd/rookery-worker.service", "Containerfile", "compose.yaml"]
    {
        for line in lines(file) {
            let words = words(&line);
            let Some(command) = words.iter().find(|word| ["serve", "worker"].contains(word)) else {
                continue;
            };
            let help = help(command);
            for flag in words.iter().filter(|word| word.starts_with("--")) {
                seen.insert(((*command).to_owned(), (*flag).to_owned()));
                let is_there = help.as_ref().is_some_and(|help| has(help, flag));
                assert!(is_there, "{file}: `rookery {command}` has no {flag}");
            }
        }
    }
    assert!(seen.len() >= 9, "the flags are found: {seen:?}");
}

#[test]
fn every_key_of_the_configuration_is_a_flag() {
    let help = help("serve").unwrap();
    let text = fs::read_to_string(root().join("deploy/serve.toml")).unwrap();
    let mut n_keys = 0;
    // What is commented out is to be used one day.
    for line in text.lines().map(|line| line.trim_start_matches("# ")) {
        if let Some((key, _)) = line.split_once(" = ") {
            assert!(has(&help, &format!("--{key}")), "serve.toml: `rookery serve` has no --{key}");
            n_keys += 1;
        }
    }
    assert!(n_keys >= 8, "the keys are found");
}

/// Every variable of a file for systemd, also one that is commented out.
fn variables(file: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("deploy").join(file)).unwrap();
    let lines = text.lines().map(|line| line.trim_start_matches("# "));
    lines.filter_map(|line| line.split_once('=')).map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn every_variable_of_a_worker_is_read_by_the_binary_and_explained() {
    let (help, page) =
        (help("worker").unwrap(), fs::read_to_string(root().join("docs/operations.md")).unwrap());
    let names = variables("worker.env");
    assert_eq!(names.len(), 5, "the variables are found: {names:?}");
    for name in names {
        assert!(help.contains(&format!("[env: {name}")), "worker.env: `rookery worker` does not read {name}");
        assert!(page.contains(&format!("`{name}`")), "docs/operations.md explains {name}");
    }
}

#[test]
fn what_may_hold_a_password_stands_on_no_command_line_of_a_unit() {
    for file in ["systemd/rookery.service", "systemd/rookery-worker.service"] {
        let line = lines(file).into_iter().find(|line| line.starts_with("ExecStart=")).unwrap();
        assert!(!line.contains('$') && !line.contains("://"), "{file}: {line}");
    }
}

/// What an alarm says is the left side of what it asks for: that must not be what is compared with nothing.
#[test]
fn what_an_alarm_counts_is_what_it_says() {
    for file in ["alerts.yml", "alerts-cluster.yml"] {
        let lines = lines(file);
        let mut expr = String::new();
        for line in lines.iter().map(|line| line.trim()) {
            if let Some(text) = line.strip_prefix("expr: ") {
                text.clone_into(&mut expr);
            }
            let counts = line.starts_with("annotations:") && line.contains("$value");
            let left = expr.split(" and ").next().unwrap();
            assert!(!(counts && left.contains("== 0")), "{file}: `{expr}` always says 0: {line}");
        }
    }
}

#[test]
fn every_line_is_explained() {
    let page = fs::read_to_string(root().join("docs/operations.md")).unwrap();
    for file in
        ["systemd/rookery.service", "systemd/rookery-worker.service", "serve.toml", "worker.env", "nats.conf"]
    {
        for line in lines(file).iter().filter(|line| !line.starts_with('[') && line.trim() != "}") {
            let key = line.split(['=', ':', '{']).next().unwrap().trim();
            assert!(page.contains(&format!("`{key}")), "docs/operations.md explains `{key}` of {file}");
        }
    }
    for file in ["Containerfile", "compose.yaml", "alerts.yml", "alerts-cluster.yml"] {
        assert!(page.contains(&format!("deploy/{file}")), "docs/operations.md explains {file}");
    }
    for line in lines("Containerfile").iter().filter(|line| !line.starts_with(' ')) {
        let word = line.split(' ').next().unwrap();
        assert!(
            page.contains(&format!("`{word}")),
            "docs/operations.md explains {word} of the Containerfile"
        );
    }
    for line in lines("compose.yaml") {
        let key = line.split(':').next().unwrap().trim().trim_matches('"');
        assert!(page.contains(&format!("`{key}")), "docs/operations.md explains `{key}` of compose.yaml");
    }
    for line in lines("alerts.yml").into_iter().chain(lines("alerts-cluster.yml")) {
        if let Some(alert) = line.trim().strip_prefix("- alert: ") {
            assert!(page.contains(&format!("`{alert}`")), "docs/operations.md says what to do for {alert}");
        }
    }
}
