//! `rookery check` of bots with the usual mistakes in reading and writing: each is told what is wrong with it, and no other. What
//! it says as JSON is on its page.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use rookery_testkit::TempFolder;
use serde_json::Value;

const ROOKERY: &str = env!("CARGO_BIN_EXE_rookery");
const PAGE: &str = include_str!("../../../docs/protocol.md");

/// A bot that would play if it read and wrote otherwise.
fn bot(read: &str, flush: &str) -> String {
    format!(
        r#"
import json, sys
def lines():
    {read}
for line in lines():
    message = json.loads(line)
    answer = {{"hello": dict(type="hello", version=1), "new_game": dict(type="ready")}}.get(message["type"])
    if message["type"] == "turn":
        answer = dict(type="move", id=message["id"], index=0)
    if message["type"] == "quit":
        break
    if answer:
        print(json.dumps(answer){flush})
"#
    )
}

/// What `check` advises.
fn hint(bot: &str) -> Option<String> {
    let folder = TempFolder::new("check-hints");
    let path = folder.join("bot.py");
    fs::write(&path, bot).unwrap();
    let mut check = Command::new(ROOKERY);
    check.args(["check", "hexapawn:rows=3,cols=3", "--json", "--", "python3", path.to_str().unwrap()]);
    let report: Value = serde_json::from_slice(&check.output().unwrap().stdout).unwrap();
    let failed = report["steps"].as_array().unwrap().iter().find(|step| step["passed"] == false)?;
    assert_eq!(failed["number"], 1, "{report}");
    Some(failed["failure"]["hint"].as_str().unwrap().to_owned())
}

const FLUSH: &str = ", flush=True";

#[test]
fn a_bot_that_reads_to_the_end_of_its_input_is_told_so() {
    let said = hint(&bot("yield from sys.stdin.read().splitlines()", FLUSH)).unwrap();
    assert!(said.starts_with("it answered only after its input was closed"), "{said}");
}

#[test]
fn a_bot_that_takes_its_whole_input_for_one_message_is_told_so() {
    let said = hint(&bot("yield sys.stdin.read()", FLUSH)).unwrap();
    assert!(said.starts_with("it answered only after its input was closed"), "{said}");
}

#[test]
fn a_bot_that_reads_in_blocks_is_told_so() {
    let blocks = "rest = ''
    while block := sys.stdin.read(64):
        *whole, rest = (rest + block).split('\\n')
        yield from whole";
    let said = hint(&bot(blocks, FLUSH)).unwrap();
    assert!(said.starts_with("it answered only when more than its line had come"), "{said}");
}

#[test]
fn a_bot_that_does_not_flush_is_told_so() {
    let said = hint(&bot("yield from sys.stdin", "")).unwrap();
    assert!(said.starts_with("its answers came together"), "{said}");
}

#[test]
fn a_bot_that_says_nothing_at_all_is_told_what_is_usual() {
    let said = hint("import time\ntime.sleep(60)\n").unwrap();
    assert!(said.starts_with("nothing came at all"), "{said}");
}

#[test]
fn a_bot_without_these_mistakes_passes() {
    assert_eq!(hint(&bot("yield from sys.stdin", FLUSH)), None);
}

/// It may leave after each game if it says so, and only then.
#[test]
fn two_games_in_a_row_are_two_processes_for_a_bot_that_wants_one_for_each_game() {
    let once = "for line in sys.stdin:
        yield line
        if 'game_over' in line:
            return";
    let leaves = bot(once, FLUSH);
    let says = leaves.replace("version=1)", "version=1, process=\"game\")");
    for (bot, passes) in [(says, true), (leaves, false)] {
        let folder = TempFolder::new("check-life");
        let path = folder.join("bot.py");
        fs::write(&path, bot).unwrap();
        let mut check = Command::new(ROOKERY);
        check.args(["check", "hexapawn:rows=3,cols=3", "--json", "--", "python3", path.to_str().unwrap()]);
        let report: Value = serde_json::from_slice(&check.output().unwrap().stdout).unwrap();
        let step = report["steps"].as_array().unwrap().iter().find(|step| {
            step["name"].as_str().is_some_and(|name| name.starts_with("plays two games in a row"))
        });
        assert_eq!(step.unwrap()["passed"], passes, "{report}");
    }
}

/// All fields, however deep: `steps[].number`.
fn fields(value: &Value, inside: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(parts) => parts.iter().for_each(|part| fields(part, &format!("{inside}[]"), found)),
        Value::Object(parts) => {
            for (key, part) in parts {
                let name = if inside.is_empty() { key.clone() } else { format!("{inside}.{key}") };
                fields(part, &name, found);
                found.insert(name);
            }
        }
        _ => {}
    }
}

#[test]
fn the_page_names_the_fields_of_a_report_and_no_others() {
    let folder = TempFolder::new("check-fields");
    let report = |args: &[&str]| -> Value {
        let output = Command::new(ROOKERY).args(args).current_dir(&folder).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    };
    let echo = format!("cmd:{ROOKERY} echo-bot");
    let played =
        ["match", "hexapawn:rows=3,cols=3", &echo, "first", "--games", "1", "--record", ".", "--json"];
    report(&played);
    let asked =
        report(&["check", "--record", "game-0001.rookery.jsonl", "--json", "--", ROOKERY, "echo-bot"]);
    let failed = report(&["check", "hexapawn:rows=3,cols=3", "--json", "--", "sh", "-c", "exit 3"]);
    assert_eq!((&asked["passed"], &failed["passed"]), (&Value::from(true), &Value::from(false)));
    let mut found = BTreeSet::new();
    for report in [asked, failed] {
        fields(&report, "", &mut found);
    }
    let (_, table) = PAGE.split_once("\n| field of `rookery check --json` ").unwrap();
    let rows = table.lines().skip(2).map_while(|row| row.strip_prefix("| `"));
    let named: BTreeSet<String> = rows.map(|row| row.split('`').next().unwrap().to_owned()).collect();
    assert_eq!(found, named);
}
