//! The schema describes what is written, and the examples of the documentation are records.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use common::{simulate, wild};
use jsonschema::Validator;
use rookery_games::hexapawn::Setup as Hexapawn;
use rookery_games::stones::Setup as Stones;
use rookery_record::{Header, Line, Replay, verify};
use rookery_referee::{Blame, Cause, Offence};
use rookery_rules::{Notation, Setup};
use serde_json::{Value, json};

const SCHEMA: &str = include_str!("../../../docs/record.schema.json");
const PAGE: &str = include_str!("../../../docs/record.md");

fn validator() -> Validator {
    jsonschema::validator_for(&serde_json::from_str(SCHEMA).unwrap()).unwrap()
}

fn validate(validator: &Validator, line: &str) {
    let value: Value = serde_json::from_str(line).unwrap();
    if let Err(error) = validator.validate(&value) {
        panic!("{error}\n{line}");
    }
}

fn lines_validate<S: Setup<Position: Notation>>(options: &str) {
    let (setup, validator) = (S::parse(options).unwrap(), validator());
    for seed in 0..25 {
        let record = simulate(&setup, wild(seed)).record;
        std::str::from_utf8(&record).unwrap().lines().for_each(|line| validate(&validator, line));
    }
}

#[test]
fn every_line_written_validates() {
    for_every_game!(lines_validate);
}

/// The blocks of JSON lines on the page.
fn examples() -> Vec<&'static str> {
    PAGE.split("```jsonl\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn the_examples_are_records() {
    let validator = validator();
    let examples = examples();
    assert!(examples.len() >= 2, "the examples are found");
    let mut kinds: Vec<String> = vec![];
    for example in &examples {
        example.lines().for_each(|line| validate(&validator, line));
        for line in example.lines() {
            let parsed = Line::parse(line.as_bytes()).unwrap();
            assert_eq!(serde_json::to_string(&parsed).unwrap(), line, "written as Rookery writes it");
            kinds.push(line.split('"').nth(1).unwrap().to_owned());
        }
    }
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds.len(), 10, "there is an example of each kind: {kinds:?}");
    let header = Header::parse(examples[1].as_bytes()).unwrap();
    Replay::new::<Stones>(header, examples[1].as_bytes()).unwrap();
    let summary = verify::<Hexapawn>(examples[0].as_bytes()).unwrap();
    assert_eq!(summary.verdict.unwrap().ending.cause, Cause::Resigned);
}

#[test]
fn the_schema_refuses_what_is_refused() {
    let validator = validator();
    for line in examples().iter().flat_map(|example| example.lines()) {
        let value: Value = serde_json::from_str(line).unwrap();
        for (path, names) in objects(&value, "") {
            let agree = |changed: &Value, what: &str| {
                let read = Line::parse(changed.to_string().as_bytes()).is_ok();
                assert_eq!(validator.is_valid(changed), read, "{path} {what}: {changed}");
                read
            };
            let mut more = value.clone();
            more.pointer_mut(&path).unwrap()["surprise"] = json!(1);
            assert!(!agree(&more, "with an unknown field"));
            for name in names {
                let mut less = value.clone();
                less.pointer_mut(&path).unwrap().as_object_mut().unwrap().remove(&name);
                // Fields that go together can be read alone, but no record with one of them verifies.
                if !["ms", "left_ms", "winners", "scores"].contains(&name.as_str()) {
                    agree(&less, &format!("without {name}"));
                }
                let mut other = value.clone();
                other.pointer_mut(&path).unwrap()[&name] = json!({ "?": 1 });
                assert!(!agree(&other, &format!("with something else for {name}")));
            }
        }
    }
}

/// All objects within a value: where they are, and the names of their fields.
fn objects(value: &Value, path: &str) -> Vec<(String, Vec<String>)> {
    match value {
        Value::Object(fields) => {
            let inner = fields.iter().flat_map(|(name, field)| objects(field, &format!("{path}/{name}")));
            let own = (path.to_owned(), fields.keys().cloned().collect());
            std::iter::once(own).chain(inner).collect()
        }
        Value::Array(items) => {
            let item = |(idx, item)| objects(item, &format!("{path}/{idx}"));
            items.iter().enumerate().flat_map(item).collect()
        }
        _ => vec![],
    }
}

#[test]
fn the_page_and_the_schema_know_all_words() {
    let blames = [Blame::Player, Blame::Platform, Blame::Operator].map(Blame::word);
    for word in Offence::ALL.map(Offence::word).into_iter().chain(Cause::all().map(Cause::word)).chain(blames)
    {
        assert!(PAGE.contains(&format!("`{word}`")), "docs/record.md has {word}");
        assert!(SCHEMA.contains(&format!("\"{word}\"")), "docs/record.schema.json has {word}");
    }
}
