//! docs/json.md leads to every command that has `--json`, and the pages name every field that is printed.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rookery_testkit::TempFolder;
use serde_json::Value;

const HERE: &str = include_str!("../../../docs/json.md");
const MATCH: &str = include_str!("../../../docs/match.md");
const RECORD: &str = include_str!("../../../docs/record.md");
const RESULTS: &str = include_str!("../../../docs/results.md");
const STORE: &str = include_str!("../../../docs/store-commands.md");
const STUDY: &str = include_str!("../../../docs/study.md");
const TOURNAMENT: &str = include_str!("../../../docs/tournament.md");

const FINISHED: &str = include_str!("cmd/records.in/matches/finished.rookery.jsonl");

fn rookery(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rookery"))
        .args(args)
        .current_dir(folder)
        .env_remove("ROOKERY_STORE")
        .env("XDG_DATA_HOME", folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The commands below this one that have `--json`, each with its words.
fn with_json(folder: &Path, words: &[String], found: &mut Vec<String>) {
    let mut args: Vec<&str> = words.iter().map(String::as_str).collect();
    args.push("--help");
    let help = String::from_utf8(rookery(folder, &args).stdout).unwrap();
    if help.lines().any(|line| line.trim_start().starts_with("--json") && !line.contains("--json-")) {
        found.push(words.join(" "));
    }
    // At the top the commands stand in groups.
    let lists = help.split("\nOptions:\n").next().unwrap_or_default();
    let listed =
        if words.is_empty() { Some(lists) } else { lists.split_once("\nCommands:\n").map(|(_, list)| list) };
    for line in listed.unwrap_or_default().lines() {
        let name = line.strip_prefix("  ").filter(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
        let Some(name) = name.and_then(|rest| rest.split_whitespace().next()) else { continue };
        // A wrapped description goes on like a name; of no such command there is no help.
        with_json(folder, &[words, &[name.to_owned()]].concat(), found);
    }
}

#[test]
fn every_command_with_json_has_its_page() {
    let folder = TempFolder::new("json-docs");
    let mut found = vec![];
    with_json(&folder, &[], &mut found);
    assert!(found.len() > 50 && found.contains(&"db check".to_owned()), "{found:?}");
    for command in found {
        let first = command.split(' ').next().unwrap();
        let named = [format!("`{command}`"), format!("`{first}`")];
        assert!(
            named.iter().any(|name| HERE.contains(name)),
            "docs/json.md says nothing of `{command} --json`"
        );
    }
}

/// Below these stand words of the games and of others.
const NOT_OURS: [&str; 5] = ["endings", "evidence", "losses_by_ending", "match", "spec"];

fn fields(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(all) => all.iter().for_each(|value| fields(value, found)),
        Value::Object(all) => {
            for (name, value) in all {
                found.insert(name.clone());
                if !NOT_OURS.contains(&name.as_str()) {
                    fields(value, found);
                }
            }
        }
        _ => {}
    }
}

/// Whether a page names a field, in the text or in an example.
fn is_named(field: &str, pages: &[&str]) -> bool {
    // `summary.players` and `moves[].seat` name both.
    let ways =
        ["`FIELD`", "\"FIELD\":", ".FIELD`", "`FIELD[]", "`FIELD."].map(|way| way.replace("FIELD", field));
    pages.iter().any(|page| ways.iter().any(|way| page.contains(way)))
}

#[test]
fn the_pages_name_every_field() {
    let folder = TempFolder::new("json-docs");
    fs::write(folder.join("one.rookery.jsonl"), FINISHED).unwrap();
    let kept = folder.join("rookery/games");
    fs::create_dir_all(&kept).unwrap();
    fs::write(kept.join("hexapawn-1.rookery.jsonl"), FINISHED).unwrap();
    let small = "hexapawn:rows=3,cols=3";
    let store = "--store s.db --json";
    for (line, pages) in [
        ("games", &[HERE][..]),
        ("players", &[HERE]),
        ("show fish --json", &[HERE]),
        ("replay one.rookery.jsonl", &[HERE, RECORD]),
        ("verify one.rookery.jsonl", &[HERE]),
        ("history", &[HERE]),
        (&format!("solve {small} --verify"), &[HERE]),
        ("accuracy one.rookery.jsonl", &[HERE]),
        ("check hexapawn --sandbox none", &[HERE]),
        ("hexapawn learn --games 5", &[HERE]),
        ("hexapawn referee --p1 first --p2 first", &[HERE]),
        ("bench rules --game four --seconds 0.01", &[HERE]),
        ("bench referee --game four --seconds 0.01", &[HERE]),
        ("bench search --game four --seconds 0.01", &[HERE]),
        ("bench records --game four --seconds 0.01", &[HERE]),
        (&format!("match {small} random first --games 2 --seed 1"), &[MATCH]),
        (&format!("perft {small} --depth 2"), &[RESULTS]),
        (&format!("moves {small}"), &[RESULTS]),
        (&format!("sprt {small} random first --games 4 --seed 1"), &[TOURNAMENT]),
        ("review one.rookery.jsonl", &[STUDY]),
        ("puzzle hexapawn --seed 7", &[STUDY]),
        ("doctor --store none.db", &[RESULTS]),
        (&format!("tournament run --format round-robin {small} random first --quiet {store}"), &[RESULTS]),
        (&format!("tournament status {store}"), &[TOURNAMENT, RESULTS]),
        (&format!("tournaments list {store}"), &[STORE]),
        (&format!("tournaments show {store} TOURNAMENT"), &[STORE]),
        (&format!("tournaments export {store} TOURNAMENT friday"), &[STORE]),
        (&format!("games import one.rookery.jsonl {store}"), &[STORE]),
        (&format!("games list {store}"), &[STORE]),
        (&format!("games show {store} GAME"), &[STORE]),
        (&format!("games export {store} records"), &[STORE]),
        (&format!("entrants list {store}"), &[STORE]),
        (&format!("entrants show random {store}"), &[STORE]),
        (&format!("db check {store}"), &[STORE]),
        (&format!("db backup b.db {store}"), &[STORE]),
        (&format!("db migrate {store}"), &[STORE]),
        (&format!("ratings {store}"), &[RESULTS]),
        (&format!("ratings --recompute {store}"), &[RESULTS]),
    ] {
        let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        for word in &mut words {
            match word.as_str() {
                "TOURNAMENT" => *word = first_id(&folder, "tournaments"),
                "GAME" => *word = first_id(&folder, "games"),
                _ => {}
            }
        }
        if !line.contains("--json") {
            words.push("--json".to_owned());
        }
        if line.starts_with("check ") {
            words.extend(["--", "false"].map(str::to_owned));
        }
        let output = rookery(&folder, &words.iter().map(String::as_str).collect::<Vec<_>>());
        let printed: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{line}: {error}: {}", String::from_utf8_lossy(&output.stderr)));
        let mut found = BTreeSet::new();
        fields(&printed, &mut found);
        assert!(!found.is_empty(), "{line}: {printed}");
        let missing: Vec<&String> = found.iter().filter(|field| !is_named(field, pages)).collect();
        assert!(missing.is_empty(), "{line}: no page says what {missing:?} are");
    }
}

/// The id of the latest one in the store.
fn first_id(folder: &Path, of: &str) -> String {
    let list = rookery(folder, &[of, "list", "--store", "s.db", "--json"]);
    let list: Value = serde_json::from_slice(&list.stdout).unwrap();
    list[0]["id"].as_str().unwrap().to_owned()
}
